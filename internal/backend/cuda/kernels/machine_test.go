package kernels_test

import (
	"math"
	"sync"
	"testing"
	"unsafe"

	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/ptx"
)

// A machine is device memory and what is launched on it. Every operand is an allocation of its own, so that the interpreter
// finds each access that leaves it.
type machine struct {
	t       testing.TB
	regions []ptx.Region
	profile bool   // count sectors and bank conflicts
	shuffle uint64 // as LaunchConfig has it
}

const regionStep = 1 << 32 // addresses of neighbouring allocations lie so far apart

// Find returns the region of an address.
func (m *machine) Find(addr uint64) ptx.Region {
	if i := int(addr/regionStep) - 1; i >= 0 && i < len(m.regions) {
		return m.regions[i]
	}
	return ptx.Region{}
}

// put shares a slice with the device and returns its address: what kernels write is seen in it.
func put[T any](m *machine, s []T) uint64 {
	var z T
	var data []byte
	if len(s) > 0 { // the bytes of the slice, which lives as long as the machine
		data = unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(z)))
	}
	base := uint64(len(m.regions)+1) * regionStep
	m.regions = append(m.regions, ptx.Region{Base: base, Data: data})
	return base
}

var parsed sync.Map // of module names to *ptx.Module

func moduleOf(t testing.TB, kernel string) *ptx.Module {
	t.Helper()
	name, ok := kernels.ModuleOf(kernel)
	if !ok {
		t.Fatalf("there is no kernel %s", kernel)
	}
	if m, ok := parsed.Load(name); ok {
		return m.(*ptx.Module)
	}
	text, err := kernels.Text(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptx.Parse(name, string(text))
	if err != nil {
		t.Fatal(err)
	}
	parsed.Store(name, m)
	return m
}

// launch runs a kernel to its end. P is one of the package's structs.
func launch[P any](m *machine, kernel string, g kernels.Grid, p P) ptx.Counters {
	m.t.Helper()
	module := moduleOf(m.t, kernel)
	var globals []uint64
	for _, s := range module.Globals {
		data := make([]byte, s.Size)
		copy(data, s.Init)
		globals = append(globals, put(m, data))
	}
	counters, err := ptx.Launch(module.Kernels[kernel], ptx.LaunchConfig{
		Grid: g.Blocks, Block: g.Threads, Shared: g.Shared, Cluster: g.Cluster, Memory: m, Globals: globals, Profile: m.profile, Shuffle: m.shuffle,
		Params: unsafe.Slice((*byte)(unsafe.Pointer(&p)), unsafe.Sizeof(p)), // structs have the header's layout
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return counters
}

// few is the most blocks of a flat launch here: less than many tests need, so that threads loop.
const few = 3

// same reports whether two numbers have the same bits, or are both NaN, whose bits differ between processors.
func same[T comparable](a, b T) bool { return a == b && signOf(a) == signOf(b) || a != a && b != b }

func signOf[T any](v T) bool {
	switch v := any(v).(type) {
	case float32:
		return math.Signbit(float64(v))
	case float64:
		return math.Signbit(v)
	}
	return false
}

// compare wants the same elements.
func compare[T comparable](t *testing.T, name string, got, want []T) {
	t.Helper()
	wrong := 0
	for i := range want {
		if !same(got[i], want[i]) {
			if wrong++; wrong <= 3 {
				t.Errorf("%s: element %d: got %v, want %v", name, i, got[i], want[i])
			}
		}
	}
	if wrong > 3 {
		t.Errorf("%s: %d of %d elements differ", name, wrong, len(want))
	}
}
