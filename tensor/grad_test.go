package tensor_test

import (
	"testing"

	"cresset/dtype"
	"cresset/tensor"
)

func TestGradOfOneInputTwice(t *testing.T) {
	x := leafOf(1, 2)
	for i, g := range tensor.Grad(x.Mul(x).Sum(), []*tensor.Tensor{x, x}) {
		wantValues(t, []string{"first", "second"}[i], g, 2, 4)
	}
}

func TestGradWalksOnlyToItsInputs(t *testing.T) {
	x := leafOf(1, 2)
	ran := 0
	below := x.Mul(x)
	below.RegisterHook(func(*tensor.Tensor) *tensor.Tensor { ran++; return nil })
	m := below.MulScalar(2)
	aside := x.Exp().Mul(x)
	y := m.Mul(m).Add(aside).Sum()
	wantValues(t, "gradient of the middle", tensor.Grad(y, []*tensor.Tensor{m})[0], 4, 16)
	if ran != 0 {
		t.Error("a node below the input was walked")
	}
	for name, z := range map[string]*tensor.Tensor{"below": m, "aside": aside} {
		if err := tensor.Try(func() { z.Sum().Backward() }); err != nil {
			t.Errorf("what lies %s was given up: %v", name, err)
		}
	}
	if err := tensor.Try(func() { y.Backward() }); err == nil {
		t.Error("what was walked kept its saved values")
	}
}

func TestGradOfUnusedInputs(t *testing.T) {
	x, unused := leafOf(1, 2), leafOf(3)
	both := []*tensor.Tensor{x, unused}
	g := tensor.Grad(x.Sum(), both, tensor.MaterializeGrads(true))
	wantValues(t, "gradient", g[0], 1, 1)
	wantValues(t, "gradient of what is not used", g[1], 0)
	for want, inputs := range map[string][]*tensor.Tensor{
		"The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.": both,
		"`inputs` argument to `grad()` cannot be empty.": nil,
	} {
		if err := tensor.Try(func() { tensor.Grad(x.Sum(), inputs) }); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestGradOfOutputItself(t *testing.T) {
	y := leafOf(3).MulScalar(2)
	wantValues(t, "gradient", tensor.Grad(y, []*tensor.Tensor{y})[0], 1)
}

func TestRetainGradSurvivesInPlace(t *testing.T) {
	for name, change := range map[string]func(y, x *tensor.Tensor){
		"add_":   func(y, x *tensor.Tensor) { y.AddScalarInPlace(1) },
		"copy_":  func(y, x *tensor.Tensor) { y.CopyInPlace(x) },
		"copy_2": func(y, x *tensor.Tensor) { y.CopyInPlace(x).MulScalarInPlace(5) },
		"zero_":  func(y, x *tensor.Tensor) { y.ZeroInPlace() },
	} {
		x := leafOf(1, 2)
		y := x.MulScalar(2)
		hooked := 0
		y.RegisterHook(func(*tensor.Tensor) *tensor.Tensor { hooked++; return nil })
		y.RetainGrad()
		change(y, x)
		y.MulScalar(3).Sum().Backward()
		wantValues(t, name, y.Grad(), 3, 3)
		if hooked > 1 {
			t.Errorf("%s: the hook ran %d times", name, hooked)
		}
	}
}

func TestFrozenLeafKeepsItsGradient(t *testing.T) {
	x := leafOf(1, 2)
	y := x.Mul(x).Sum()
	x.Sum().Backward()
	x.SetRequiresGrad(false)
	wantValues(t, "grad while frozen", x.Grad(), 1, 1)
	y.Backward(tensor.RetainGraph(true))
	wantValues(t, "grad after a Backward while frozen", x.Grad(), 1, 1)
	x.SetData(tensor.Of([]float64{5, 6}))
	if g := x.Grad(); g == nil || g.DType() != dtype.Float64 {
		t.Errorf("the gradient does not follow SetData: %v", g)
	}
	x.SetRequiresGrad(true).MulScalar(2).Sum().Backward()
	wantValues(t, "grad when it goes on", x.Grad(), 3, 3)
	x.SetRequiresGrad(false)
	x.ZeroGrad()
	if x.SetRequiresGrad(true).Grad() != nil {
		t.Error("ZeroGrad of a frozen leaf left a gradient")
	}
}

func TestHookMustNotChangeTheKind(t *testing.T) {
	for want, f := range map[string]func(g *tensor.Tensor) *tensor.Tensor{
		"hook has changed the type of value (was CPUFloatType got CPUDoubleType)": (*tensor.Tensor).Double,
		"hook has changed the size of value":                                      (*tensor.Tensor).Sum,
	} {
		x := leafOf(1, 2)
		x.RegisterHook(f)
		if err := tensor.Try(func() { x.Sum().Backward() }); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestGradientsOfDifferentShapesDoNotMix(t *testing.T) {
	for _, c := range []struct {
		name, want string
		f          func(x *tensor.Tensor)
	}{
		{"old gradient", "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0", func(x *tensor.Tensor) {
			x.Sum().Backward()
			x.SetData(tensor.Ones(3))
			x.Sum().Backward()
		}},
		{"old gradient that broadcasts", "a gradient of shape [1] cannot be added to the one of shape [2] that SetData left; call ZeroGrad", func(x *tensor.Tensor) {
			x.Sum().Backward()
			x.SetData(tensor.Ones(1))
			x.Sum().Backward()
		}},
		{"old graph", "Function SumBackward0 returned an invalid gradient at index 0 - got [2] but expected shape compatible with [3]", func(x *tensor.Tensor) {
			y := x.Sum()
			x.SetData(tensor.Ones(3))
			y.Backward()
		}},
		{"two graphs", "Function SumBackward0 returned an invalid gradient at index 0 - got [2] but expected shape compatible with [3]", func(x *tensor.Tensor) {
			y := x.Sum()
			x.SetData(tensor.Ones(3))
			y.Add(x.Sum()).Backward()
		}},
		{"part of an old leaf", "Function SelectBackward0 returned an invalid gradient at index 0 - got [2] but expected shape compatible with [1]", func(x *tensor.Tensor) {
			y := x.Select(0, 1)
			x.SetData(tensor.Ones(1))
			y.Backward()
		}},
	} {
		if err := tensor.Try(func() { c.f(leafOf(1, 2)) }); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}
