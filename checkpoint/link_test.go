package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cresset/checkpoint"
	"cresset/tensor"
)

// symlink makes a link, whose target is a path from the link's folder on unless it is absolute.
func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
}

// folders returns two empty folders in one.
func folders(t *testing.T) (real, links string) {
	t.Helper()
	dir := t.TempDir()
	real, links = filepath.Join(dir, "real"), filepath.Join(dir, "links")
	for _, d := range []string{real, links} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return real, links
}

// TestWriteFollowsLinks writes the file that a link leads to, by way of others, and leaves the links.
func TestWriteFollowsLinks(t *testing.T) {
	real, links := folders(t)
	file, first := filepath.Join(real, "x.safetensors"), filepath.Join(links, "latest.safetensors")
	symlink(t, filepath.Join("..", "real", "x.safetensors"), filepath.Join(links, "second.safetensors"))
	symlink(t, "second.safetensors", first)
	for _, v := range []float32{1, 2} { // at first the file is not there
		want := map[string]*tensor.Tensor{"a": tensor.Of(v)}
		if err := checkpoint.Write(first, want); err != nil {
			t.Fatal(err)
		}
		checkSame(t, file, want)
		checkSame(t, first, want)
		if info, err := os.Lstat(first); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link became %v, %v", info, err)
		}
		if got := append(filesIn(t, real), filesIn(t, links)...); !slices.Equal(got, []string{"x.safetensors", "latest.safetensors", "second.safetensors"}) {
			t.Errorf("left: %q", got)
		}
	}
}

// TestWriteBehindALinkedFolder writes to ".." of a folder that a link leads to, which is not the link's own.
func TestWriteBehindALinkedFolder(t *testing.T) {
	real, links := folders(t)
	inner := filepath.Join(real, "inner")
	if err := os.Mkdir(inner, 0o777); err != nil {
		t.Fatal(err)
	}
	symlink(t, inner, filepath.Join(links, "inner"))
	want := map[string]*tensor.Tensor{"a": tensor.Ones(2)}
	if err := checkpoint.Write(links+"/inner/../x.npz", want); err != nil {
		t.Fatal(err)
	}
	checkSame(t, filepath.Join(real, "x.npz"), want)
}

// TestWriteRefusesLoopsOfLinks names the path, and writes nothing.
func TestWriteRefusesLoopsOfLinks(t *testing.T) {
	_, links := folders(t)
	loop := filepath.Join(links, "a.pt")
	symlink(t, "b.pt", loop)
	symlink(t, "a.pt", filepath.Join(links, "b.pt"))
	err := checkpoint.Write(loop, map[string]*tensor.Tensor{"a": tensor.Ones(2)})
	if !errors.Is(err, syscall.ELOOP) || !strings.HasPrefix(err.Error(), "write "+loop+": ") {
		t.Errorf("got %v", err)
	}
	if got := filesIn(t, links); len(got) != 2 {
		t.Errorf("left: %q", got)
	}
}

// TestWriteToLongNames writes files whose names are as long as names may be.
func TestWriteToLongNames(t *testing.T) {
	for _, name := range []string{strings.Repeat("x", 252) + ".pt", strings.Repeat("ü", 126) + ".pt"} {
		path := filepath.Join(t.TempDir(), name)
		want := map[string]*tensor.Tensor{"a": tensor.Ones(2)}
		if err := checkpoint.Write(path, want); err != nil {
			t.Fatal(err)
		}
		checkSame(t, path, want)
	}
}
