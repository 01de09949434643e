package tensor_test

import (
	"errors"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/mem"
	"cresset/tensor"
)

// checkMemory wants results in memory of their own, or in their input's for views, untouched inputs, and a scope that
// owns everything that was computed.
func (r *opRow) checkMemory(t *testing.T, dev device.Device) {
	for _, dt := range r.allowed() {
		r.checkFresh(t, dev, dt)
		r.checkScope(t, dev, dt)
	}
}

func (r *opRow) checkFresh(t *testing.T, dev device.Device, dt dtype.DType) {
	x := r.tensors(dev, dt, !r.noGrad)
	before := r.arrays(dt)
	y := r.f(x)
	for i := range x {
		if shares := y.SharesStorage(x[i]); shares != (r.view && i == 0) {
			t.Errorf("%s of %s: result shares the memory of input %d: %v, want %v", r.name, dt, i, shares, !shares)
		}
	}
	if y.RequiresGrad() {
		backward(y)
	}
	for i := range x {
		if !sameBits(arrayOf(x[i].Detach()), before[i]) || x[i].Version() != 0 {
			t.Errorf("%s of %s: input %d was changed", r.name, dt, i)
		}
	}
}

// checkScope computes in a scope: when it closes, the result and every temporary must be gone, the inputs not. Blocks
// below 4 KiB count as handed out until they are freed, so one that only the collector would find shows.
func (r *opRow) checkScope(t *testing.T, dev device.Device, dt dtype.DType) {
	if len(r.in) == 0 {
		return
	}
	x := r.tensors(dev, dt, !r.noGrad)
	for i := range x {
		x[i].Version() // inputs stay alive to the end
	}
	before := mem.ReadStats().Small
	s := tensor.NewScope()
	y := r.f(entered(s, x))
	if y.RequiresGrad() {
		g := tensor.OnesLike(y)
		y.Backward(tensor.Gradient(g))
		g.Release()
		for i := range x {
			if x[i].RequiresGrad() && x[i].Grad() != nil {
				x[i].Grad().Release()
			}
		}
	}
	s.Close()
	if after := mem.ReadStats().Small; after != before && dev == device.CPU {
		t.Errorf("%s of %s leaves %d bytes outside of its scope", r.name, dt, after-before)
	}
	err := tensor.Try(func() { tensor.Values[float64](y.Detach()) })
	if released := errors.Is(err, tensor.ErrReleased); released == r.view {
		t.Errorf("%s of %s: after its scope closed the result is released: %v, want %v", r.name, dt, released, !r.view)
	}
	for i := range x {
		if err := tensor.Try(func() { tensor.Values[float64](x[i].Detach()) }); err != nil {
			t.Errorf("%s of %s: after the scope closed input %d: %v", r.name, dt, i, err)
		}
	}
}

func entered(s *tensor.Scope, x []*tensor.Tensor) []*tensor.Tensor {
	y := slices.Clone(x)
	for i := range y {
		y[i] = s.Enter(y[i])
	}
	return y
}

// checkInPlace wants from the in-place form the bits and gradients of the other, in the memory of its destination, and
// one change counted.
func (r *opRow) checkInPlace(t *testing.T, dev device.Device) {
	if r.inPlace == nil {
		return
	}
	for _, dt := range r.allowed() {
		if r.resultType(dt) != dt {
			if err := tensor.Try(func() { r.inPlace(r.tensors(dev, dt, false)) }); !errors.Is(err, tensor.ErrDType) {
				t.Errorf("%s of %s in place: got %v, want a refusal of the result's dtype", r.name, dt, err)
			}
			continue
		}
		want := r.outcome(r.tensors(dev, dt, false))
		onCopy := *r
		onCopy.f = func(x []*tensor.Tensor) *tensor.Tensor {
			y := r.unleaf(x)
			z := r.inPlace(y)
			if !z.SharesStorage(y[0]) || y[0].Version() != 1 {
				t.Errorf("%s of %s in place: version %d, shares memory: %v; want 1, true", r.name, dt, y[0].Version(), z.SharesStorage(y[0]))
			}
			return z
		}
		for _, a := range arrangements {
			x := r.tensors(dev, dt, false)
			for i := range x {
				if !r.contiguousOnly {
					x[i] = a.lay(x[i])
				}
			}
			if at := want.differs(onCopy.outcome(x)); at != "" {
				t.Errorf("%s of %s in place, inputs %s: %s", r.name, dt, a.name, at)
			}
		}
		if dt.IsFloat() {
			err := tensor.Try(func() { r.inPlace(r.leaves(r.tensors(dev, dt, false), true)) })
			if !errors.Is(err, tensor.ErrAutograd) {
				t.Errorf("%s of %s in place on a leaf: got %v, want a refusal", r.name, dt, err)
			}
		}
	}
}
