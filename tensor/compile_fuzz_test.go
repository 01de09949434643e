package tensor_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// FuzzCompiled runs programs, as FuzzPrograms does, compiled and as they are: results and gradients must have the same bits when a
// program is recorded and when it runs from the recording.
func FuzzCompiled(f *testing.F) {
	devicetest.Simulate(f)
	draws := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		code := make([]byte, 24+draws.IntN(60))
		for i := range code {
			code[i] = byte(draws.Uint32())
		}
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		code = code[:min(len(code), 96)]
		on := device.CPU
		if len(code)%4 == 0 {
			on = device.CUDA(0)
		}
		body := bodyOf(code, on)
		want, err := ranBody(body, code, on)
		compiled := tensor.Compile(body)
		for _, when := range []string{"recorded", "replayed"} {
			got, failed := ranBody(compiled, code, on)
			if errors.Is(failed, tensor.ErrCompile) {
				return
			}
			if (failed == nil) != (err == nil) {
				t.Fatalf("%s on %s: %v, want %v", when, on, failed, err)
			}
			if err != nil {
				return
			}
			for i := range want {
				if !sameBits(want[i], got[i]) {
					t.Fatalf("%s on %s, result or gradient %d:\n%v, want\n%v", when, on, i, got[i], want[i])
				}
			}
		}
	})
}

// operandsOf returns what a program starts from, and the rest of it.
func operandsOf(code []byte, on device.Device) ([]*tensor.Tensor, []byte) {
	m := &machine{code: code, on: on, execution: new(execution)}
	dt := []dtype.DType{dtype.Float32, dtype.BFloat16, dtype.Float64, dtype.Float16}[m.next(4)]
	x := []*tensor.Tensor{m.leaf(dt, 2, 3), m.leaf(dt, 3), m.leaf(dt, 2, 1), m.leaf(dt, 2, 3).Detach()}
	return x, m.code
}

// bodyOf is a program as a function of what it starts from.
func bodyOf(code []byte, on device.Device) func(x ...*tensor.Tensor) []*tensor.Tensor {
	return func(x ...*tensor.Tensor) []*tensor.Tensor {
		m := &machine{on: on, execution: new(execution)}
		_, m.code = operandsOf(code, on)
		m.pool = append(m.pool, x...)
		m.pool[3] = x[3].Clone() // it may be changed in place
		for step := 0; len(m.code) > 0; step++ {
			var y *tensor.Tensor
			s := instructions[m.next(len(instructions))]
			if tensor.Try(func() { y = s.run(m) }) != nil || y.NumEl() > 64 {
				continue
			}
			if len(m.pool) < poolSize {
				m.pool = append(m.pool, y)
			} else {
				m.pool[3+step%(poolSize-3)] = y
			}
		}
		return m.pool
	}
}

// ranBody returns the results of a program and the gradients of what it starts from.
func ranBody(f func(x ...*tensor.Tensor) []*tensor.Tensor, code []byte, on device.Device) (all []array, err error) {
	x, _ := operandsOf(code, on)
	err = tensor.Try(func() {
		out := f(x...)
		for _, y := range out {
			all = append(all, arrayOf(y.Detach()))
		}
		loss := tensor.Zeros().Double().To(on)
		for _, y := range out {
			if y.RequiresGrad() {
				loss = loss.Add(y.Double().Sum())
			}
		}
		if loss.RequiresGrad() {
			loss.Backward()
		}
		for _, leaf := range x {
			if g := leaf.Grad(); g != nil {
				all = append(all, arrayOf(g))
			}
		}
	})
	return all, err
}
