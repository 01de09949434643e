package optim_test

import (
	"testing"

	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// TestStatedDefaults wants an option that states its default to change no bit, and one that states another value to change some.
func TestStatedDefaults(t *testing.T) {
	muon := func(opts ...optim.MuonOption) func(*nn.Linear) optim.Optimizer {
		return func(l *nn.Linear) optim.Optimizer { return optim.NewMuon(nn.Parameters(l), opts...) }
	}
	adafactor := func(opts ...optim.AdafactorOption) func(*nn.Linear) optim.Optimizer {
		return func(l *nn.Linear) optim.Optimizer { return optim.NewAdafactor(nn.Parameters(l), opts...) }
	}
	for _, c := range []struct {
		name                    string
		unless, stated, another func(*nn.Linear) optim.Optimizer
	}{
		{"NSCoefficients", muon(), muon(optim.NSCoefficients(3.4445, -4.775, 2.0315)), muon(optim.NSCoefficients(2, -1.5, 0.5))},
		{"Eps1", adafactor(), adafactor(optim.Eps1(0x1p-23)), adafactor(optim.Eps1(10))},
		{"Eps2", adafactor(), adafactor(optim.Eps2(1e-3)), adafactor(optim.Eps2(100))},
	} {
		weights := func(of func(*nn.Linear) optim.Optimizer) *tensor.Tensor {
			tensor.ManualSeed(0)
			l := nn.NewLinear(4, 3, nn.Bias(false))
			opt := of(l)
			for range 3 {
				opt.ZeroGrad()
				l.Forward(tensor.Rand(5, 4)).Square().Sum().Backward()
				opt.Step()
			}
			return l.Weight.Detach()
		}
		want := weights(c.unless)
		if got := weights(c.stated); !got.Equal(want) {
			t.Errorf("%s: the default as an option gives\n%v, want\n%v", c.name, got, want)
		}
		if got := weights(c.another); got.Equal(want) {
			t.Errorf("%s has no effect", c.name)
		}
	}
}
