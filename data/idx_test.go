package data

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"cresset/dtype"
)

// idxBytes encodes an IDX file: the element type's code, the shape, and data in big-endian order.
func idxBytes(code byte, shape []uint32, data any) []byte {
	b := []byte{0, 0, code, byte(len(shape))}
	for _, size := range shape {
		b = binary.BigEndian.AppendUint32(b, size)
	}
	b, err := binary.Append(b, binary.BigEndian, data)
	if err != nil {
		panic(err)
	}
	return b
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func TestReadIDX(t *testing.T) {
	cases := []struct {
		name  string
		code  byte
		dtype dtype.DType
		shape []uint32
		data  any
	}{
		{"uint8", 0x08, dtype.Uint8, []uint32{2, 3}, []uint8{0, 1, 2, 253, 254, 255}},
		{"int8", 0x09, dtype.Int8, []uint32{3}, []int8{-128, 0, 127}},
		{"int16", 0x0b, dtype.Int16, []uint32{3}, []int16{math.MinInt16, 258, math.MaxInt16}},
		{"int32", 0x0c, dtype.Int32, []uint32{1, 3, 1}, []int32{math.MinInt32, 16909060, math.MaxInt32}},
		{"float32", 0x0d, dtype.Float32, []uint32{2}, []float32{-1.5, math.MaxFloat32}},
		{"float64", 0x0e, dtype.Float64, []uint32{2, 1}, []float64{math.Pi, math.Inf(-1)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			plain := idxBytes(c.code, c.shape, c.data)
			for _, file := range [][]byte{plain, gzipped(plain)} {
				got, err := ReadIDX(iotest.OneByteReader(bytes.NewReader(file)))
				if err != nil {
					t.Fatal(err)
				}
				if got.DType != c.dtype || len(got.Shape) != len(c.shape) {
					t.Errorf("got %v %v, want %v %v", got.DType, got.Shape, c.dtype, c.shape)
				}
				for axis, size := range got.Shape {
					if uint32(size) != c.shape[axis] {
						t.Errorf("axis %d: got size %d, want %d", axis, size, c.shape[axis])
					}
				}
				if !reflect.DeepEqual(got.Data, c.data) {
					t.Errorf("got %v, want %v", got.Data, c.data)
				}
			}
		})
	}
}

func TestReadIDXRefuses(t *testing.T) {
	good := idxBytes(0x08, []uint32{2, 2}, []uint8{1, 2, 3, 4})
	checksum := gzipped(good)
	checksum[len(checksum)-8] ^= 1
	flate := gzipped(good)
	flate[10] = 0xff
	cases := []struct {
		name   string
		file   []byte
		offset int64
		want   string
	}{
		{"empty", nil, 0, "ends 4 bytes short of the 4 expected"},
		{"cut in magic", good[:3], 3, "ends 1 bytes short"},
		{"cut in shape", good[:9], 9, "ends 3 bytes short of the 8 expected from offset 4"},
		{"cut in data", good[:14], 14, "ends 2 bytes short of the 4 expected from offset 12"},
		{"more bytes", append(good[:16:16], 0), 16, "more bytes follow"},
		{"text", []byte("<!DOCTYPE html>"), 0, "not an IDX file: it begins with 3c 21 44 4f"},
		{"type", idxBytes(0x0a, []uint32{1}, []uint8{1}), 2, "unknown element type 0x0a"},
		{"no axis", idxBytes(0x08, nil, []uint8{1}), 3, "the number of axes is 0"},
		{"empty axis", idxBytes(0x08, []uint32{2, 0}, []uint8{}), 8, "axis 1 has size 0"},
		{"axis beyond int32", idxBytes(0x08, []uint32{1 << 31}, []uint8{1}), 4, "axis 0 has size 2147483648: too many elements"},
		{"product beyond int", idxBytes(0x0e, []uint32{1 << 30, 1 << 30, 1 << 30}, []uint8{1}), 8, "too many elements"},
		{"lying size", idxBytes(0x08, []uint32{1 << 30, 1 << 10}, []uint8{1, 2}), 14, "ends 1099511627774 bytes short"},
		{"gzip header", []byte{0x1f, 0x8b, 9, 9, 9, 9, 9, 9, 9, 9, 9}, 0, "broken gzip header: gzip: invalid header"},
		{"gzip cut", gzipped(good)[:15], 4, "the file ends 8 bytes short of the 8 expected"},
		{"gzip checksum", checksum, 16, "gzip: invalid checksum"},
		{"gzip data", flate, 0, "flate: corrupt input"},
		{"gzip followed by more", append(gzipped(good), 7), 16, "cannot read on: unexpected EOF"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadIDX(bytes.NewReader(c.file))
			var format *FormatError
			if !errors.As(err, &format) {
				t.Fatalf("got %v, want a *FormatError", err)
			}
			if !strings.Contains(err.Error(), c.want) || format.Offset != c.offset {
				t.Errorf("got %q at offset %d, want %q at %d", err, format.Offset, c.want, c.offset)
			}
		})
	}
}

