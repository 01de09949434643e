package checkpoint_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/tensor"
)

// TestFileThatIsCutOffWhileOpen reads what is left, and says of the rest that the file ends.
func TestFileThatIsCutOffWhileOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	given := map[string]*tensor.Tensor{"a": tensor.Ones(1 << 20), "b": tensor.Ones(1 << 20)}
	if err := checkpoint.Write(path, given); err != nil {
		t.Fatal(err)
	}
	f, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 5<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Tensor("a"); err != nil {
		t.Error(err)
	}
	var format *checkpoint.FormatError
	if _, err := f.Tensor("b"); !errors.As(err, &format) || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "the end of the file") {
		t.Errorf("got %v, want a FormatError about the end", err)
	}
}

// TestFileThatIsReplacedWhileOpen goes on to read the file that was opened.
func TestFileThatIsReplacedWhileOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	given := map[string]*tensor.Tensor{"a": tensor.Of([]float32{1, 2})}
	if err := checkpoint.Write(path, given); err != nil {
		t.Fatal(err)
	}
	f, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Write(path, map[string]*tensor.Tensor{"b": tensor.Of(1.5)}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if x, err := f.Tensor("a"); err != nil || tensor.Data[float32](x)[1] != 2 {
		t.Errorf("got %v, %v", x, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Tensor("a"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v after Close", err)
	}
}

// TestPathsThatAreNoFiles says what is there in place of a file.
func TestPathsThatAreNoFiles(t *testing.T) {
	dir := t.TempDir()
	loop := filepath.Join(dir, "loop.safetensors")
	if err := os.Symlink(loop, loop); err != nil {
		t.Skip(err)
	}
	if _, err := checkpoint.Open(loop); err == nil || !strings.Contains(err.Error(), loop) {
		t.Errorf("got %v for a link to itself", err)
	}
	if _, err := checkpoint.Open(filepath.Join(dir, "none.pt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v for a file that is not there", err)
	}
}

// TestWritesThatFail leaves the old file and nothing beside it.
func TestWritesThatFail(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.npz")
	good := map[string]*tensor.Tensor{"a": tensor.Of(1.5)}
	if err := checkpoint.Write(path, good); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]map[string]*tensor.Tensor{
		"dtype": {"a": tensor.Of(2.5), "b": tensor.Ones(2).BFloat16()},
		"name":  {"a": tensor.Of(2.5), "../b": tensor.Ones(2)},
		"nil":   {"a": tensor.Of(2.5), "b": nil},
	} {
		if err := checkpoint.Write(path, bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := checkpoint.Write(filepath.Join(dir, "x.txt"), good); err == nil || !strings.Contains(err.Error(), ".safetensors, .pt") {
		t.Errorf("an unknown extension: %v", err)
	}
	checkSame(t, path, good)
	if files := filesIn(t, dir); !slices.Equal(files, []string{"x.npz"}) {
		t.Errorf("left: %q", files)
	}
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestFoldersThatRefuse writes to folders that are missing or read-only, and over a folder. The error names the path that was given.
func TestFoldersThatRefuse(t *testing.T) {
	good := map[string]*tensor.Tensor{"a": tensor.Of(1.5)}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "x.pt"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "none", "x.npz"), filepath.Join(dir, "x.pt")} {
		if err := checkpoint.Write(path, good); err == nil || !strings.HasPrefix(err.Error(), "write "+path+": ") {
			t.Errorf("got %v, want an error about %s", err, path)
		}
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Write(filepath.Join(dir, "x.npz"), good); !errors.Is(err, os.ErrPermission) {
		t.Errorf("a read-only folder: %v", err)
	}
}

// TestModesOfFilesStay writes over a file that others must not read.
func TestModesOfFilesStay(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	path := filepath.Join(t.TempDir(), "x.safetensors")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Write(path, map[string]*tensor.Tensor{"a": tensor.Ones(2)}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode(); got != 0o600 {
		t.Errorf("the file's mode became %v", got)
	}
}
