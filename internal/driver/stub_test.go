package driver

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// compile builds testdata/stub.c and returns the library's path.
func compile(t testing.TB, defines ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the stub driver is built for Linux only")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc, which compiles the stub driver, is not here")
	}
	path := filepath.Join(t.TempDir(), "libcuda.so.1")
	args := []string{"-shared", "-fPIC", "-w", "-o", path, "testdata/stub.c"}
	if out, err := exec.Command(gcc, append(args, defines...)...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return path
}

// load loads the stub driver.
func load(t testing.TB, defines ...string) *API {
	t.Helper()
	api, err := LoadFrom(compile(t, append(defines, "-DINIT=0")...))
	if err != nil {
		t.Fatal(err)
	}
	return api
}
