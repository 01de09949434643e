package vision

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"

	"cresset/tensor"
)

// Mode says which channels a picture that is read has. It is an option of ReadImage, DecodeImage and ReadFolder.
type Mode uint8

const (
	// Unchanged takes the channels of the file: one for gray, four where there may be transparency, else three.
	Unchanged Mode = iota
	// Gray takes the luminance 0.299·R + 0.587·G + 0.114·B.
	Gray
	// RGB leaves transparency out.
	RGB
	// RGBA gives what has no transparency an alpha of 255.
	RGBA
)

// String returns the mode's name.
func (m Mode) String() string { return [...]string{"Unchanged", "Gray", "RGB", "RGBA"}[m] }

// DecodeOption is an option of ReadImage and DecodeImage: a Mode, or one of those below.
type DecodeOption interface{ decode(*decoding) }

type decoding struct {
	mode   Mode
	most   int
	floats bool
}

type decodeOption func(*decoding)

func (f decodeOption) decode(d *decoding) { f(d) }
func (m Mode) decode(d *decoding)         { d.mode = m }

// MaxPixels is how many pixels a picture may have, 2**26 unless given.
func MaxPixels(n int) DecodeOption { return decodeOption(func(d *decoding) { d.most = n }) }

// Floats gives float32 from 0 to 1, with the precision of files that have 16 bits for each channel. Unless given these are rounded to
// eight.
func Floats(on bool) DecodeOption { return decodeOption(func(d *decoding) { d.floats = on }) }

// formats are those that are read, by how their files begin.
var formats = []struct {
	name, start string
	config      func(io.Reader) (image.Config, error)
	decode      func(io.Reader) (image.Image, error)
}{
	{"PNG", "\x89PNG", png.DecodeConfig, png.Decode},
	{"JPEG", "\xff\xd8", jpeg.DecodeConfig, jpeg.Decode},
	{"GIF", "GIF8", gif.DecodeConfig, gif.Decode},
}

// ReadImage reads a picture from a PNG, JPEG or GIF file, of a GIF the first frame, as uint8 [channels, height, width]. Orientation
// that a camera notes in EXIF is left out, and colours of JPEG files are not smoothed between their pixels.
func ReadImage(path string, opts ...DecodeOption) (*tensor.Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	x, err := DecodeImage(f, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return x, nil
}

// DecodeImage is ReadImage of a stream.
func DecodeImage(r io.Reader, opts ...DecodeOption) (*tensor.Tensor, error) {
	d := decoding{most: 1 << 26}
	for _, option := range opts {
		option.decode(&d)
	}
	picture, err := d.picture(r)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = errors.New("the file ends before the picture does")
	}
	if err != nil {
		return nil, err
	}
	return d.tensor(picture), nil
}

// picture decodes a picture whose size it has checked.
func (d *decoding) picture(r io.Reader) (image.Image, error) {
	buffered := bufio.NewReader(r)
	start, err := buffered.Peek(4)
	if len(start) == 0 && err == io.EOF {
		return nil, errors.New("the file is empty")
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	for _, format := range formats {
		if !bytes.HasPrefix(start, []byte(format.start)) {
			continue
		}
		var head bytes.Buffer
		config, err := format.config(io.TeeReader(buffered, &head))
		if err != nil {
			return nil, err
		}
		if config.Width < 1 || config.Height < 1 || config.Width > d.most/config.Height {
			return nil, fmt.Errorf("expected a picture of at most %d pixels, but found %dx%d", d.most, config.Height, config.Width)
		}
		picture, err := format.decode(io.MultiReader(&head, buffered))
		if err != nil {
			return nil, err
		}
		return onCanvas(picture, config.Width, config.Height), nil
	}
	return nil, fmt.Errorf("expected PNG, JPEG or GIF, but found a file that begins with % x", start)
}

// onCanvas returns a frame as it lies on its canvas, transparent where the frame is not.
func onCanvas(frame image.Image, width, height int) image.Image {
	canvas := image.Rect(0, 0, width, height)
	if frame.Bounds() == canvas {
		return frame
	}
	return framed{frame, canvas}
}

type framed struct {
	image.Image
	canvas image.Rectangle
}

func (f framed) Bounds() image.Rectangle { return f.canvas }
