package optim_test

import (
	"fmt"
	"iter"

	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// fit makes a step towards y = 2x.
func fit(net *nn.Linear, opt optim.Optimizer) {
	x := tensor.Of([][]float32{{1}, {2}, {3}})
	opt.ZeroGrad()
	tensor.MSELoss(net.Forward(x), x.MulScalar(2)).Backward()
	opt.Step()
}

func ExampleNewSGD() {
	tensor.ManualSeed(0)
	net := nn.NewLinear(1, 1, nn.Bias(false))
	opt := optim.NewSGD(nn.Parameters(net), optim.LR(0.05), optim.Momentum(0.5))
	for range 50 {
		fit(net, opt)
	}
	fmt.Printf("%.3f\n", net.Weight.Float64())
	// Output: 2.000
}

func ExampleNewAdamW() {
	tensor.ManualSeed(0)
	net := nn.NewLinear(1, 1, nn.Bias(false))
	opt := optim.NewAdamW(nn.Parameters(net), optim.LR(0.1), optim.WeightDecay(0))
	for range 200 {
		fit(net, opt)
	}
	fmt.Printf("%.3f\n", net.Weight.Float64())
	// Output: 2.000
}

func ExampleNewCosineAnnealingLR() {
	opt := optim.NewSGD(nn.Parameters(nn.NewLinear(1, 1)), optim.LR(0.1))
	schedule := optim.NewCosineAnnealingLR(opt, 4, optim.EtaMin(0.02))
	for range 4 {
		opt.Step()
		schedule.Step()
		fmt.Printf("%.3f ", opt.Groups()[0].LR)
	}
	// Output: 0.088 0.060 0.032 0.020
}

// signSGD is an optimizer of the caller's own: it moves each parameter by the learning rate, whatever the size of its gradient.
type signSGD struct{ group *optim.Group }

func newSignSGD(ps iter.Seq2[string, *tensor.Tensor], lr float64) *signSGD {
	return &signSGD{optim.NewGroup(ps, lr)}
}

func (s *signSGD) Groups() []*optim.Group { return []*optim.Group{s.group} }

func (s *signSGD) ZeroGrad() { s.group.ZeroGrad() }

func (s *signSGD) Step() {
	for _, p := range s.group.Params {
		if g := p.Grad(); g != nil {
			p.Detach().AddScaledInPlace(g.Sign(), -s.group.LR)
		}
	}
}

// An optimizer has three methods; schedules work with it.
func ExampleOptimizer() {
	tensor.ManualSeed(0)
	net := nn.NewLinear(1, 1, nn.Bias(false))
	opt := newSignSGD(nn.Parameters(net), 0.5)
	schedule := optim.NewStepLR(opt, 10, optim.Gamma(0.5))
	for range 100 {
		fit(net, opt)
		schedule.Step()
	}
	fmt.Printf("%.2f\n", net.Weight.Float64())
	// Output: 2.00
}
