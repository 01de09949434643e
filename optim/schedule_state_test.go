package optim_test

import (
	"errors"
	"slices"
	"testing"

	"cresset/optim"
	"cresset/tensor"
)

// TestScheduleStateIsPyTorchs compares with the state dict of SequentialLR([LinearLR(0.1, total_iters=2), CosineAnnealingLR(10)],
// [2]) after three steps from 0.01, as PyTorch 2.15 writes it, but for the first schedule's _last_lr: here it is always the
// optimizer's.
func TestScheduleStateIsPyTorchs(t *testing.T) {
	type dict = map[string]any
	o := newSGD(0.01)
	s := optim.NewWarmup(o, 0.1, 2, optim.NewCosineAnnealingLR(o, 10))
	for range 3 {
		s.Step()
	}
	const rate = 0.009755282581475769
	common := func(d dict) dict {
		d["base_lrs"], d["last_epoch"], d["_step_count"] = []float64{0.01}, 1, 2
		d["_is_initial"], d["_get_lr_called_within_step"] = false, false
		return d
	}
	want := dict{"_milestones": []int{2}, "last_epoch": 3, "_last_lr": []float64{rate}, "_schedulers": []any{
		common(dict{"start_factor": 0.1, "end_factor": 1.0, "total_iters": 2, "_last_lr": []float64{rate}}),
		common(dict{"T_max": 10, "eta_min": 0.0, "_last_lr": []float64{rate}}),
	}}
	if d := same("", s.(stateful).StateDict(), want); d != "" {
		t.Error(d)
	}
}

// TestResumedSchedules goes on from the state after some steps, with other settings than those that the state tells.
func TestResumedSchedules(t *testing.T) {
	cases := map[string]func(o optim.Optimizer, n int, f float64) optim.Schedule{
		"StepLR": func(o optim.Optimizer, n int, f float64) optim.Schedule { return optim.NewStepLR(o, n, optim.Gamma(f)) },
		"CosineAnnealingLR": func(o optim.Optimizer, n int, f float64) optim.Schedule {
			return optim.NewCosineAnnealingLR(o, n, optim.EtaMin(f/100))
		},
		"LinearLR": func(o optim.Optimizer, n int, f float64) optim.Schedule {
			return optim.NewLinearLR(o, optim.StartFactor(f), optim.TotalIters(n))
		},
		"Warmup": func(o optim.Optimizer, n int, f float64) optim.Schedule {
			return optim.NewWarmup(o, f, n, optim.NewStepLR(o, n, optim.Gamma(f)))
		},
	}
	for name, make := range cases {
		for _, stopped := range []int{0, 1, 2, 3, 7} {
			whole := newSGD(0.5)
			want := rates(whole, 12, make(whole, 3, 0.3))
			first, second := newSGD(0.5), newSGD(0.1)
			s := make(first, 3, 0.3)
			got := rates(first, stopped, s)
			resumed := make(second, 5, 0.7).(stateful)
			err := errors.Join(second.(stateful).LoadStateDict(first.(stateful).StateDict()), resumed.LoadStateDict(s.(stateful).StateDict()))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = slices.Concat(got, rates(second, 12-stopped, resumed.(optim.Schedule))[1:])
			if !slices.Equal(got, want) {
				t.Errorf("%s, stopped after %d steps: got %v, want %v", name, stopped, got, want)
			}
		}
	}
}

