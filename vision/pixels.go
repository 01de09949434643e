package vision

import (
	"image"
	"image/color"

	"cresset/tensor"
)

// tensor returns the pixels, channel by channel.
func (d *decoding) tensor(picture image.Image) *tensor.Tensor {
	mode := d.mode
	if mode == Unchanged {
		mode = modeOf(picture)
	}
	b := picture.Bounds()
	channels := map[Mode]int{Gray: 1, RGB: 3, RGBA: 4}[mode]
	if d.floats {
		out := make([]float32, channels*b.Dx()*b.Dy())
		planes(out, picture, mode, func(v uint16) float32 { return float32(v) / 0xffff })
		return tensor.FromSlice(out, channels, b.Dy(), b.Dx())
	}
	out := make([]uint8, channels*b.Dx()*b.Dy())
	planes(out, picture, mode, func(v uint16) uint8 { return uint8((uint32(v) + 128) / 257) })
	return tensor.FromSlice(out, channels, b.Dy(), b.Dx())
}

// modeOf returns the channels that a picture has by its type.
func modeOf(picture image.Image) Mode {
	switch m := picture.(type) {
	case *image.Gray, *image.Gray16:
		return Gray
	case *image.NRGBA, *image.NRGBA64, framed:
		return RGBA
	case *image.Paletted:
		for _, c := range m.Palette {
			if _, _, _, a := c.RGBA(); a != 0xffff {
				return RGBA
			}
		}
	}
	return RGB
}

// planes fills out with the channels of a picture, one after another.
func planes[T any](out []T, picture image.Image, mode Mode, convert func(uint16) T) {
	at, b := pixelsOf(picture), picture.Bounds()
	area := b.Dx() * b.Dy()
	i := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			p := at(x, y)
			if mode == Gray {
				out[i] = convert(luminance(p))
			} else {
				out[i], out[area+i], out[2*area+i] = convert(p.R), convert(p.G), convert(p.B)
			}
			if mode == RGBA {
				out[3*area+i] = convert(p.A)
			}
			i++
		}
	}
}

// luminance is exact where a pixel is gray.
func luminance(p color.NRGBA64) uint16 {
	return uint16((19595*uint64(p.R) + 38470*uint64(p.G) + 7471*uint64(p.B) + 1<<15) >> 16)
}

// pixelsOf returns the function that reads a pixel. Eight bits v stand for 257·v of sixteen; colours are not multiplied by alpha.
func pixelsOf(picture image.Image) func(x, y int) color.NRGBA64 {
	eight := func(r, g, b, a uint8) color.NRGBA64 {
		return color.NRGBA64{R: uint16(r) * 257, G: uint16(g) * 257, B: uint16(b) * 257, A: uint16(a) * 257}
	}
	switch m := picture.(type) {
	case *image.Gray:
		return func(x, y int) color.NRGBA64 {
			v := m.Pix[m.PixOffset(x, y)]
			return eight(v, v, v, 0xff)
		}
	case *image.YCbCr:
		return func(x, y int) color.NRGBA64 {
			chroma := m.COffset(x, y)
			r, g, b := color.YCbCrToRGB(m.Y[m.YOffset(x, y)], m.Cb[chroma], m.Cr[chroma])
			return eight(r, g, b, 0xff)
		}
	case *image.NRGBA:
		return func(x, y int) color.NRGBA64 {
			p := m.Pix[m.PixOffset(x, y):]
			return eight(p[0], p[1], p[2], p[3])
		}
	case *image.NRGBA64:
		return m.NRGBA64At
	case *image.Paletted:
		table := make([]color.NRGBA64, len(m.Palette))
		for i, c := range m.Palette {
			table[i] = straight(c)
		}
		return func(x, y int) color.NRGBA64 { return table[m.ColorIndexAt(x, y)] }
	case framed:
		inner, b := pixelsOf(m.Image), m.Image.Bounds()
		return func(x, y int) color.NRGBA64 {
			if !(image.Point{X: x, Y: y}).In(b) {
				return color.NRGBA64{}
			}
			return inner(x, y)
		}
	}
	return func(x, y int) color.NRGBA64 { return straight(picture.At(x, y)) }
}

// straight returns a colour that is not multiplied by its alpha; eight bits that are not either stay as they are.
func straight(c color.Color) color.NRGBA64 {
	if p, ok := c.(color.NRGBA); ok {
		return color.NRGBA64{R: uint16(p.R) * 257, G: uint16(p.G) * 257, B: uint16(p.B) * 257, A: uint16(p.A) * 257}
	}
	return color.NRGBA64Model.Convert(c).(color.NRGBA64)
}
