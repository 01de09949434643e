package optim_test

import (
	"errors"
	"strings"
	"testing"

	"cresset/optim"
	"cresset/tensor"
)

type dict = map[string]any

// ofTwoGroups is what PyTorch 2.15 saves of AdamW with a group for a weight and one for a bias, after a step with gradients of 1
// and 2, and what it saves of its StepLR.
func ofTwoGroups(first, second dict) (optimizer, schedule dict) {
	kept := func(shape []int, mean, square float64) dict {
		full := func(v float64) *tensor.Tensor { return tensor.Full(shape, v) }
		return dict{"step": tensor.Of(float32(1)), "exp_avg": full(mean), "exp_avg_sq": full(square)}
	}
	group := func(number int, changed dict) dict {
		g := dict{"lr": 0.125, "betas": []float64{0.9, 0.999}, "eps": 1e-8, "weight_decay": 0.01, "amsgrad": false, "maximize": false,
			"foreach": nil, "capturable": false, "differentiable": false, "fused": nil, "decoupled_weight_decay": true,
			"initial_lr": 0.125, "params": []int{number}}
		for name, v := range changed {
			g[name] = v
		}
		return g
	}
	optimizer = dict{"state": map[int]any{0: kept([]int{2, 2}, 0.1, 0.001), 1: kept([]int{2}, 0.2, 0.004)},
		"param_groups": []any{group(0, first), group(1, second)}}
	schedule = dict{"step_size": 10, "gamma": 0.1, "base_lrs": []float64{0.125, 0.125}, "last_epoch": 1, "_step_count": 2,
		"_is_initial": false, "_get_lr_called_within_step": false, "_last_lr": []float64{0.125, 0.125}}
	return optimizer, schedule
}

// TestGroupsThatAreAlikeLoadAsOne loads what PyTorch keeps of two groups with the same settings.
func TestGroupsThatAreAlikeLoadAsOne(t *testing.T) {
	state, schedule := ofTwoGroups(dict{"name": "weights"}, dict{"name": "biases"})
	o := optim.NewAdamW(params(tensor.Ones(2, 2).SetRequiresGrad(true), tensor.Ones(2).SetRequiresGrad(true)))
	s := optim.NewStepLR(o, 5).(stateful)
	if err := errors.Join(o.LoadStateDict(state), s.LoadStateDict(schedule)); err != nil {
		t.Fatal(err)
	}
	got := o.StateDict()
	if d := same("", got["state"], state["state"]); d != "" {
		t.Error(d)
	}
	groups := got["param_groups"].([]dict)
	if d := same("", groups[0]["params"], []int{0, 1}); len(groups) != 1 || d != "" || o.Groups()[0].LR != 0.125 {
		t.Errorf("got %v", groups)
	}
	if d := same("", s.StateDict()["base_lrs"], []float64{0.125}); d != "" {
		t.Error(d)
	}
}

// TestGroupsThatDifferAreRefused names the setting and the groups, and what amsgrad keeps has no place here.
func TestGroupsThatDifferAreRefused(t *testing.T) {
	for _, c := range []struct {
		first, second dict
		want          string
	}{
		{nil, dict{"weight_decay": 0}, "param_groups[0] and param_groups[1] differ in weight_decay, 0.01 and 0: "},
		{nil, dict{"lr": 0.5}, "param_groups[0] and param_groups[1] differ in lr, 0.125 and 0.5: "},
		{nil, dict{"betas": []float64{0.9, 0.99}}, "differ in betas, [0.9 0.999] and [0.9 0.99]: "},
		{dict{"initial_lr": nil}, nil, "differ in initial_lr, <nil> and 0.125: "},
		{dict{"amsgrad": true}, dict{"amsgrad": true}, "no state[0].max_exp_avg_sq"},
		{nil, dict{"params": []int{1, 2}}, "a parameter group that doesn't match the size of optimizer's group"},
	} {
		state, _ := ofTwoGroups(c.first, c.second)
		o := optim.NewAdamW(params(tensor.Ones(2, 2).SetRequiresGrad(true), tensor.Ones(2).SetRequiresGrad(true)))
		before := o.StateDict()
		if err := o.LoadStateDict(state); !errors.Is(err, tensor.ErrValue) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
		if d := same("", o.StateDict(), before); d != "" {
			t.Errorf("%s: a refused state changed the optimizer: %s", c.want, d)
		}
	}
	_, schedule := ofTwoGroups(nil, nil)
	schedule["base_lrs"] = []float64{0.125, 0.5}
	s := optim.NewStepLR(optim.NewSGD(params(tensor.Ones(1).SetRequiresGrad(true))), 5).(stateful)
	if err := s.LoadStateDict(schedule); err == nil || !strings.Contains(err.Error(), "learning rates of 2 groups") {
		t.Errorf("a schedule of groups that differ: %v", err)
	}
}
