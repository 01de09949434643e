package tensor_test

import (
	"math"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/gradcheck"
	"cresset/internal/race"
	"cresset/tensor"
)

// checkGradients compares gradients in float64 on the CPU with finite differences, and those in other float dtypes and on other devices
// with them. Differences run what one gradient runs hundreds of times, so that the race detector has nothing to learn from them.
func (r *opRow) checkGradients(t *testing.T, dev device.Device) {
	if r.noGrad {
		r.checkNoGradient(t, dev)
		return
	}
	judged := dev.IsCPU() && !race.Enabled
	if judged {
		f, varying := r.varying(r.tensors(dev, dtype.Float64, false))
		if err := gradcheck.Check(r.name, f, varying...); err != nil {
			t.Error(err)
			return
		}
	}
	for _, dt := range r.allowed() {
		if dt.IsFloat() && !(dt == dtype.Float64 && judged) {
			r.checkGradientIn(t, dev, dt)
		}
	}
}

// checkNoGradient makes sure that a result tracks no gradient even where inputs do, or that Backward says that there is none.
func (r *opRow) checkNoGradient(t *testing.T, dev device.Device) {
	for _, dt := range r.allowed() {
		if !dt.IsFloat() {
			continue
		}
		y := r.f(r.tensors(dev, dt, true))
		if !y.RequiresGrad() {
			continue
		}
		err := tensor.Try(func() { y.Sum().Backward() })
		if err == nil || !strings.Contains(err.Error(), "is not implemented") {
			t.Errorf("%s of %s tracks gradients: %v", r.name, dt, err)
		}
	}
}

// varying returns the row as a function of the inputs that take a gradient, and those.
func (r *opRow) varying(x []*tensor.Tensor) (gradcheck.Func, []*tensor.Tensor) {
	var varying []*tensor.Tensor
	for i := range x {
		if !r.in[i].constant {
			varying = append(varying, x[i])
		}
	}
	return func(v []*tensor.Tensor) *tensor.Tensor {
		all, next := make([]*tensor.Tensor, len(x)), 0
		for i := range x {
			all[i] = x[i]
			if !r.in[i].constant {
				all[i] = v[next]
				next++
			}
		}
		return r.f(all)
	}, varying
}

// checkGradientIn compares gradients in dt with those in float64 of the same numbers on the CPU.
func (r *opRow) checkGradientIn(t *testing.T, dev device.Device, dt dtype.DType) {
	x, exact := r.tensors(dev, dt, true), make([]*tensor.Tensor, len(r.in))
	for i, a := range r.arrays(dt) {
		exact[i] = a.tensor(device.CPU, r.typeOf(i, dtype.Float64))
	}
	r.leaves(exact, true)
	backward(r.f(x))
	backward(r.f(exact))
	for i := range x {
		if !exact[i].RequiresGrad() {
			continue
		}
		grad := gradOf(x[i])
		if !grad.Shape().Equal(x[i].Shape()) || grad.DType() != x[i].DType() || grad.Device() != dev {
			t.Errorf("%s of %s: the gradient of input %d is %s%v on %s, want %s%v on %s", r.name, dt, i,
				grad.DType(), grad.Shape(), grad.Device(), x[i].DType(), x[i].Shape(), dev)
			return
		}
		got, want := arrayOf(grad), arrayOf(gradOf(exact[i]))
		largest := 1.0
		for _, w := range want.v {
			largest = max(largest, math.Abs(w))
		}
		limit := 32 * precisions[dt].unit * (largest + r.scale)
		for k, w := range want.v {
			if !(math.Abs(got.v[k]-w) <= limit) {
				t.Errorf("%s of %s: gradient of input %d, element %d is %v, want %v", r.name, dt, i, k, got.v[k], w)
				break
			}
		}
	}
}

// backward starts from weights that every float dtype holds exactly.
func backward(y *tensor.Tensor) {
	w := newArray(y.Shape()...)
	for k := range w.v {
		w.v[k] = float64((5*k+3)%17-8)/8 + 0.0625
	}
	y.Backward(tensor.Gradient(w.tensor(y.Device(), y.DType())))
}

// gradOf returns a leaf's gradient; zeros where nothing arrived.
func gradOf(x *tensor.Tensor) *tensor.Tensor {
	if g := x.Grad(); g != nil {
		return g
	}
	return tensor.ZerosLike(x)
}