// TestStateOfAWarmupUnderWay loads what PyTorch 2.15 writes for a SequentialLR whose second schedule has not begun.
func TestStateOfAWarmupUnderWay(t *testing.T) {
	whole, resumed := newSGD(0.5), newSGD(0.5)
	make := func(o optim.Optimizer) optim.Schedule {
		return optim.NewWarmup(o, 0.1, 3, optim.NewCosineAnnealingLR(o, 5))
	}
	first, second := make(whole), make(resumed)
	want := rates(whole, 8, first)
	state := make(newSGD(0.5)).(stateful).StateDict()
	state["_schedulers"].([]map[string]any)[1]["last_epoch"] = -1
	if err := second.(stateful).LoadStateDict(state); err != nil {
		t.Fatal(err)
	}
	if got := rates(resumed, 8, second); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestRefusedStatesChangeNothing: neither the schedules of a sequence that fit, nor a plateau's counts.
func TestRefusedStatesChangeNothing(t *testing.T) {
	o := newSGD(1)
	sequence := func() stateful {
		return optim.NewSequentialLR(o, []optim.Schedule{optim.NewExponentialLR(o, 0.5), optim.NewStepLR(o, 3)}, []int{2}).(stateful)
	}
	plateau := func() stateful { return optim.NewReduceLROnPlateau(o, optim.Patience(1)) }
	for name, c := range map[string]struct {
		make  func() stateful
		spoil func(state map[string]any)
	}{
		"sequence": {sequence, func(s map[string]any) {
			all := s["_schedulers"].([]map[string]any)
			all[0]["gamma"], all[1]["step_size"] = 0.25, 0
		}},
		"plateau": {plateau, func(s map[string]any) { s["patience"], s["factor"] = 7, 2.0 }},
		"minima":  {plateau, func(s map[string]any) { s["patience"], s["min_lrs"] = 7, []float64{1, 2} }},
	} {
		s := c.make()
		before, state := s.StateDict(), c.make().StateDict()
		c.spoil(state)
		if err := s.LoadStateDict(state); err == nil {
			t.Errorf("%s: the state was taken", name)
		}
		if d := same("", s.StateDict(), before); d != "" {
			t.Errorf("%s: a refused state changed the schedule: %s", name, d)
		}
	}
}

// halving is a schedule of a user's own, without a state.
type halving struct{ optim.Schedule }

func TestSchedulesRefuseStates(t *testing.T) {
	type dict = map[string]any
	changed := func(s optim.Schedule, name string, v any) dict {
		state := s.(stateful).StateDict()
		state[name] = v
		return state
	}
	o := newSGD(0.5)
	cosine, linear := optim.NewCosineAnnealingLR(o, 4), optim.NewLinearLR(o)
	warmup := optim.NewWarmup(o, 0.5, 2, cosine)
	cases := []struct {
		schedule   optim.Schedule
		state      dict
		name, want string
	}{
		{cosine, dict{}, "nothing", "the state dict has no last_epoch"},
		{cosine, changed(cosine, "T_max", 0), "period", "Invalid T_max: 0"},
		{cosine, changed(cosine, "T_max", "four"), "a text", "the state dict's T_max should be a whole number, not four"},
		{cosine, changed(cosine, "base_lrs", []float64{1, 2}), "groups",
			"the state dict has the learning rates of 2 groups after step 0, and the optimizer 1 groups"},
		{linear, changed(linear, "end_factor", 1.5), "end", "Ending multiplicative factor expected to be between 0 and 1."},
		{warmup, changed(warmup, "_schedulers", []any{}), "no schedules",
			"the state dict is of 0 schedules with the milestones [2], not of 2 with 1"},
		{optim.NewWarmup(o, 0.5, 2, halving{}), warmup.(stateful).StateDict(), "no state", "a optim_test.halving has no LoadStateDict"},
	}
	before := cosine.(stateful).StateDict()
	for _, c := range cases {
		err := c.schedule.(stateful).LoadStateDict(c.state)
		if err == nil || err.Error() != c.want || !errors.Is(err, tensor.ErrValue) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	if d := same("", cosine.(stateful).StateDict(), before); d != "" {
		t.Errorf("a refused state changed the schedule: %s", d)
	}
	if err := tensor.Try(func() { optim.NewWarmup(o, 0.5, 2, halving{}).(stateful).StateDict() }); err == nil {
		t.Error("the state of a schedule without one was told")
	}
}
