package vision

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cresset/tensor"
)

func encodedPNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// setAll fills a picture of 2x1.
func setAll(m interface {
	image.Image
	Set(x, y int, c color.Color)
}, left, right color.Color) image.Image {
	m.Set(0, 0, left)
	m.Set(1, 0, right)
	return m
}

func TestDecodeImage(t *testing.T) {
	two := image.Rect(0, 0, 2, 1)
	red, clear := color.NRGBA{255, 16, 0, 255}, color.NRGBA{1, 200, 3, 64}
	gray := setAll(image.NewGray(two), color.Gray{7}, color.Gray{250})
	deep := setAll(image.NewGray16(two), color.Gray16{0x1234}, color.Gray16{0xffff})
	opaque := setAll(image.NewRGBA(two), red, color.NRGBA{0, 0, 9, 255})
	alpha := setAll(image.NewNRGBA(two), red, clear)
	deepAlpha := setAll(image.NewNRGBA64(two), color.NRGBA64{0x1234, 0, 0xffff, 0x8000}, color.NRGBA64{1, 2, 3, 0xffff})
	palette := setAll(image.NewPaletted(two, color.Palette{color.NRGBA{9, 8, 7, 255}, red}), red, color.NRGBA{9, 8, 7, 255})
	clearPalette := setAll(image.NewPaletted(two, color.Palette{red, clear}), red, clear)
	for _, c := range []struct {
		name    string
		picture image.Image
		options []DecodeOption
		shape   []int
		want    []float64
	}{
		{"gray", gray, nil, []int{1, 1, 2}, []float64{7, 250}},
		{"gray as RGB", gray, []DecodeOption{RGB}, []int{3, 1, 2}, []float64{7, 250, 7, 250, 7, 250}},
		{"gray as RGBA", gray, []DecodeOption{RGBA}, []int{4, 1, 2}, []float64{7, 250, 7, 250, 7, 250, 255, 255}},
		{"16 bits", deep, nil, []int{1, 1, 2}, []float64{0x12, 255}},
		{"16 bits as floats", deep, []DecodeOption{Floats(true)}, []int{1, 1, 2}, []float64{float64(float32(0x1234) / 65535), 1}},
		{"RGB", opaque, nil, []int{3, 1, 2}, []float64{255, 0, 16, 0, 0, 9}},
		{"RGB as gray", opaque, []DecodeOption{Gray}, []int{1, 1, 2}, []float64{86, 1}}, // 0.299·255 + 0.587·16, 0.114·9
		{"alpha", alpha, nil, []int{4, 1, 2}, []float64{255, 1, 16, 200, 0, 3, 255, 64}},
		{"alpha left out", alpha, []DecodeOption{RGB}, []int{3, 1, 2}, []float64{255, 1, 16, 200, 0, 3}},
		{"alpha as floats", alpha, []DecodeOption{Floats(true), RGB}, []int{3, 1, 2}, []float64{1, f(1), f(16), f(200), 0, f(3)}},
		{"16 bits and alpha", deepAlpha, nil, []int{4, 1, 2}, []float64{0x12, 0, 0, 0, 255, 0, 0x80, 255}},
		{"palette", palette, nil, []int{3, 1, 2}, []float64{255, 9, 16, 8, 0, 7}},
		{"palette with alpha", clearPalette, nil, []int{4, 1, 2}, []float64{255, 1, 16, 200, 0, 3, 255, 64}},
	} {
		x, err := DecodeImage(bytes.NewReader(encodedPNG(t, c.picture)), c.options...)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got := tensor.Values[float64](x); !slices.Equal(x.Shape(), c.shape) || !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-7 }) {
			t.Errorf("%s: got %v of %v, want %v of %v", c.name, got, x.Shape(), c.want, c.shape)
		}
	}
}

// f is a byte as a float from 0 to 1.
func f(v int) float64 { return float64(v) / 255 }

func TestDecodeJPEGAndGIF(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 16, 8))
	for i := range m.Pix {
		m.Pix[i] = 200
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, m, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	x, err := DecodeImage(&file)
	if err != nil || !slices.Equal(x.Shape(), []int{3, 8, 16}) || x.Float().SubScalar(200).Abs().Max().Float64() > 1 {
		t.Errorf("JPEG: got %v, %v", x, err)
	}
	// The first frame is smaller than its canvas.
	frame := image.NewPaletted(image.Rect(1, 1, 3, 2), color.Palette{color.NRGBA{10, 20, 30, 255}})
	file.Reset()
	if err := gif.EncodeAll(&file, &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}, Config: image.Config{Width: 4, Height: 3}}); err != nil {
		t.Fatal(err)
	}
	x, err = DecodeImage(&file)
	if err != nil || !slices.Equal(x.Shape(), []int{4, 3, 4}) {
		t.Fatalf("GIF: got %v, %v", x, err)
	}
	if got, want := tensor.Values[int64](x.Select(0, 2)), []int64{0, 0, 0, 0, 0, 30, 30, 0, 0, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("GIF: blue is %v, want %v", got, want)
	}
}

// hugePNG is a PNG that says that it has so many pixels, and has none of them.
func hugePNG(t testing.TB) []byte {
	b := encodedPNG(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	copy(b[16:], []byte{0, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 0xff}) // width and height
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func TestDecodeRefuses(t *testing.T) {
	small := encodedPNG(t, image.NewGray(image.Rect(0, 0, 8, 8)))
	for _, c := range []struct {
		name    string
		file    []byte
		options []DecodeOption
		want    string
	}{
		{"nothing", nil, nil, "the file is empty"},
		{"text", []byte("<html>"), nil, "expected PNG, JPEG or GIF, but found a file that begins with 3c 68 74 6d"},
		{"too large", small, []DecodeOption{MaxPixels(63)}, "expected a picture of at most 63 pixels, but found 8x8"},
		{"cut off", small[:len(small)-20], nil, "png: invalid format: unexpected EOF"},
		{"a head alone", small[:20], nil, "the file ends before the picture does"},
		{"more than there is", hugePNG(t), nil, "expected a picture of at most 67108864 pixels, but found 16777215x16777215"},
	} {
		if _, err := DecodeImage(bytes.NewReader(c.file), c.options...); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	path := filepath.Join(t.TempDir(), "broken.png")
	if err := os.WriteFile(path, small[:20], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadImage(path); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("got %v", err)
	}
}

// FuzzDecodeImage wants an error or a picture within the limit, whatever the file says.
func FuzzDecodeImage(fz *testing.F) {
	fz.Add(encodedPNG(fz, image.NewNRGBA(image.Rect(0, 0, 3, 2))))
	fz.Add(hugePNG(fz))
	var file bytes.Buffer
	if err := jpeg.Encode(&file, image.NewGray(image.Rect(0, 0, 9, 9)), nil); err != nil {
		fz.Fatal(err)
	}
	fz.Add(slices.Clone(file.Bytes()))
	file.Reset()
	if err := gif.Encode(&file, image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.Black}), nil); err != nil {
		fz.Fatal(err)
	}
	fz.Add(file.Bytes())
	fz.Fuzz(func(t *testing.T, file []byte) {
		x, err := DecodeImage(bytes.NewReader(file), MaxPixels(10_000))
		if err == nil && (x.Dim() != 3 || x.Shape()[1]*x.Shape()[2] > 10_000 || x.NumEl() == 0) {
			t.Errorf("got a picture of %v", x.Shape())
		}
	})
}
