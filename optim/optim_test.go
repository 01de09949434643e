package optim_test

import (
	"maps"
	"math"
	"testing"

	"cresset/optim"
	"cresset/tensor"
)

func params(ts ...*tensor.Tensor) func(yield func(string, *tensor.Tensor) bool) {
	return func(yield func(string, *tensor.Tensor) bool) {
		for _, t := range ts {
			if !yield("p", t) {
				return
			}
		}
	}
}

func TestErrors(t *testing.T) {
	leaf := tensor.Ones(1).SetRequiresGrad(true)
	o := optim.NewSGD(params(leaf), optim.LR(1))
	const factor = "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
	cases := []struct {
		name, want string
		f          func()
	}{
		{"empty", "optimizer got an empty parameter list", func() { optim.NewSGD(maps.All(map[string]*tensor.Tensor{}), optim.LR(1)) }},
		{"no leaf", "can't optimize a non-leaf Tensor", func() { optim.NewAdam(params(leaf.MulScalar(2))) }},
		{"learning rate", "Invalid learning rate: -1.0", func() { optim.NewSGD(params(leaf), optim.LR(-1)) }},
		{"NaN", "Invalid learning rate: nan", func() { optim.NewSGD(params(leaf), optim.LR(math.NaN())) }},
		{"momentum", "Invalid momentum value: -0.5", func() { optim.NewSGD(params(leaf), optim.Momentum(-0.5)) }},
		{"nesterov", "Nesterov momentum requires a momentum and zero dampening", func() { optim.NewSGD(params(leaf), optim.Nesterov(true)) }},
		{"beta", "Invalid beta parameter at index 1: 1.0", func() { optim.NewAdam(params(leaf), optim.Betas(0.9, 1)) }},
		{"group", "Invalid learning rate: -1.0", func() { optim.NewGroup(params(leaf), -1) }},
		{"step size", "Invalid step_size: 0", func() { optim.NewStepLR(o, 0, optim.Gamma(0.1)) }},
		{"period", "Invalid T_max: -3", func() { optim.NewCosineAnnealingLR(o, -3) }},
		{"steps", "Invalid total_iters: 0", func() { optim.NewLinearLR(o, optim.StartFactor(0.5), optim.TotalIters(0)) }},
		{"no start", factor, func() { optim.NewLinearLR(o, optim.StartFactor(0), optim.TotalIters(5)) }},
		{"warm-up above", factor, func() { optim.NewWarmup(o, 1.5, 5, optim.NewStepLR(o, 1, optim.Gamma(0.5))) }},
	}
	for _, c := range cases {
		if err := tensor.Try(c.f); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

func TestParametersWithoutGradientStay(t *testing.T) {
	p, q := tensor.Ones(1).SetRequiresGrad(true), tensor.Ones(1).SetRequiresGrad(true)
	p.MulScalar(2).Sum().Backward()
	for _, o := range []optim.Optimizer{
		optim.NewSGD(params(p, q), optim.LR(0.1), optim.Momentum(0.9)), optim.NewAdam(params(p, q)),
	} {
		before := p.Detach().Clone()
		o.Step()
		if q.Detach().Float64() != 1 || p.Detach().Equal(before) {
			t.Errorf("%T: p is %v, q is %v", o, p, q)
		}
		o.ZeroGrad()
		if p.Grad() != nil {
			t.Errorf("%T: ZeroGrad left a gradient", o)
		}
		p.MulScalar(2).Sum().Backward()
	}
}

func TestStepOnStridedParameter(t *testing.T) {
	base := tensor.Of([][]float32{{1, 2, 3}, {4, 5, 6}})
	p := tensor.Parameter(base.T())
	p.Mul(tensor.Of([][]float32{{1, 2}, {3, 4}, {5, 6}})).Sum().Backward()
	optim.NewSGD(params(p), optim.LR(1)).Step()
	want := []float64{0, 2, -1, 1, -2, 0}
	for i, v := range tensor.Values[float64](p.Detach()) {
		if v != want[i] {
			t.Fatalf("parameter is %v, want %v", p, want)
		}
	}
}
