package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
)

// mostPixels bounds the memory that a picture may ask for.
const mostPixels = 64 << 20

// pictureFormats are those that are read, by how their files begin.
var pictureFormats = []struct {
	start  string
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}{
	{"\x89PNG", png.DecodeConfig, png.Decode},
	{"\xff\xd8", jpeg.DecodeConfig, jpeg.Decode},
}

// readPicture returns the pixels of a picture, gray and of another size, 0 for the ground to 255 for ink.
func readPicture(path string, height, width int, invert bool) ([]uint8, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	picture, err := decodePicture(f)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the file ends before the picture does")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return shrink(picture, height, width, invert), nil
}

func decodePicture(f io.ReadSeeker) (image.Image, error) {
	head, err := bufio.NewReader(f).Peek(4)
	if err != nil && len(head) == 0 {
		return nil, errors.New("the file is empty")
	}
	for _, format := range pictureFormats {
		if !bytes.HasPrefix(head, []byte(format.start)) {
			continue
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		config, err := format.config(f)
		if err != nil {
			return nil, err
		}
		if config.Width < 1 || config.Height < 1 || config.Width > mostPixels/config.Height {
			return nil, fmt.Errorf("expected a picture of at most %d pixels, but found %dx%d", mostPixels, config.Height, config.Width)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		return format.decode(f)
	}
	return nil, fmt.Errorf("expected PNG or JPEG, but found a file that begins with % x", head)
}

// shrink returns the mean brightness of the part of a picture that each pixel stands for; what is transparent is ground.
func shrink(picture image.Image, height, width int, invert bool) []uint8 {
	bounds, out := picture.Bounds(), make([]uint8, 0, height*width)
	part := func(i, n, size int) (from, to int) {
		from = i * size / n
		return from, max((i+1)*size/n, from+1)
	}
	for y := range height {
		top, bottom := part(y, height, bounds.Dy())
		for x := range width {
			left, right := part(x, width, bounds.Dx())
			sum := 0
			for v := top; v < bottom; v++ {
				for u := left; u < right; u++ {
					sum += ink(picture.At(bounds.Min.X+u, bounds.Min.Y+v), invert)
				}
			}
			out = append(out, uint8(sum/((bottom-top)*(right-left))))
		}
	}
	return out
}

// ink returns how much of it a pixel has, from 0 to 255.
func ink(c color.Color, invert bool) int {
	p := color.NRGBAModel.Convert(c).(color.NRGBA)
	gray := int(color.GrayModel.Convert(color.NRGBA{p.R, p.G, p.B, 255}).(color.Gray).Y)
	if invert {
		gray = 255 - gray
	}
	return gray * int(p.A) / 255
}
