package vision

import "cresset/tensor"

// JitterOption is an option of ColorJitter.
type JitterOption func(*jitter)

// jitter has the limits of each factor, in the order in which they are drawn; of what is not asked for both are nil.
type jitter struct{ limits [4]*[2]float64 }

// Brightness draws a factor from 1-v to 1+v, and not below 0.
func Brightness(v float64) JitterOption { return factorAround(0, "brightness", v) }

// Contrast draws a factor from 1-v to 1+v, and not below 0.
func Contrast(v float64) JitterOption { return factorAround(1, "contrast", v) }

// Saturation draws a factor from 1-v to 1+v, and not below 0.
func Saturation(v float64) JitterOption { return factorAround(2, "saturation", v) }

// Hue draws what is added to hues, from -v to v; v is from 0 to 0.5, and the circle is 1.
func Hue(v float64) JitterOption {
	if !(v >= 0 && v <= 0.5) {
		refuse(tensor.ErrValue, "hue values should be between (-0.5, 0.5), but got %v", v)
	}
	return within(3, -v, v, 0)
}

func factorAround(i int, name string, v float64) JitterOption {
	if !(v >= 0) {
		refuse(tensor.ErrValue, "If %s is a single number, it must be non negative.", name)
	}
	return within(i, max(0, 1-v), 1+v, 1)
}

// within sets limits, unless they leave nothing but what changes nothing.
func within(i int, low, high, nothing float64) JitterOption {
	return func(j *jitter) {
		j.limits[i] = &[2]float64{low, high}
		if low == nothing && high == nothing {
			j.limits[i] = nil
		}
	}
}

// ColorJitter returns a transform that changes brightness, contrast, saturation and hue at random, in a random order.
func ColorJitter(opts ...JitterOption) Transform {
	var j jitter
	for _, set := range opts {
		set(&j)
	}
	change := [4]func(x *tensor.Tensor, by float64) *tensor.Tensor{brighter, contrasted, saturated, shifted}
	return func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor {
		order := tensor.Values[int64](tensor.Place{}.With(g).RandPerm(4))
		var by [4]float64
		for i, limits := range j.limits {
			if limits != nil {
				by[i] = between(limits[0], limits[1], g)
			}
		}
		for _, i := range order {
			if j.limits[i] != nil {
				x = change[i](x, by[i])
			}
		}
		return x
	}
}
