package cublas

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"cresset/internal/dl"
)

// load opens the stub library, which fails in one of its ways.
func load(t *testing.T, fail int) *API {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the stub library is built for Linux only")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc, which compiles the stub library, is not here")
	}
	path := filepath.Join(t.TempDir(), "libcublasLt.so.13")
	if out, err := exec.Command(gcc, "-shared", "-fPIC", "-w", "-o", path, fmt.Sprintf("-DFAIL=%d", fail), "testdata/stub.c").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	api, err := LoadFrom("/nowhere/libcublasLt.so.13", path)
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// TestProducts multiplies batches of every order of the operands.
func TestProducts(t *testing.T) {
	api := load(t, 0)
	h, err := api.NewHandle()
	if err != nil {
		t.Fatal(err)
	}
	for bits := range 4 {
		for _, count := range []int{1, 3} {
			p := Problem{Kind: Float32, M: 2, N: 3, K: 4, Count: count, A: Operand{bits&1 != 0, 9, 50}, B: Operand{bits&2 != 0, 7, 60}}
			a, b, out := numbers(200), numbers(240), numbers(count*6)
			want := multiplied(p, a, b, out, 2, 0.5)
			plan, err := api.NewPlan(h, p)
			if err != nil {
				t.Fatal(err)
			}
			if plan.Workspace != workspace/2+smallestAlign {
				t.Errorf("got %d bytes of workspace", plan.Workspace)
			}
			if err := plan.Run(99, address(a), address(b), address(out), 1, 2, 0.5); err != nil {
				t.Fatal(err)
			}
			plan.Destroy()
			for i := range want {
				if out[i] != want[i] {
					t.Fatalf("%+v: element %d is %v, want %v", p, i, out[i], want[i])
				}
			}
		}
	}
}

// numbers returns pinned memory of small numbers, whose products are exact.
func numbers(n int) []float32 {
	m := dl.NewMemory(4 * n)
	s := unsafe.Slice((*float32)(unsafe.Pointer(&m.Bytes[0])), n)
	for i := range s {
		s[i] = float32(i*7%11 - 5)
	}
	return s
}

func address(s []float32) uint64 { return uint64(uintptr(unsafe.Pointer(&s[0]))) }

func multiplied(p Problem, a, b, out []float32, alpha, beta float32) []float32 {
	at := func(x []float32, o Operand, i, row, column int) float32 {
		if o.Transposed {
			row, column = column, row
		}
		return x[i*o.Apart+row*o.Line+column]
	}
	want := make([]float32, len(out))
	for n := range want {
		i, row, column := n/(p.M*p.N), n/p.N%p.M, n%p.N
		for l := range p.K {
			want[n] += at(a, p.A, i, row, l) * at(b, p.B, i, l, column)
		}
		want[n] = alpha*want[n] + beta*out[n]
	}
	return want
}

func TestFailures(t *testing.T) {
	var s Status
	if _, err := load(t, 1).NewHandle(); !errors.As(err, &s) || s != 1 || err.Error() != "cublasLtCreate: CUBLAS_STATUS_NOT_INITIALIZED" {
		t.Errorf("got %v", err)
	}
	api := load(t, 2)
	h, _ := api.NewHandle()
	if _, err := api.NewPlan(h, Problem{M: 2, N: 2, K: 2, Count: 1, A: Operand{Line: 2}, B: Operand{Line: 2}}); !errors.As(err, &s) || s != 15 {
		t.Errorf("no algorithm: got %v", err)
	}
	if _, err := api.NewPlan(h, Problem{M: 2, N: 2, K: 2, Count: 1, A: Operand{Line: 1}, B: Operand{Line: 2}}); !errors.As(err, &s) || s != 7 {
		t.Errorf("a line that is too short: got %v", err)
	}
	if _, err := LoadFrom("/nowhere/libcublasLt.so.13"); err == nil || !strings.Contains(err.Error(), "found no cublasLt of CUDA 11 to 13:\nopen /nowhere") {
		t.Errorf("got %v", err)
	}
}
