package tensor_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// checkEmpty feeds inputs without elements: the shape must come out, and zeros as gradients.
func (r *opRow) checkEmpty(t *testing.T, dev device.Device) {
	for _, c := range r.empty {
		for _, dt := range r.allowed() {
			x := r.leaves(r.reshaped(dev, dt, c.in), !r.noGrad)
			y := r.f(x)
			if !slices.Equal(y.Shape(), c.want) || y.DType() != r.resultType(dt) {
				t.Errorf("%s of %s%v: got %s%v, want %v", r.name, dt, c.in, y.DType(), y.Shape(), c.want)
				continue
			}
			if !y.RequiresGrad() {
				continue
			}
			y.Backward(tensor.Gradient(tensor.ZerosLike(y)))
			for i := range x {
				if !x[i].RequiresGrad() {
					continue
				}
				if g := gradOf(x[i]); !g.Shape().Equal(x[i].Shape()) || slices.ContainsFunc(tensor.Values[float64](g), func(v float64) bool { return v != 0 }) {
					t.Errorf("%s of %s%v: gradient of input %d is %v", r.name, dt, c.in, i, g)
				}
			}
		}
	}
}

// checkMistakes wants an *Error, and no other panic, for shapes that do not fit and dtypes that are not allowed.
func (r *opRow) checkMistakes(t *testing.T, dev device.Device) {
	for _, c := range r.wrong {
		for _, dt := range []dtype.DType{r.base(), r.allowed()[len(r.allowed())-1]} {
			err := tensor.Try(func() { r.f(r.reshaped(dev, dt, c.in)) })
			if err == nil || c.kind != nil && !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s of %s%v: got %v, want %v with %q", r.name, dt, c.in, err, c.kind, c.text)
			}
		}
	}
	if len(r.in) == 0 || r.moreTypes {
		return
	}
	for _, dt := range allTypes {
		if slices.Contains(r.allowed(), dt) {
			continue
		}
		err := tensor.Try(func() { r.f(r.tensors(dev, dt, false)) })
		if !errors.Is(err, tensor.ErrDType) && !errors.Is(err, tensor.ErrKernel) {
			t.Errorf("%s of %s: got %v, want a refusal of the dtype", r.name, dt, err)
		}
	}
}

// checkDevices computes on another device, where the result must stay, and with each input alone on another device, which
// must be refused unless it is a single number on the CPU.
func (r *opRow) checkDevices(t *testing.T, dev, other device.Device) {
	if len(r.in) == 0 || dev == other {
		return
	}
	if got := r.f(r.tensors(other, r.base(), false)).Device(); got != other {
		t.Errorf("%s of inputs on %s is on %s", r.name, other, got)
	}
	for i := range r.in {
		if r.severalDevices != "" || len(r.in) == 1 || len(r.in[i].shape) == 0 {
			continue
		}
		x := r.tensors(dev, r.base(), false)
		x[i] = x[i].To(other)
		err := tensor.Try(func() { r.f(x) })
		if !errors.Is(err, tensor.ErrDevice) {
			t.Errorf("%s with input %d on %s: got %v, want a refusal", r.name, i, other, err)
		}
	}
}
