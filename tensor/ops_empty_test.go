package tensor_test

import (
	"errors"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// Long axes go beyond the pieces into which kernels cut rows, of 64 Ki elements, and columns, of 512.

// checkLargeEmpty takes all elements from each axis of the row in turn and makes each other axis long. What the op computes
// then, and its gradient, must have the right shape and values; it may refuse the shapes, as any other, by an *Error. Indices
// have the values that they have in the row, so on a GPU, which a wrong index ends, rows with indices are left out.
func (r *opRow) checkLargeEmpty(t *testing.T, dev device.Device) {
	if r.noEmpty != "" || !dev.IsCPU() && slices.ContainsFunc(r.in, func(a arg) bool { return a.dtype == dtype.Int64 }) {
		return
	}
	extents, length, most, dtypes := r.extents(), 520, 1<<16, r.allowed()
	if !dev.IsCPU() { // simulated, most of the time; a block takes up to 256 elements
		length, most, dtypes = 260, 1<<12, dtypes[:1]
	}
	for _, gone := range extents {
		for _, long := range extents {
			if long == gone {
				continue
			}
			shapes, elements := r.withExtent(map[int]int{gone: 0, long: length})
			_, places := r.withExtent(map[int]int{gone: 1, long: length}) // a GPU may have a block for each, be there elements or not
			if elements < most && (dev.IsCPU() || places < 1<<14) {
				for _, dt := range dtypes {
					r.checkEmptyOf(t, dev, dt, shapes)
				}
			}
			if shapes, elements := r.withExtent(map[int]int{gone: 0, long: 66_000}); elements == 0 && len(r.in) == 1 && dev.IsCPU() {
				r.checkEmptyOf(t, dev, r.base(), shapes)
			}
		}
	}
}

// extents returns the extents of the row's axes, each once.
func (r *opRow) extents() (extents []int) {
	for _, a := range r.in {
		for _, n := range a.shape {
			if !slices.Contains(extents, n) {
				extents = append(extents, n)
			}
		}
	}
	return extents
}

// withExtent returns the row's shapes with other extents, and how many elements they have together.
func (r *opRow) withExtent(other map[int]int) (shapes [][]int, elements int) {
	shapes = make([][]int, len(r.in))
	for i, a := range r.in {
		shapes[i] = slices.Clone(a.shape)
		for k, n := range shapes[i] {
			if m, ok := other[n]; ok {
				shapes[i][k] = m
			}
		}
		elements += extent(shapes[i])
	}
	return shapes, elements
}

func (r *opRow) checkEmptyOf(t *testing.T, dev device.Device, dt dtype.DType, shapes [][]int) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s of %s%v: panic: %v", r.name, dt, shapes, p)
		}
	}()
	x := r.leaves(r.reshaped(dev, dt, shapes), !r.noGrad)
	var y *tensor.Tensor
	if err := tensor.Try(func() { y = r.f(x) }); err != nil {
		if errors.Is(err, tensor.ErrMemory) {
			t.Error(err)
		}
		return
	}
	if r.ref != nil && y.NumEl() < 1<<17 {
		r.compare(t, dev, dt, y.Detach(), elementwise(r.ref, r.arraysOf(dt, shapes)))
	}
	if !y.RequiresGrad() {
		return
	}
	y.Backward(tensor.Gradient(tensor.ZerosLike(y)))
	for i := range x {
		if x[i].RequiresGrad() && !gradOf(x[i]).Shape().Equal(x[i].Shape()) {
			t.Errorf("%s of %s%v: gradient of input %d has shape %v", r.name, dt, shapes, i, x[i].Grad().Shape())
		}
	}
}
