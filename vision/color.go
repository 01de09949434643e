package vision

import (
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// Grayscale returns a transform that makes pictures gray, 0.2989·R + 0.587·G + 0.114·B, with so many equal channels. It panics unless
// these are 1 or 3.
func Grayscale(channels int) Transform {
	if channels != 1 && channels != 3 {
		refuse(tensor.ErrValue, "num_output_channels should be either 1 or 3")
	}
	return func(x *tensor.Tensor, _ *tensor.Generator) *tensor.Tensor {
		y := gray(x)
		if channels == 1 {
			return y
		}
		return tensor.Cat([]*tensor.Tensor{y, y, y}, -3)
	}
}

// gray returns the luminance as one channel.
func gray(x *tensor.Tensor) *tensor.Tensor {
	switch channels, _, _ := size(x); channels {
	case 1:
		return x
	case 3:
	default:
		refuse(tensor.ErrShape, "Input image tensor permitted channel values are 1 or 3, but found %d", channels)
	}
	return computed(x, truncated, func(x *tensor.Tensor) *tensor.Tensor {
		channel := func(i int, weight float64) *tensor.Tensor { return x.Narrow(-3, i, 1).MulScalar(weight) }
		return channel(0, 0.2989).Add(channel(1, 0.587)).Add(channel(2, 0.114))
	})
}

// truncated leaves the rounding to the conversion to bytes, which cuts.
func truncated(x *tensor.Tensor) *tensor.Tensor { return x }

// blend returns ratio·x + (1-ratio)·other, within the limits of x's dtype.
func blend(x, other *tensor.Tensor, ratio float64) *tensor.Tensor {
	limit := 255.0
	if x.DType().IsFloat() {
		limit = 1
	}
	return computed(x, truncated, func(x *tensor.Tensor) *tensor.Tensor {
		return x.MulScalar(ratio).Add(other.To(x.DType()).MulScalar(1-ratio)).Clamp(0.0, limit)
	})
}

func brighter(x *tensor.Tensor, by float64) *tensor.Tensor { return blend(x, tensor.Zeros(1), by) }

func contrasted(x *tensor.Tensor, by float64) *tensor.Tensor {
	g := gray(x)
	if !g.DType().IsFloat() {
		g = g.Float()
	}
	return blend(x, g.MeanAxes([]int{-3, -2, -1}, tensor.KeepDim(true)), by)
}

func saturated(x *tensor.Tensor, by float64) *tensor.Tensor {
	if channels, _, _ := size(x); channels == 1 {
		return x
	}
	return blend(x, gray(x), by)
}

// shifted returns a picture whose hues are turned by a share of the circle.
func shifted(x *tensor.Tensor, by float64) *tensor.Tensor {
	channels, h, w := size(x)
	if channels == 1 {
		return x
	}
	if channels != 3 {
		refuse(tensor.ErrShape, "Input image tensor permitted channel values are 1 or 3, but found %d", channels)
	}
	y := ToFloat()(x, nil).To(dtype.Float32, tensor.Copy(true)).Contiguous()
	pixels, area := tensor.Data[float32](y), h*w
	for from := 0; from < len(pixels); from += 3 * area {
		r, g, b := pixels[from:from+area], pixels[from+area:from+2*area], pixels[from+2*area:from+3*area]
		for i := range area {
			r[i], g[i], b[i] = turned(r[i], g[i], b[i], float32(by))
		}
	}
	if x.DType().IsFloat() {
		return y.To(x.DType())
	}
	return y.MulScalar(255 + 1 - 1e-3).To(dtype.Uint8)
}

// turned turns the hue of a colour: to hue, saturation and value, and back.
func turned(r, g, b, by float32) (_, _, _ float32) {
	most, least := max(r, g, b), min(r, g, b)
	if most == least {
		return r, g, b
	}
	span := most - least
	saturation := span / most
	rc, gc, bc := (most-r)/span, (most-g)/span, (most-b)/span
	var hue float32
	switch most {
	case r:
		hue = bc - gc
	case g:
		hue = 2 + rc - bc
	default:
		hue = 4 + gc - rc
	}
	hue = fraction(fraction(hue/6+1) + by)
	sector := float32(math.Floor(float64(hue * 6)))
	f := float32(hue*6) - sector
	unit := func(v float32) float32 { return min(max(v, 0), 1) }
	p := unit(most * (1 - saturation))
	q := unit(most * (1 - float32(saturation*f)))
	t := unit(most * (1 - float32(saturation*(1-f))))
	switch int(sector) % 6 {
	case 0:
		return most, t, p
	case 1:
		return q, most, p
	case 2:
		return p, most, t
	case 3:
		return p, q, most
	case 4:
		return t, p, most
	}
	return most, p, q
}

// fraction is v modulo 1, from 0 on.
func fraction(v float32) float32 { return v - float32(math.Floor(float64(v))) }
