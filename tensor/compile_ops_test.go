package tensor_test

import (
	"errors"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/tensor"
)

// notCompiled are the rows that a compiled function refuses, since they read values on their way.
var notCompiled = []string{
	"repeat_interleave by counts", "masked_select", "masked_scatter", "bincount", "bincount with weights", "histc", "searchsorted with a sorter",
	"gaussian_nll_loss mean", "gaussian_nll_loss sum", "gaussian_nll_loss none",
	"binary_cross_entropy mean", "binary_cross_entropy sum", "binary_cross_entropy none",
	"multi_margin_loss mean", "multi_margin_loss sum", "multi_margin_loss none",
	"multilabel_margin_loss mean", "multilabel_margin_loss sum", "multilabel_margin_loss none",
	"linalg.cholesky", "linalg.solve", "linalg.inv", "linalg.pinv", "unscale", "linalg.eigh", "linalg.eigvalsh", "linalg.svd", "linalg.svdvals",
}

// TestOpsCompiled compares each row of the op table, with elementwise ops behind it, compiled and as it is: values and gradients must
// have the same bits when the function is recorded and when it runs from the recording.
func TestOpsCompiled(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		for _, r := range allRows() {
			t.Run(r.name, func(t *testing.T) {
				r := r.on(t, dev)
				elementwise := r.ref != nil
				if r.draws || !elementwise && !dev.IsCPU() {
					t.Skip("other kernels are not touched")
				}
				for _, dt := range r.allowed() {
					if elementwise && !race.Enabled || dt == r.base() {
						r.checkCompiled(t, dev, dt)
					}
				}
			})
		}
	})
}

// checkCompiled compares the row in a dtype, once on contiguous inputs and once on others.
func (r *opRow) checkCompiled(t *testing.T, dev device.Device, dt dtype.DType) {
	layouts := []func(x *tensor.Tensor) *tensor.Tensor{func(x *tensor.Tensor) *tensor.Tensor { return x }, reversed}
	if r.contiguousOnly {
		layouts = layouts[:1]
	}
	for _, lay := range layouts {
		x := r.tensors(dev, dt, false)
		for i := range x {
			x[i] = lay(x[i])
		}
		want, err := r.ran(r.chained, x)
		compiled := tensor.Compile(r.chained)
		for _, when := range []string{"recorded", "replayed"} {
			got, failed := r.ran(compiled, x)
			if errors.Is(failed, tensor.ErrCompile) && slices.Contains(notCompiled, r.name) {
				return
			}
			if (failed == nil) != (err == nil) || err != nil && failed.Error() != err.Error() {
				t.Fatalf("%s in %s: %v, want %v", when, dt, failed, err)
			}
			for i := range want {
				if !sameBits(want[i], got[i]) {
					t.Fatalf("%s in %s, result or gradient %d:\n%v, want\n%v", when, dt, i, got[i], want[i])
				}
			}
		}
	}
}

// chained is the row with ops behind it that may join it.
func (r *opRow) chained(x ...*tensor.Tensor) []*tensor.Tensor {
	y := r.f(x)
	if y.DType() == dtype.Bool {
		return []*tensor.Tensor{y.LogicalNot()}
	}
	return []*tensor.Tensor{y.Mul(y).AddScalar(3).Sub(y)}
}

// ran returns the results of a function, and the gradients of the inputs that have some.
func (r *opRow) ran(f func(x ...*tensor.Tensor) []*tensor.Tensor, values []*tensor.Tensor) (all []array, err error) {
	tensor.ManualSeed(3)
	x := make([]*tensor.Tensor, len(values))
	for i := range x {
		x[i] = values[i].Detach()
		if x[i].DType().IsFloat() && !r.in[i].constant && !r.noGrad {
			x[i].SetRequiresGrad(true)
		}
	}
	err = tensor.Try(func() {
		y := f(x...)[0]
		all = append(all, arrayOf(y.Detach()))
		if y.RequiresGrad() {
			y.Backward(tensor.Gradient(tensor.OnesLike(y)))
		}
		for i := range x {
			if g := x[i].Grad(); g != nil {
				all = append(all, arrayOf(g))
			}
		}
	})
	return all, err
}
