package checkpoint_test

import (
	"errors"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cresset/checkpoint"
	"cresset/tensor"
)

// TestDevicesAndPipesAreNoFiles does not wait for what never ends or never comes.
func TestDevicesAndPipesAreNoFiles(t *testing.T) {
	var format *checkpoint.FormatError
	if _, err := checkpoint.Open("/dev/zero"); !errors.As(err, &format) || format.Found != "a device" {
		t.Errorf("got %v for a device", err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := checkpoint.Open(pipe); !errors.As(err, &format) || format.Found != "a pipe" {
		t.Errorf("got %v for a pipe", err)
	}
}

// TestOnlyFilesAreReplaced writes to what is no file, by a link too: it stays.
func TestOnlyFilesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	pipe, socket, link := filepath.Join(dir, "pipe.pt"), filepath.Join(dir, "socket.pt"), filepath.Join(dir, "link.pt")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	symlink(t, pipe, link)
	good := map[string]*tensor.Tensor{"a": tensor.Ones(10), "b": tensor.Ones(10)}
	for path, want := range map[string]string{"/dev/null": "a device", pipe: "a pipe", socket: "a socket", link: "a pipe"} {
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int64{0, 40} {
			err := checkpoint.Write(path, good, checkpoint.Safetensors, checkpoint.ShardSize(size))
			if err == nil || err.Error() != "write "+path+": it is "+want {
				t.Errorf("%s, shards of %d: %v", path, size, err)
			}
		}
		if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s became %v, %v", path, after, err)
		}
	}
	if got := filesIn(t, dir); len(got) != 3 {
		t.Errorf("left: %q", got)
	}
}

// TestDiskFull writes more than the process may, which fails as on a full disk, and leaves the old file and nothing beside it.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.safetensors")
	good := map[string]*tensor.Tensor{"a": tensor.Of(1.5)}
	if err := checkpoint.Write(path, good); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 3 << 20, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
			t.Error(err)
		}
	}()
	large := map[string]*tensor.Tensor{"a": tensor.Ones(1 << 20), "b": tensor.Ones(100)}
	for _, opts := range [][]checkpoint.WriteOption{nil, {checkpoint.ShardSize(1 << 20)}} {
		if err := checkpoint.Write(path, large, opts...); !errors.Is(err, syscall.EFBIG) || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("got %v, want %v and the path that was given", err, syscall.EFBIG)
		}
		checkSame(t, path, good)
		if files := filesIn(t, dir); len(files) != 1 {
			t.Errorf("left: %q", files)
		}
	}
}

// TestFolderThatNobodyMayWriteTo is one that refuses root too.
func TestFolderThatNobodyMayWriteTo(t *testing.T) {
	if _, err := os.Stat("/sys/kernel"); err != nil {
		t.Skip(err)
	}
	err := checkpoint.Write("/sys/kernel/x.npz", map[string]*tensor.Tensor{"a": tensor.Of(1.5)})
	if !errors.Is(err, os.ErrPermission) && !errors.Is(err, syscall.EROFS) || !strings.HasPrefix(err.Error(), "write /sys/kernel/x.npz: ") {
		t.Errorf("got %v", err)
	}
	one := 1
	err = checkpoint.NewSnapshots("/sys/kernel").Save(checkpoint.Snapshot{"one": &one})
	if err == nil || !strings.HasPrefix(err.Error(), "write /sys/kernel: ") {
		t.Errorf("got %v for snapshots", err)
	}
}
