//go:build (linux || darwin) && (amd64 || arm64) && !nocuda

package dl

import (
	"errors"
	"path/filepath"
	"runtime"
	"testing"
)

// TestOpenNeverFromRelativeSearchPath: an empty element of LD_LIBRARY_PATH is the
// working directory.
func TestOpenNeverFromRelativeSearchPath(t *testing.T) {
	lib := stub(t)
	dir, name := filepath.Split(lib.Path)
	t.Chdir(dir)
	for value, refused := range map[string]bool{"": false, ":/lib": true, "/lib:.": true, "/lib;": true, dir + ":.": false, "/lib": false} {
		t.Setenv("LD_LIBRARY_PATH", value)
		if _, got := relativePlace(name); got != refused {
			t.Errorf("%q: got %v, want %v", value, got, refused)
		}
	}
	t.Setenv("LD_LIBRARY_PATH", ":/lib")
	if _, err := Open(name); !errors.Is(err.(*OpenError).Tried[0].Err, errRelative) {
		t.Errorf("got %v", err)
	}
}

// TestLocated: a bare name is told with the folder that it was found in.
func TestLocated(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells which files are mapped")
	}
	lib := stub(t)
	if got := located(filepath.Base(lib.Path)); got != lib.Path {
		t.Errorf("got %s, want %s", got, lib.Path)
	}
	if got := located("libabsent.so.1"); got != "libabsent.so.1" {
		t.Errorf("an absent library is at %s", got)
	}
}
