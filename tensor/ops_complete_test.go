package tensor_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
	"cresset/tensor"
)

// TestEveryOpIsComplete runs all rows and finds ops that lack a kernel on the CPU, a row that runs it, or a row with its
// gradient.
func TestEveryOpIsComplete(t *testing.T) {
	ran, recorded := make(map[op.Op]bool), make(map[string]bool)
	tensor.SpyOnCPU(t, func(c *backend.Call) { ran[c.Op] = true })
	names := make(map[string]bool)
	for _, r := range allRows() {
		if names[r.name] {
			t.Errorf("two rows are named %s", r.name)
		}
		names[r.name] = true
		for _, dt := range r.allowed() {
			x := r.tensors(device.CPU, dt, !r.noGrad)
			y := r.f(x)
			recorded[y.GradFn()] = true
			if y.RequiresGrad() {
				y.Backward(tensor.Gradient(tensor.OnesLike(y)))
			}
			if r.inPlace != nil && r.resultType(dt) == dt {
				recorded[r.inPlace(r.unleaf(x)).GradFn()] = true
			}
		}
	}
	for _, name := range racedOnGPUs {
		if !names[name] {
			t.Errorf("the race detector wants a row %s, which there is not", name)
		}
	}
	for _, m := range makers {
		m.f(tensor.On(device.CPU))
	}
	for _, o := range op.All() {
		switch plain := !o.IsView() && !o.IsComposed(); {
		case plain && !hasKernel(o):
			t.Errorf("%s (%d) has no kernel on the CPU", o, o)
		case plain && !ran[o]:
			t.Errorf("%s (%d) is run by no row", o, o)
		case !plain && hasKernel(o):
			t.Errorf("%s (%d) has a kernel, although it is called a view or composed", o, o)
		}
		if o.Grad() != "" && o != op.Dropout && !recorded[o.Grad()] {
			t.Errorf("%s (%d) has no row that gives %s", o, o, o.Grad())
		}
	}
}

func hasKernel(o op.Op) bool {
	for dt := range dtype.DType(dtype.Count) {
		if tensor.HasKernel(o, dt) {
			return true
		}
	}
	return false
}
