//go:build !nocuda

package dl

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// stub compiles testdata/stub.c.
func stub(t testing.TB) *Library {
	t.Helper()
	if runtime.GOOS == "windows" || !supported {
		t.Skip("the C library of this test needs a Unix that dl can open libraries on")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc, which compiles the C library of this test, is not here")
	}
	path := filepath.Join(t.TempDir(), "stub.so")
	if out, err := exec.Command(gcc, "-shared", "-fPIC", "-o", path, "testdata/stub.c").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	lib, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lib.Close(); err != nil {
			t.Error(err)
		}
	})
	return lib
}

func function(t testing.TB, lib *Library, name string) uintptr {
	t.Helper()
	fn, ok := lib.Symbol(name)
	if !ok {
		t.Fatalf("%s has no %s", lib.Path, name)
	}
	return fn
}

func TestCall(t *testing.T) {
	lib := stub(t)
	if got := int32(Call(function(t, lib, "answer"))); got != -42 {
		t.Errorf("answer() = %d, want -42", got)
	}
	// Eleven arguments: cuLaunchKernel's shape, part in registers, part on the stack.
	if got := Call(function(t, lib, "weigh"), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11); got != 506 {
		t.Errorf("weigh = %d, want 506", got)
	}
	most := make([]uintptr, maxArgs)
	for i := range most {
		most[i] = uintptr(i + 1)
	}
	if got := Call(function(t, lib, "weigh24"), most...); got != 4900 { // Σ i² to 24
		t.Errorf("weigh24 = %d, want 4900", got)
	}
	if got := int32(Call(function(t, lib, "aligned"), 1, 2, 3, 4, 5, 6, 7)); got != 1 {
		t.Error("the stack of a C function is not aligned")
	}
	if _, ok := lib.Symbol("absent"); ok {
		t.Error("found a symbol that is not there")
	}
}

// TestLook: a Look ends when the flag is set, when the function fails, and when it has asked often enough.
func TestLook(t *testing.T) {
	lib := stub(t)
	const asked, flag, at = 0, 8, 16
	for name, c := range map[string]struct {
		at           int64 // when it ends, negative where it fails
		most         int
		asks, result int
		ended        bool
	}{
		"at once": {1, 8, 1, 0, true}, "third": {3, 8, 3, 0, true}, "last": {8, 8, 8, 0, true}, "later": {9, 8, 8, 0, false}, "one": {2, 1, 1, 0, false}, "fails": {-2, 8, 2, 7, false},
	} {
		m := NewMemory(24)
		binary.NativeEndian.PutUint64(m.Bytes[at:], uint64(c.at))
		result := NewLook(function(t, lib, "ends"), m, asked, flag, at).Times(c.most)
		asks, ended := binary.NativeEndian.Uint64(m.Bytes[asked:]), binary.NativeEndian.Uint32(m.Bytes[flag:]) != 0
		if int(int32(result)) != c.result || int(asks) != c.asks || ended != c.ended {
			t.Errorf("%s: returned %d after %d, ended: %t", name, int32(result), asks, ended)
		}
		m.Free()
	}
}

func TestCallDoesNotAllocate(t *testing.T) {
	lib := stub(t)
	weigh := function(t, lib, "weigh")
	if got := testing.AllocsPerRun(1000, func() { Call(weigh, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) }); got >= 1 {
		t.Errorf("a call allocates %v times", got)
	}
}

// TestSetenvReachesC guards what CUDA_VISIBLE_DEVICES depends on: a variable set in Go is seen by C's getenv.
func TestSetenvReachesC(t *testing.T) {
	lib := stub(t)
	t.Setenv("CRESSET_DL_TEST", "2,3")
	name, want := []byte("CRESSET_DL_TEST\x00"), []byte("2,3\x00")
	got := Call(function(t, lib, "seen"), uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&want[0])))
	runtime.KeepAlive(name)
	runtime.KeepAlive(want)
	if int32(got) != 1 {
		t.Error("C does not see what os.Setenv set")
	}
}

func TestOpenListsEveryPath(t *testing.T) {
	if !supported {
		t.Skip("dl opens no library here")
	}
	absent := filepath.Join(t.TempDir(), "libnothing.so.1")
	_, err := Open("libcresset-nothing.so.1", absent)
	var failed *OpenError
	if !errors.As(err, &failed) || len(failed.Tried) != 2 {
		t.Fatalf("got %v, want an OpenError with 2 attempts", err)
	}
	for i, want := range []string{"libcresset-nothing.so.1", absent} {
		if failed.Tried[i].Path != want || failed.Tried[i].Err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("attempt %d: got %v, want %s with its error in %q", i, failed.Tried[i], want, err)
		}
	}
}

func TestOpenNeverFromWorkingDirectory(t *testing.T) {
	lib := stub(t)
	data, err := os.ReadFile(lib.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("libcresset-stub.so", data, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"libcresset-stub.so", "./libcresset-stub.so", "", "."} {
		if lib, err := Open(path); err == nil {
			t.Errorf("opened %q as %s", path, lib.Path)
		}
	}
}

func TestOpenTakesTheFirst(t *testing.T) {
	lib := stub(t)
	again, err := Open("/nowhere/libstub.so", lib.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Path != lib.Path {
		t.Errorf("got %s, want %s", again.Path, lib.Path)
	}
}

func BenchmarkCall(b *testing.B) {
	lib := stub(b)
	weigh := function(b, lib, "weigh")
	b.ReportAllocs()
	for b.Loop() {
		Call(weigh, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	}
}
