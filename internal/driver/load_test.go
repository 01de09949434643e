//go:build !nocuda

package driver

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"cresset/internal/dl"
)

func TestLoadWithoutDriver(t *testing.T) {
	paths := []string{"libcuda-absent.so.1", filepath.Join(t.TempDir(), "libcuda.so.1")}
	_, err := LoadFrom(paths...)
	var missing *LibraryError
	var opened *dl.OpenError
	if !errors.As(err, &missing) || !errors.As(err, &opened) {
		t.Fatalf("got %v, want a LibraryError with an OpenError", err)
	}
	if !strings.HasPrefix(err.Error(), "found no NVIDIA driver:\n") {
		t.Errorf("got %q", err)
	}
	for i, path := range paths {
		if opened.Tried[i].Path != path || !strings.Contains(err.Error(), "open "+path+": ") {
			t.Errorf("%q does not tell of %s", err, path)
		}
	}
}

func TestLoadTooOld(t *testing.T) {
	for _, defines := range [][]string{
		{"-DVERSION=10010"},
		{"-DVERSION=10010", "-DMISSING_REQUIRED"}, // age explains what is missing
	} {
		_, err := LoadFrom(compile(t, append(defines, "-DINIT=0")...))
		var old *VersionError
		if !errors.As(err, &old) || old.Found != 10010 || old.Need != MinVersion {
			t.Errorf("%v: got %v, want a VersionError", defines, err)
		}
		const want = "the NVIDIA driver is too old: it supports CUDA 10.1, and CUDA 11.0 is needed"
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestStartFails(t *testing.T) {
	api, err := LoadFrom(compile(t, "-DINIT=100"))
	if err != nil {
		t.Fatal(err)
	}
	err = api.Start()
	var failed *InitError
	if !errors.As(err, &failed) || !errors.Is(err, ErrNoDevice) {
		t.Errorf("got %v, want an InitError with %v", err, ErrNoDevice)
	}
}

func TestLoadMissingSymbol(t *testing.T) {
	library := compile(t, "-DINIT=0", "-DMISSING_REQUIRED")
	_, err := LoadFrom("/absent/libcuda.so.1", library)
	var missing *SymbolError
	if !errors.As(err, &missing) || missing.Symbol != "cuLaunchKernel" || missing.Library != library {
		t.Fatalf("got %v, want a SymbolError for cuLaunchKernel of %s", err, library)
	}
	if len(missing.Tried) != 1 || missing.Tried[0].Path != "/absent/libcuda.so.1" {
		t.Errorf("tried %v before", missing.Tried)
	}
}

func TestLoadAlternative(t *testing.T) {
	if id, r := load(t, "-DOLD_UUID").DeviceGetUUID(0); id[0] != 50 || r != Success {
		t.Errorf("got %v, %v, want the older function's answer", id, r)
	}
}

func TestRelease(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "libcuda.so.580.95.05"), filepath.Join(dir, "libcuda.so.1")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Base(file), link); err != nil {
		t.Skip(err)
	}
	for library, want := range map[string]string{link: "580.95.05", file: "580.95.05", "/absent/libcuda.so.1": ""} {
		if got := releaseOf(library); got != want {
			t.Errorf("%s: got %q", library, got)
		}
	}
}

// TestJITCompiler: the library beside the driver is opened, wherever that was found.
func TestJITCompiler(t *testing.T) {
	library := compile(t, "-DINIT=0")
	text, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(filepath.Dir(library), JITLibrary())
	if err := os.WriteFile(beside, text, 0o755); err != nil {
		t.Fatal(err)
	}
	api, err := LoadFrom(library)
	if err != nil {
		t.Fatal(err)
	}
	if path, err := api.JITCompiler(); path != beside || err != nil {
		t.Errorf("got %q, %v, want %s", path, err, beside)
	}
}

// TestEveryFieldHasAnAdapter needs no library: it only looks for a panic.
func TestEveryFieldHasAnAdapter(t *testing.T) {
	err := new(API).table().Each(func(symbols []string, _ bool, field reflect.Value) error {
		new(library).adapt(field.Addr().Interface(), 1)
		for _, s := range symbols {
			if !strings.HasPrefix(s, "cu") {
				t.Errorf("%s is no name of CUDA's", s)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
