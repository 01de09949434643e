package tensor_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/gradcheck"
	"cresset/tensor"
)

// logistic is σ(scale·x), with a gradient made of ops.
type logistic struct{ scale float64 }

func (f *logistic) Forward(c *tensor.FunctionContext, x ...*tensor.Tensor) []*tensor.Tensor {
	y := x[0].MulScalar(f.scale).Sigmoid()
	c.Save(y)
	return []*tensor.Tensor{y}
}

func (f *logistic) Backward(c *tensor.FunctionContext, dy ...*tensor.Tensor) []*tensor.Tensor {
	y := c.Saved()[0]
	return []*tensor.Tensor{dy[0].Mul(y).Mul(y.RSubScalar(1)).MulScalar(f.scale)}
}

// A Function says how a result is computed, and its gradient; numbers are its fields.
func ExampleFunction() {
	x := tensor.Of([]float64{0}).SetRequiresGrad(true)
	y := tensor.Apply(&logistic{scale: 2}, x)[0]
	y.Backward()
	fmt.Println(y, x.Grad())
	// Output: tensor([0.5000], dtype=torch.float64, grad_fn=<logisticBackward>) tensor([0.5000], dtype=torch.float64)
}

// both is x·y, the sign of x, which has no gradient, and x + y.
type both struct{ seen []string }

func (f *both) Forward(c *tensor.FunctionContext, in ...*tensor.Tensor) []*tensor.Tensor {
	x, y := in[0], in[1]
	product, sum, sign := x.Mul(y), x.Add(y), x.Sign()
	c.Save(x, nil, y, product)
	c.MarkNonDifferentiable(sign)
	return []*tensor.Tensor{product, sign, sum}
}

func (f *both) Backward(c *tensor.FunctionContext, g ...*tensor.Tensor) []*tensor.Tensor {
	saved := c.Saved()
	f.seen = append(f.seen, fmt.Sprint(len(g), saved[1] == nil, c.NeedsInputGrad(0), c.NeedsInputGrad(1)))
	return []*tensor.Tensor{g[0].Mul(saved[2]).Add(g[2]), g[0].Mul(saved[0]).Add(g[2]), nil}
}

func TestFunctionOfSeveralResults(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		x := tensor.Of([]float64{1.5, -2}).To(dev)
		y := tensor.Of([]float64{0.25, 3}).To(dev)
		f := func(in []*tensor.Tensor) *tensor.Tensor {
			out := tensor.Apply(new(both), in[0], in[1])
			return out[0].Square().Add(out[2].Exp())
		}
		if err := errors.Join(gradcheck.Check("both", f, x, y), gradcheck.CheckSecond("both", f, x, y)); err != nil {
			t.Error(err)
		}
		if err := gradcheck.CheckSecond("one result", func(in []*tensor.Tensor) *tensor.Tensor {
			return tensor.Apply(&logistic{3}, in[0])[0]
		}, x); err != nil {
			t.Error(err)
		}
		call := new(both)
		leaf := x.Clone().SetRequiresGrad(true)
		out := tensor.Apply(call, leaf, y)
		if out[1].RequiresGrad() || !out[0].RequiresGrad() || out[2].GradFn() != "bothBackward" {
			t.Error("the wrong results track gradients")
		}
		out[2].Sum().Backward() // nothing arrives at the first result: zeros
		if got := tensor.Values[float64](leaf.Grad()); got[0] != 1 || got[1] != 1 {
			t.Errorf("the gradient is %v", got)
		}
		if got, want := strings.Join(call.seen, "; "), "3 true true false"; got != want {
			t.Errorf("Backward saw %s, want %s", got, want)
		}
		if tensor.Apply(new(both), x, y)[0].RequiresGrad() {
			t.Error("a result tracks gradients that no input does")
		}
	})
}

// given returns what the test wants as gradients.
type given struct {
	grads  func(dy *tensor.Tensor) []*tensor.Tensor
	sparse bool
}

