package tensor

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda"
	"cresset/internal/driver"
	"cresset/internal/op"
)

// HasKernel reports whether the CPU has a kernel for an op on a dtype.
func HasKernel(o op.Op, dt dtype.DType) bool { return host.Has(o, dt) }

// Poisons reports whether the tests run under the build tag poison.
const Poisons = poisons

// SpyOnCPU shows every call of a kernel of the CPU to saw, until the test ends.
func SpyOnCPU(t testing.TB, saw func(*backend.Call)) {
	real := host
	host = spy{real, saw}
	t.Cleanup(func() { host = real })
}

type spy struct {
	backend.Backend
	saw func(*backend.Call)
}

func (s spy) Run(c *backend.Call) error {
	s.saw(c)
	return s.Backend.Run(c)
}

// LendGPUs makes the GPUs of a given driver those of the process until the test ends.
func LendGPUs(t testing.TB, api *driver.API) {
	t.Cleanup(cuda.UseDriver(api))
}

// LendDevice makes the CPU pass for another device until the test ends, so that operands can be in the wrong place
// where there is only one.
func LendDevice(t testing.TB) device.Device {
	dev := device.MustParse("xla:0")
	backends[dev.Type()] = backends[device.TypeCPU]
	t.Cleanup(func() { delete(backends, dev.Type()) })
	return dev
}

// Traces returns how many pieces of memory have a trace.
func Traces() int {
	placement.mu.Lock()
	defer placement.mu.Unlock()
	return len(placement.of)
}

// TracesWith reports whether a value of CRESSET_DEBUG turns tracing on.
func TracesWith(words string) bool { return newTracer(words).on.Load() }

// AddFlat adds to each tensor, twice, what Replicas would carry between GPUs of others like it.
func AddFlat(sums, others []*Tensor) {
	s := NewScope()
	defer s.Close()
	dev := sums[0].storage.device
	addTerms(sums, others, []*Tensor{s.flat(others, others, dev), s.flat(others, others, dev)})
}

// WindowOf returns what a convolution makes of its options.
func WindowOf(opts ...ConvOption) op.Window {
	w := readWindow("convolution", 2, 1, opts)
	return w.plane()
}

// AutocastWeights returns the casts of weights that a scope keeps.
func AutocastWeights(s *Scope) (casts []*Tensor) {
	for _, w := range s.casts.Load().weights {
		casts = append(casts, w.cast)
	}
	return casts
}
