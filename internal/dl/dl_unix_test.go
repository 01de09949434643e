//go:build (linux || darwin) && (amd64 || arm64) && !nocuda

package dl

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestOpenNeverFromRelativeSearchPath: an empty element of LD_LIBRARY_PATH is the working directory.
func TestOpenNeverFromRelativeSearchPath(t *testing.T) {
	lib := stub(t)
	dir, name := filepath.Split(lib.Path)
	t.Chdir(dir)
	for value, refused := range map[string]bool{"": false, ":/lib": true, "/lib:.": true, "/lib;": true, dir + ":.": true, dir: false, "/lib": false, "$LIB": true, "/lib:${PLATFORM}": true, "$ORIGIN/lib": false, "${ORIGIN}": false, "$ORIGINx": true, "$ORIGIN_/lib": true, "/$LIB": false} {
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

// TestOpenNeverFromVariants: glibc also looks in folders for kinds of processors, in each folder of its search.
func TestOpenNeverFromVariants(t *testing.T) {
	lib := stub(t)
	data, err := os.ReadFile(lib.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"glibc-hwcaps/x86-64-v2", "glibc-hwcaps/x86-64-v3", "tls", "haswell/x86_64", "tls/haswell/avx512_1/x86_64", "x86_64"} {
		t.Chdir(t.TempDir())
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "libcresset-variant.so"), data, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, value := range []string{":/lib", "/lib:.", "../" + filepath.Base(must(os.Getwd()))} {
			t.Setenv("LD_LIBRARY_PATH", value)
			if _, err := Open("libcresset-variant.so"); !errors.Is(err.(*OpenError).Tried[0].Err, errRelative) {
				t.Errorf("%s with %q: got %v", dir, value, err)
			}
		}
	}
}

func must(text string, _ error) string { return text }

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