func (f *given) Forward(c *tensor.FunctionContext, x ...*tensor.Tensor) []*tensor.Tensor {
	c.MaterializeGrads(!f.sparse)
	c.Save(x...)
	return []*tensor.Tensor{x[0].MulScalar(2), x[0].MulScalar(3)}
}

func (f *given) Backward(c *tensor.FunctionContext, dy ...*tensor.Tensor) []*tensor.Tensor {
	c.Saved()
	return f.grads(dy[1])
}

func TestFunctionMistakes(t *testing.T) {
	run := func(sparse bool, grads func(dy *tensor.Tensor) []*tensor.Tensor, options ...tensor.GradOption) *tensor.Tensor {
		x := tensor.Of([]float64{1, 2, 3}).SetRequiresGrad(true)
		out := tensor.Apply(&given{grads, sparse}, x)
		return tensor.Grad(out[0].Sum(), []*tensor.Tensor{x}, append(options, tensor.AllowUnused(true))...)[0]
	}
	for _, test := range []struct {
		text  string
		grads func(dy *tensor.Tensor) []*tensor.Tensor
	}{
		{"function givenBackward returned an incorrect number of gradients (expected 1, got 2)",
			func(dy *tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{dy, dy} }},
		{"function givenBackward returned an incorrect number of gradients (expected 1, got 0)",
			func(dy *tensor.Tensor) []*tensor.Tensor { return nil }},
		{"Function givenBackward returned an invalid gradient at index 0 - got [2] but expected shape compatible with [3]",
			func(dy *tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{tensor.Ones(2)} }},
	} {
		err := tensor.Try(func() { run(false, test.grads) })
		if !errors.Is(err, tensor.ErrAutograd) && !errors.Is(err, tensor.ErrShape) || !strings.Contains(fmt.Sprint(err), test.text) {
			t.Errorf("got %v, want %s", err, test.text)
		}
	}
	if g := run(false, func(dy *tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{nil, nil, nil} }); g != nil {
		t.Errorf("no gradient is %v", g)
	}
	wide := run(false, func(*tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{tensor.Ones(4, 3)} })
	if got := tensor.Values[float64](wide); wide.DType() != dtype.Float64 || got[0] != 4 {
		t.Errorf("a broad float32 gradient became %v", wide)
	}
	run(true, func(dy *tensor.Tensor) []*tensor.Tensor {
		if dy != nil {
			t.Error("there is a gradient of a result on which nothing depends")
		}
		return []*tensor.Tensor{nil}
	})
}

func TestFunctionThatIsDifferentiatedTwice(t *testing.T) {
	x := tensor.Of([]float64{1, 2}).SetRequiresGrad(true)
	constant := &given{grads: func(*tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{tensor.Of([]float64{2, 2})} }}
	g := derivative(tensor.Apply(constant, x)[0], x)
	err := tensor.Try(func() { g.Sum().Backward() })
	if !errors.Is(err, tensor.ErrAutograd) || !strings.Contains(fmt.Sprint(err), "trying to differentiate twice a function that was marked with @once_differentiable") {
		t.Errorf("got %v", err)
	}
}

func TestFunctionWatchesWhatItSaved(t *testing.T) {
	x := tensor.Of([]float64{1, 2}).SetRequiresGrad(true)
	y := x.MulScalar(2)
	z := tensor.Apply(new(both), y, y)[0].Sum()
	y.Detach().AddScalarInPlace(1)
	err := tensor.Try(func() { z.Backward() })
	if !errors.Is(err, tensor.ErrAutograd) || !strings.Contains(fmt.Sprint(err), "modified by an inplace operation") {
		t.Errorf("got %v", err)
	}
	once := tensor.Apply(&logistic{1}, x)[0].Sum()
	once.Backward()
	if err := tensor.Try(func() { once.Backward() }); err == nil || !strings.Contains(err.Error(), "second time") {
		t.Errorf("got %v", err)
	}
}
