package tensor_test

import (
	"math"
	"slices"
	"testing"

	"cresset/device"
	"cresset/tensor"
)

// checkReuse wants the right gradients where every operand is tracked, those that the row holds constant too; where each is
// used once more before the op and once more behind it, so that its gradient is added to one that waits; and where one
// tensor is two operands.
func (r *opRow) checkReuse(t *testing.T, dev device.Device) {
	if r.noGrad || !dev.IsCPU() {
		return
	}
	values := r.reshaped(dev, r.base(), nil)
	want, err := r.gradients(values, nil, false)
	if err != nil {
		t.Errorf("%s with all operands tracked: %v", r.name, err)
		return
	}
	got, err := r.gradients(values, nil, true)
	if err != nil {
		t.Errorf("%s of operands that are used before and after: %v", r.name, err)
		return
	}
	for i := range want {
		for k := range want[i] {
			want[i][k] += usedBefore + usedAfter
		}
		r.wantNear(t, "used before and after", i, got[i], want[i])
	}
	for i := range values {
		for j := range i {
			r.checkTwice(t, values, j, i)
		}
	}
}

// checkTwice makes one tensor operands i and j, and wants the sum of the gradients that two of its elements would get.
func (r *opRow) checkTwice(t *testing.T, values []*tensor.Tensor, i, j int) {
	if values[i].DType() != values[j].DType() || !values[i].DType().IsFloat() || !slices.Equal(values[i].Shape(), values[j].Shape()) {
		return
	}
	values = slices.Clone(values)
	values[j] = values[i]
	want, err := r.gradients(values, nil, false)
	if err != nil || len(want[i]) != len(want[j]) {
		return // an operand that may not have the values of the other, or not be tracked as it is
	}
	for k := range want[i] {
		want[i][k] += want[j][k] + usedBefore + usedAfter
	}
	same := map[int]int{j: i}
	got, err := r.gradients(values, same, true)
	if err != nil {
		t.Errorf("%s with one tensor as operands %d and %d: %v", r.name, i, j, err)
		return
	}
	r.wantNear(t, "twice an operand", i, got[i], want[i])
}

// What the other uses of an operand add to its gradient.
const usedBefore, usedAfter = 2, 3

// gradients returns the gradients of the row's inputs, all of which are tracked where that is possible; zeros for others. Input
// i that is in same is the tensor of input same[i]. With reuse, each is an operand of other ops too.
func (r *opRow) gradients(values []*tensor.Tensor, same map[int]int, reuse bool) ([][]float64, error) {
	grads, err := r.gradientsOf(values, same, reuse, func(int) bool { return true })
	if err != nil {
		return r.gradientsOf(values, same, reuse, func(i int) bool { return !r.in[i].constant })
	}
	return grads, nil
}

func (r *opRow) gradientsOf(values []*tensor.Tensor, same map[int]int, reuse bool, tracked func(int) bool) (grads [][]float64, err error) {
	x := make([]*tensor.Tensor, len(values))
	for i, v := range values {
		if twin, ok := same[i]; ok {
			x[i] = x[twin]
			continue
		}
		x[i] = v.Clone()
		if v.DType().IsFloat() && tracked(i) {
			x[i].SetRequiresGrad(true)
		}
	}
	err = tensor.Try(func() {
		before := usesOf(x, same, usedBefore)
		y := r.f(x)
		after := usesOf(x, same, usedAfter)
		w := newArray(y.Shape()...)
		for k := range w.v {
			w.v[k] = float64((5*k+3)%17-8)/8 + 0.0625
		}
		loss := y.Mul(w.tensor(y.Device(), y.DType())).Sum()
		if reuse {
			for _, use := range slices.Concat(before, after) {
				loss = loss.Add(use.Sum())
			}
		}
		if loss.RequiresGrad() {
			loss.Backward()
		}
	})
	for i := range x {
		if !x[i].RequiresGrad() {
			grads = append(grads, nil)
			continue
		}
		grads = append(grads, tensor.Values[float64](gradOf(x[i])))
	}
	return grads, err
}

// usesOf multiplies each tensor that is tracked.
func usesOf(x []*tensor.Tensor, same map[int]int, by float64) (y []*tensor.Tensor) {
	for i := range x {
		if _, twin := same[i]; !twin && x[i].RequiresGrad() {
			y = append(y, x[i].MulScalar(by))
		}
	}
	return y
}

func (r *opRow) wantNear(t *testing.T, how string, input int, got, want []float64) {
	t.Helper()
	largest := 1.0
	for _, w := range want {
		if !math.IsNaN(w) && !math.IsInf(w, 0) {
			largest = max(largest, math.Abs(w))
		}
	}
	limit := 64 * precisions[r.base()].unit * (largest + r.scale)
	for k, w := range want {
		if g := got[k]; !(math.Abs(g-w) <= limit) && g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Errorf("%s, %s: gradient of input %d, element %d is %v, want %v", r.name, how, input, k, g, w)
			return
		}
	}
}
