package cli

import (
	"image/color"

	"cresset/tensor"
	"cresset/vision"
)

// readPicture returns the pixels of a picture, gray and of another size, 0 for the ground to 255 for ink.
func readPicture(path string, height, width int, invert bool) ([]uint8, error) {
	picture, err := vision.ReadImage(path, vision.RGBA)
	if err != nil {
		return nil, err
	}
	return shrink(picture, height, width, invert), nil
}

// shrink returns the mean brightness of the part of a picture [4, h, w] that each pixel stands for; what is transparent is ground.
func shrink(picture *tensor.Tensor, height, width int, invert bool) []uint8 {
	pixels, h, w := tensor.Data[uint8](picture), picture.Shape()[1], picture.Shape()[2]
	at := func(y, x int) color.NRGBA {
		i := y*w + x
		return color.NRGBA{R: pixels[i], G: pixels[h*w+i], B: pixels[2*h*w+i], A: pixels[3*h*w+i]}
	}
	part := func(i, n, size int) (from, to int) {
		from = i * size / n
		return from, max((i+1)*size/n, from+1)
	}
	out := make([]uint8, 0, height*width)
	for y := range height {
		top, bottom := part(y, height, h)
		for x := range width {
			left, right := part(x, width, w)
			sum := 0
			for v := top; v < bottom; v++ {
				for u := left; u < right; u++ {
					sum += ink(at(v, u), invert)
				}
			}
			out = append(out, uint8(sum/((bottom-top)*(right-left))))
		}
	}
	return out
}

// ink returns how much of it a pixel has, from 0 to 255.
func ink(p color.NRGBA, invert bool) int {
	gray := int(color.GrayModel.Convert(color.NRGBA{p.R, p.G, p.B, 255}).(color.Gray).Y)
	if invert {
		gray = 255 - gray
	}
	return gray * int(p.A) / 255
}
