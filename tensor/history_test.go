package tensor_test

import (
	"errors"
	"testing"

	"cresset/tensor"
)

const staleText = "a view that tracks gradients is used after its base was modified by an inplace operation; take the view again"

// In PyTorch all of these would track gradients, because what they share memory with does since.
func TestStaleTensorsAreRefusedNotCutOff(t *testing.T) {
	w := leafOf(2, 3)
	changed := func(take func(base *tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
		base := tensor.Zeros(2)
		v := take(base)
		base.AddInPlace(w)
		return v
	}
	view := func() *tensor.Tensor {
		return changed(func(base *tensor.Tensor) *tensor.Tensor { return base.View(2) })
	}
	entered := func() *tensor.Tensor {
		return changed(func(base *tensor.Tensor) *tensor.Tensor { return tensor.NewScope().Enter(base) })
	}
	for name, f := range map[string]func(){
		"view times a leaf":         func() { view().Mul(w) },
		"view alone":                func() { view().Exp() },
		"view of a view":            func() { view().View(2, 1) },
		"copy of a view":            func() { view().Clone() },
		"view as the other operand": func() { w.Add(view()) },
		"view added in place":       func() { tensor.Ones(2).AddInPlace(view()) },
		"view copied in place":      func() { tensor.Ones(2).CopyInPlace(view()) },
		"view changed in place":     func() { view().MulScalarInPlace(0) },
		"view filled":               func() { view().ZeroInPlace() },
		"view drawn anew":           func() { view().UniformInPlace(0, 1) },
		"view made a leaf":          func() { view().SetRequiresGrad(true) },
		"entered into a scope":      func() { entered().Mul(w) },
		"entered, alone":            func() { entered().Sum() },
		"row before a copy": func() {
			out := tensor.Zeros(2, 1)
			row := out.Select(0, 0)
			out.CopyInPlace(leafOf(2).Expand(2, 1))
			row.Mul(row)
		},
		"base after a scope's change": func() {
			base := tensor.Zeros(2)
			tensor.NewScope().Enter(base).AddInPlace(w)
			base.Sum()
		},
		"Backward of a view": func() {
			y := leafOf(2).MulScalar(2)
			v := y.View()
			y.MulScalarInPlace(3)
			v.Backward()
		},
		"Grad with regard to a view": func() {
			y := leafOf(2).MulScalar(2)
			v := y.View(1)
			z := v.Exp()
			y.MulScalarInPlace(3)
			tensor.Grad(z, []*tensor.Tensor{v})
		},
	} {
		if err := tensor.Try(f); !errors.Is(err, tensor.ErrAutograd) || err.Error() != staleText {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if got := tensor.Values[float64](view()); got[0] != 2 {
		t.Errorf("the elements of a stale view are %v, want those of its base", got)
	}
}

func TestCopyInPlaceRefusesBeforeItWrites(t *testing.T) {
	w, base, to := leafOf(2, 3), tensor.Zeros(2), tensor.Ones(2)
	v := base.View(2)
	base.AddInPlace(w)
	if err := tensor.Try(func() { to.CopyInPlace(v) }); err == nil {
		t.Error("a stale view was copied")
	}
	wantValues(t, "the refused target", to, 1, 1)
	if to.Version() != 0 {
		t.Errorf("the refused target is at version %d", to.Version())
	}
}

func TestDetachedTensorsAreNeverStale(t *testing.T) {
	w := leafOf(2, 3)
	x := tensor.Zeros(2)
	d := x.Detach()
	row, p := d.View(2, 1), tensor.Parameter(x)
	x.AddInPlace(w)
	wantValues(t, "detached", d.MulScalar(2), 4, 6)
	wantValues(t, "view of detached", row.MulScalar(2), 4, 6)
	p.Mul(p).Sum().Backward()
	wantValues(t, "gradient of a parameter over it", p.Grad(), 4, 6)
}

func TestRecordedChangeOfDetachedLeavesTheOriginalAlone(t *testing.T) {
	w := leafOf(2, 3)
	x := tensor.Zeros(2)
	d := x.Detach()
	row := d.View(2)
	d.AddInPlace(w)
	wantValues(t, "original", x.MulScalar(2), 4, 6)
	if err := tensor.Try(func() { row.Sum() }); err == nil || err.Error() != staleText {
		t.Errorf("a view of the detached tensor: %v", err)
	}
	d.Mul(d).Sum().Backward()
	wantValues(t, "gradient", w.Grad(), 4, 6)
}
