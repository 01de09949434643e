package ptx

//go:generate sh -c "cd testdata && for f in *.cu; do clang-22 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_60 --cuda-feature=+ptx70 -std=c++17 -O3 -ffp-contract=off -S -o ${DOLLAR}{f%.cu}.ptx ${DOLLAR}f || exit 1; done"
//go:generate sh -c "cd testdata/sm_80 && for f in *.cu; do clang-22 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 --cuda-feature=+ptx74 -std=c++17 -O3 -ffp-contract=off -S -o ${DOLLAR}{f%.cu}.ptx ${DOLLAR}f || exit 1; done"
//go:generate sh -c "cd testdata/sm_90 && for f in *.cu; do clang-22 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_90 --cuda-feature=+ptx81 -std=c++17 -O3 -ffp-contract=off -S -o ${DOLLAR}{f%.cu}.ptx ${DOLLAR}f || exit 1; done"
//go:generate sh -c "cd testdata/sm_90a && for f in *.cu; do clang-22 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_90a --cuda-feature=+ptx80 -std=c++17 -O3 -ffp-contract=off -S -o ${DOLLAR}{f%.cu}.ptx ${DOLLAR}f || exit 1; done"

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// load reads a module of testdata, once.
var load = func() func(t testing.TB, name string) *Module {
	var mu sync.Mutex
	modules := map[string]*Module{}
	return func(t testing.TB, name string) *Module {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if m, ok := modules[name]; ok {
			return m
		}
		text, err := os.ReadFile(filepath.Join("testdata", name+".ptx"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(name+".ptx", string(text))
		if err != nil {
			t.Fatal(err)
		}
		modules[name] = m
		return m
	}
}()

// heap is device memory of a test: allocations far apart.
type heap struct {
	regions []Region
}

func (h *heap) alloc(data []byte) uint64 {
	base := uint64(0x7f0000000) + uint64(len(h.regions))<<32
	h.regions = append(h.regions, Region{Base: base, Data: data})
	return base
}

func (h *heap) Find(addr uint64) (nearest Region) {
	for _, r := range h.regions {
		if r.Base <= addr || nearest.Data == nil {
			nearest = r
		}
	}
	return nearest
}

// put copies a slice of numbers to the heap.
func put(h *heap, v any) uint64 {
	data, err := binary.Append(nil, order, v)
	if err != nil {
		panic(err)
	}
	return h.alloc(data)
}

// get copies an allocation into a slice of numbers.
func get[T any](h *heap, addr uint64) []T {
	var one T
	data := h.Find(addr).Data
	out := make([]T, len(data)/binary.Size(one))
	if _, err := binary.Decode(data, order, out); err != nil {
		panic(err)
	}
	return out
}

// pack lays parameters out for a kernel.
func pack(k *Kernel, args ...any) []byte {
	if len(args) != len(k.Params) {
		panic(fmt.Sprintf("%s takes %d parameters", k.Name, len(k.Params)))
	}
	out := make([]byte, k.ParamBytes)
	for i, p := range k.Params {
		data, err := binary.Append(nil, order, args[i])
		if err != nil || len(data) != p.Size {
			panic(fmt.Sprintf("%s: parameter %d: %d bytes of %d, %v", k.Name, i, len(data), p.Size, err))
		}
		copy(out[p.Offset:], data)
	}
	return out
}

// launch runs a kernel of testdata over blocks of threads in a row.
func launch(t testing.TB, h *heap, module, kernel string, blocks, threads uint32, args ...any) Counters {
	t.Helper()
	c, err := tryLaunch(t, h, module, kernel, blocks, threads, args...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func tryLaunch(t testing.TB, h *heap, module, kernel string, blocks, threads uint32, args ...any) (Counters, error) {
	t.Helper()
	k := load(t, module).Kernels[kernel]
	if k == nil {
		t.Fatalf("%s has no kernel %s", module, kernel)
	}
	return Launch(k, LaunchConfig{
		Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{threads, 1, 1},
		Params: pack(k, args...), Memory: h, Globals: globals(h, k.Module), Profile: true,
	})
}

// globals puts a module's globals on the heap.
func globals(h *heap, m *Module) (addresses []uint64) {
	for _, s := range m.Globals {
		data := make([]byte, s.Size)
		copy(data, s.Init)
		addresses = append(addresses, h.alloc(data))
	}
	return addresses
}
