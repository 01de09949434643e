//go:build unix && !solaris && !aix

package reserve

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"cresset/internal/filelock"
	"cresset/internal/hardware"
)

// TestHostileFiles: what another user lays into the common folder is neither followed nor waited for nor written.
func TestHostileFiles(t *testing.T) {
	alone(t)
	os.Unsetenv(hardware.Variable)
	dir := t.TempDir()
	t.Setenv(Variable, dir)
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "GPU-1.lock")
	for what, lay := range map[string]func() error{
		"a link":        func() error { return os.Symlink(victim, path) },
		"a second name": func() error { return os.Link(victim, path) },
		"a pipe":        func() error { return unix.Mkfifo(path, 0o600) },
		"a folder":      func() error { return os.Mkdir(path, 0o700) },
	} {
		if err := lay(); err != nil {
			t.Fatal(err)
		}
		if _, err := take("GPU-1"); err == nil {
			t.Errorf("%s: got no error", what)
		}
		if _, err := Held(t.Context(), []string{"GPU-1"}); err == nil {
			t.Errorf("%s: a look: got no error", what)
		}
		os.Remove(path)
	}
	if text, _ := os.ReadFile(victim); string(text) != "precious" {
		t.Errorf("the file of another name says %q", text)
	}
	mustTake(t, "GPU-1")
}

// TestModes: files are as open to others as their folder, whatever the umask is.
func TestModes(t *testing.T) {
	alone(t)
	os.Unsetenv(hardware.Variable)
	dir := t.TempDir()
	t.Setenv(Variable, dir)
	defer unix.Umask(unix.Umask(0o077))
	for mode, want := range map[fs.FileMode]fs.FileMode{openToAll: 0o666, 0o770: 0o660, 0o700: 0o600} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		r := mustTake(t, "GPU-1")
		for _, name := range []string{gate, "GPU-1.lock"} {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err != nil || info.Mode() != want {
				t.Errorf("%s in a folder of mode %v: got %v, %v", name, mode, info.Mode(), err)
			}
			os.Remove(path)
		}
		r.Release()
	}
}

// TestOpenFolder: a folder for all is open to all from the start, and made once.
func TestOpenFolder(t *testing.T) {
	defer unix.Umask(unix.Umask(0o077))
	dir := filepath.Join(t.TempDir(), "open")
	if err := makeOpen(dir); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{dir: fs.ModeDir | openToAll, filepath.Join(dir, gate): 0o666} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: got %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
	if err := makeOpen(dir); !errors.Is(err, fs.ErrExist) {
		t.Errorf("made again: got %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*")); len(left) != 1 {
		t.Errorf("got %v", left)
	}
}

// TestCleaner: a file that was removed before it could be locked locks nothing.
func TestCleaner(t *testing.T) {
	dir := alone(t)
	mustTake(t, "GPU-1").Release()
	path := filepath.Join(dir, "GPU-1.lock")
	old, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	mustTake(t, "GPU-1")
	if _, taken, err := filelock.Lock(path, false); !taken || err != nil {
		t.Errorf("got %v, %v", taken, err)
	}
}

// TestHighNumbers: the numbers below those of inherited locks are the command's.
func TestHighNumbers(t *testing.T) {
	alone(t)
	r := mustTake(t, "GPU-1", "GPU-2")
	for range 2 {
		if err := r.Pass(nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.inherited) != 2 {
		t.Errorf("got %d", len(r.inherited))
	}
	for _, f := range r.inherited {
		if f.Fd() < firstInherited {
			t.Errorf("got %d", f.Fd())
		}
	}
}
