package checkpoint

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// mappedFile returns an open file of so many bytes.
func mappedFile(t *testing.T, bytes []byte) *source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &source{path: path, file: f, size: int64(len(bytes))}
}

// TestMappedFileThatIsCutOff touches pages that the file had when it was mapped, from Go's copy of few bytes and of many: no page, no copy,
// and the process goes on.
func TestMappedFileThatIsCutOff(t *testing.T) {
	content := bytes.Repeat([]byte("elements"), 1<<20)
	s := mappedFile(t, content)
	const first, left = 1000, 3 << 20
	m := mapFile(s, first, int64(len(content)-first))
	defer m.close()
	if m.pages == nil {
		t.Fatal("the file is not mapped")
	}
	if err := os.Truncate(s.path, left); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 100, 5000, 1 << 20, 3 << 20} {
		p := make([]byte, n)
		if at := left - first - n; at >= 0 && (!m.copy(p, at) || !bytes.Equal(p, content[first+at:][:n])) {
			t.Errorf("%d bytes before the end are not those of the file", n)
		}
		for _, at := range []int{left, left - first - n + 4096} {
			if m.copy(p, at) {
				t.Errorf("%d bytes from byte %d on were copied, of a file that ends at byte %d", n, first+at, left)
			}
		}
	}
	if debug.SetPanicOnFault(false) {
		t.Error("faults of this goroutine still panic")
	}
	var format *FormatError
	err := (&store{bytes: int64(len(content)), at: s}).copy(io.Discard, 0, int64(len(content)), 1)
	if !errors.As(err, &format) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("reading on gives %v, want a FormatError about the end", err)
	}
}

// TestWhatCannotBeMapped is read: a file that was closed, which says so then.
func TestWhatCannotBeMapped(t *testing.T) {
	s := mappedFile(t, make([]byte, 4*partBytes))
	s.file.Close()
	if m := mapFile(s, 0, partBytes); m.pages != nil {
		t.Error("a closed file is mapped")
	}
	if err := (&store{bytes: 4 * partBytes, at: s}).copy(io.Discard, 0, 4*partBytes, 1); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v, want %v", err, os.ErrClosed)
	}
}

// TestPartsOfFiles reads from places and of sizes around those where a file is cut into parts.
func TestPartsOfFiles(t *testing.T) {
	content := make([]byte, 3*partBytes+5000)
	for i := range content {
		content[i] = byte(i ^ i>>8 ^ i>>16)
	}
	s := mappedFile(t, content)
	for _, first := range []int{0, 1, 4095, 4096, partBytes - 1, partBytes, partBytes + 1} {
		for _, n := range []int{partBytes - 1, partBytes, partBytes + 1, 2*partBytes - 1, 2 * partBytes} {
			want := content[first:][:n]
			sum := &checksum{member: &member{sum: updateSum(0, want)}, source: s}
			in, err := (&store{bytes: int64(n), at: s, first: int64(first), sum: sum}).from(0)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, n)
			if err := in.next(got); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes from byte %d on: error %v, the same bytes: %v", n, first, err, bytes.Equal(got, want))
			}
		}
	}
}
