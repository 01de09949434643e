package nvml

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

const stubDevice Device = 0xD0

// compile builds testdata/stub.c and returns the library's path.
func compile(t testing.TB, defines ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the stub library is built for Linux only")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc, which compiles the stub library, is not here")
	}
	path := filepath.Join(t.TempDir(), "libnvidia-ml.so.1")
	args := []string{"-shared", "-fPIC", "-w", "-o", path, "testdata/stub.c"}
	if out, err := exec.Command(gcc, append(args, defines...)...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return path
}

// load starts the stub library.
func load(t testing.TB, defines ...string) *API {
	t.Helper()
	api, err := LoadFrom(compile(t, append(defines, "-DINIT=0")...))
	if err != nil {
		t.Fatal(err)
	}
	if err := api.Start(); err != nil {
		t.Fatal(err)
	}
	return api
}