func TestReadIDXAllocatesWhatArrives(t *testing.T) {
	file := idxBytes(0x08, []uint32{1 << 20, 1 << 20}, make([]uint8, 3<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := ReadIDX(bytes.NewReader(file)); err == nil {
		t.Fatal("got no error")
	}
	runtime.ReadMemStats(&after)
	// Buffers of 1, 2 and 4 MiB for the 3 MiB that are there, not the terabyte that the header claims.
	if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 {
		t.Errorf("allocated %d bytes for %d", got, len(file))
	}
}

func TestReadIDXPassesOtherErrors(t *testing.T) {
	_, err := ReadIDX(iotest.ErrReader(os.ErrPermission))
	if !errors.Is(err, os.ErrPermission) || errors.As(err, new(*FormatError)) {
		t.Errorf("got %v, want the reader's own error", err)
	}
}

func TestReadIDXFileFindsGzip(t *testing.T) {
	dir := t.TempDir()
	plain := idxBytes(0x08, []uint32{1}, []uint8{7})
	write(t, dir, "plain", plain)
	write(t, dir, "packed.gz", gzipped(plain))
	write(t, dir, "misnamed.gz", plain)
	for _, name := range []string{"plain", "plain.gz", "packed", "packed.gz", "misnamed.gz"} {
		x, err := ReadIDXFile(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := x.Data.([]uint8)[0]; got != 7 {
			t.Errorf("%s: got %d, want 7", name, got)
		}
	}
	if _, err := ReadIDXFile(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: got %v", err)
	}
	write(t, dir, "bad", plain[:5])
	want := filepath.Join(dir, "bad") + ":offset 5: the file ends"
	if _, err := ReadIDXFile(filepath.Join(dir, "bad")); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("bad: got %v, want %s...", err, want)
	}
}

func write(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func FuzzReadIDX(f *testing.F) {
	for _, code := range []byte{0x08, 0x09, 0x0b, 0x0c, 0x0d, 0x0e} {
		file := idxBytes(code, []uint32{1, 2}, make([]byte, 16))
		f.Add(file)
		f.Add(gzipped(file))
	}
	f.Add(idxBytes(0x08, []uint32{math.MaxUint32, math.MaxUint32, 3}, []byte{1}))
	f.Fuzz(func(t *testing.T, file []byte) {
		x, err := ReadIDX(bytes.NewReader(file))
		if err != nil {
			if !errors.As(err, new(*FormatError)) {
				t.Fatalf("%T is not a *FormatError: %v", err, err)
			}
			return
		}
		elems := 1
		for _, size := range x.Shape {
			elems *= size
		}
		if got := reflect.ValueOf(x.Data).Len(); got != elems || elems == 0 {
			t.Fatalf("shape %v has %d elements, data has %d", x.Shape, elems, got)
		}
	})
}
