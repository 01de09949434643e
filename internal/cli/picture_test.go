package cli

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cresset/tensor"
)

func TestShrink(t *testing.T) {
	white := []uint8{255, 255, 0, 0, 0, 0, 0, 0} // 2 rows of 4
	alpha := []uint8{255, 128, 0, 0, 0, 0, 0, 255}
	p := tensor.FromSlice(slices.Concat(white, white, white, alpha), 4, 2, 4)
	for _, c := range []struct {
		height, width int
		invert        bool
		want          []uint8
	}{
		{1, 1, false, []uint8{(255 + 128) / 8}},
		{2, 2, false, []uint8{(255 + 128) / 2, 0, 0, 0}},
		{2, 2, true, []uint8{0, 0, 0, 127}},
		{4, 4, false, []uint8{255, 128, 0, 0, 255, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
	} {
		if got := shrink(p, c.height, c.width, c.invert); !slices.Equal(got, c.want) {
			t.Errorf("%dx%d: got %v, want %v", c.height, c.width, got, c.want)
		}
	}
}

// TestHugePicture claims a billion pixels in a file of some bytes.
func TestHugePicture(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	header := file[12:29] // IHDR and its data
	binary.BigEndian.PutUint32(header[4:], 1<<15)
	binary.BigEndian.PutUint32(header[8:], 1<<15)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(header))
	path := filepath.Join(t.TempDir(), "huge.png")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readPicture(path, 8, 8, false); err == nil || !strings.Contains(err.Error(), "huge.png: expected a picture of at most 67108864 pixels, but found 32768x32768") {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(path, file[:20], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readPicture(path, 8, 8, false); err == nil || !strings.Contains(err.Error(), "huge.png: the file ends before the picture does") {
		t.Errorf("cut: got %v", err)
	}
}
