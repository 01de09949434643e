package lzma

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pattern is n bytes of literals, matches near and far, and repeated ones.
func pattern(n, seed int) []byte {
	out := []byte{}
	for x := uint32(seed); len(out) < n; {
		x = x*1664525 + 1013904223
		switch k := int(x >> 24); {
		case k < 90:
			out = append(out, byte(k))
		case k < 200 && len(out) > 0:
			back := min(int(x>>8&0xffff)>>(k%13), len(out)-1) + 1
			for range 2 + k%40*(1+k%3) {
				out = append(out, out[len(out)-back])
			}
		case len(out) > 0:
			back := min(7, len(out))
			out = append(out, out[len(out)-1])
			out = append(out, out[len(out)-back:]...)
		default:
			out = append(out, 'A')
		}
	}
	return out[:n]
}

// files are what Python's lzma module (liblzma 5) makes of patterns, with the parameters that a name tells.
func files(t testing.TB) map[string][]byte {
	names, err := filepath.Glob("testdata/*.lzma")
	if err != nil || len(names) == 0 {
		t.Fatal("no files", err)
	}
	all := map[string][]byte{}
	for _, name := range names {
		packed, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = packed
	}
	return all
}

func TestDecode(t *testing.T) {
	for name, packed := range files(t) {
		var lc, lp, pb, n int
		if _, err := fmt.Sscanf(name, "lc%d_lp%d_pb%d_%d.lzma", &lc, &lp, &pb, &n); err != nil {
			t.Fatal(name, err)
		}
		want := pattern(n, n+lc)
		if got, err := Decode(packed); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v, want %d bytes", name, len(got), err, n)
		}
		sized := bytes.Clone(packed) // the size in the header instead of a mark at the end
		binary.LittleEndian.PutUint64(sized[5:], uint64(n))
		if got, err := Decode(sized); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s with its size: %d bytes, %v", name, len(got), err)
		}
		binary.LittleEndian.PutUint64(sized[5:], uint64(n+1))
		if _, err := Decode(sized); err == nil {
			t.Errorf("%s with another size: no error", name)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, packed := range files(t) {
		for n := range len(packed) - 1 {
			if _, err := Decode(packed[:n]); err == nil || !strings.HasPrefix(err.Error(), "lzma: ") {
				t.Fatalf("%s cut off after %d bytes: %v", name, n, err)
			}
		}
	}
	if _, err := Decode([]byte("\xff is not an .lzma file")); err == nil {
		t.Error("took properties that there are not")
	}
}

// FuzzDecode wants errors, and no panic, of what is no file.
func FuzzDecode(f *testing.F) {
	for _, packed := range files(f) {
		f.Add(packed)
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		if len(packed) > 64 {
			packed = packed[:64] // a byte can stand for thousands
		}
		_, _ = Decode(packed)
	})
}
