package optim_test

import (
	"fmt"
	"testing"

	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

func ExampleFor() {
	net := nn.NewSequential(nn.NewLinear(2, 2), nn.NewLayerNorm([]int{2}))
	flat := optim.Named("*bias", "1.*")
	opt := optim.NewAdamW(nn.Parameters(net), optim.LR(0.1), optim.For[optim.AdamOption](flat, optim.WeightDecay(0), optim.LR(0.01)))
	for _, g := range opt.Groups() {
		fmt.Println(len(g.Params), g.LR)
	}
	// Output:
	// 1 0.1
	// 3 0.01
}

func TestFor(t *testing.T) {
	net := nn.NewLinear(3, 2)
	flat := func(_ string, p *tensor.Tensor) bool { return p.Dim() < 2 }
	// The options of a group start from all others, wherever those stand. Of two that fit the first counts.
	opt := optim.NewSGD(nn.Parameters(net), optim.For[optim.SGDOption](flat, optim.Momentum(0.5), optim.LR(2)),
		optim.For(optim.Named("*"), optim.LR(4)), optim.WeightDecay(0.25))
	groups := opt.StateDict()["param_groups"].([]map[string]any)
	if len(groups) != 2 {
		t.Fatalf("got %v", groups)
	}
	for i, want := range []map[string]any{
		{"lr": 2.0, "momentum": 0.5, "weight_decay": 0.25}, {"lr": 4.0, "momentum": 0.0, "weight_decay": 0.25},
	} {
		for name, v := range want {
			if groups[i][name] != v {
				t.Errorf("group %d: %s is %v, want %v", i, name, groups[i][name], v)
			}
		}
	}
	for want, f := range map[string]func(){
		"no parameter fits group 1 of the optimizer": func() {
			optim.NewSGD(nn.Parameters(net), optim.For(optim.Named("norm*"), optim.LR(1)))
		},
		"Invalid learning rate: -1.0":   func() { optim.NewSGD(nn.Parameters(net), optim.For(flat, optim.LR(-1))) },
		`syntax error in pattern: "[a"`: func() { optim.Named("[a") },
	} {
		if err := tensor.Try(f); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestMomentumThatAScheduleTurnsOn: an optimizer that was made without momentum has one from when a schedule sets it.
func TestMomentumThatAScheduleTurnsOn(t *testing.T) {
	for name, make := range map[string]func(p *tensor.Tensor) optim.Optimizer{
		"SGD":     func(p *tensor.Tensor) optim.Optimizer { return optim.NewSGD(params(p)) },
		"RMSprop": func(p *tensor.Tensor) optim.Optimizer { return optim.NewRMSprop(params(p)) },
	} {
		p := tensor.Parameter(tensor.Ones(1))
		o := make(p)
		p.MulScalar(2).Sum().Backward()
		o.Step()
		optim.NewOneCycleLR(o, []float64{0.1}, 10)
		o.Step()
		kept := o.(stateful).StateDict()["state"].(map[int]map[string]any)[0]
		if kept["momentum_buffer"] == nil {
			t.Errorf("%s keeps %v", name, kept)
		}
	}
}
