package conformance

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/pyexpr"
	"cresset/optim"
	"cresset/tensor"
)

// scaling are torch.amp.GradScaler and its methods.
var scaling = table{
	"torch.amp.GradScaler": func(a *pyexpr.Args) any {
		pyexpr.Arg[string](a, "device")
		return scalerOf(map[string]any{"growth_factor": pyexpr.Arg(a, "growth_factor", 2.0)})
	},
	"GradScaler.scale":    func(a *pyexpr.Args) any { return scaler(a).Scale(input(a, "outputs")) },
	"GradScaler.unscale_": func(a *pyexpr.Args) any { scaler(a).Unscale(optimizer(a)); return nil },
	"GradScaler.step":     func(a *pyexpr.Args) any { scaler(a).Step(optimizer(a)); return nil },
	"GradScaler.update":   func(a *pyexpr.Args) any { scaler(a).Update(); return nil },
}

func scaler(a *pyexpr.Args) *optim.GradScaler { return pyexpr.Arg[*optim.GradScaler](a, "self") }

// scalerOf returns a scaler by PyTorch's arguments.
func scalerOf(args map[string]any) *optim.GradScaler {
	var opts []optim.GradScalerOption
	for name, v := range args {
		n := v.(float64)
		opts = append(opts, map[string]optim.GradScalerOption{
			"init_scale": optim.InitScale(n), "growth_factor": optim.GrowthFactor(n), "backoff_factor": optim.BackoffFactor(n),
			"growth_interval": optim.GrowthInterval(n),
		}[name])
	}
	return optim.NewGradScaler(opts...)
}

// scaled is a recorded run of GradScaler.
type scaled struct {
	Args  map[string]any
	Steps []struct {
		Found  bool      `json:"found_inf"`
		Grad   []float64 `json:"scaled_grad"`
		P      []float64
		Scale  float64
		Growth int `json:"growth_tracker"`
	}
	State map[string]any `json:"state_dict"`
}

// TestGradScaler repeats recorded runs, with states saved and loaded in the middle.
func TestGradScaler(t *testing.T) {
	var file struct{ Runs []*scaled }
	read(t, "optim", "grad_scaler.json", &file)
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for i, run := range file.Runs {
			t.Run(fmt.Sprint(i), func(t *testing.T) { run.check(t, dev) })
		}
	})
}

func (r *scaled) check(t *testing.T, dev device.Device) {
	p := tensor.Parameter(tensor.Of([]float32{1, 2}).To(dev))
	o := optim.NewSGD(named(p), optim.LR(0.1))
	s := scalerOf(r.Args)
	for i, want := range r.Steps {
		if i == len(r.Steps)/2 {
			state := s.StateDict()
			if s = optim.NewGradScaler(); s.LoadStateDict(state) != nil {
				t.Fatal("the state does not load")
			}
		}
		p.ZeroGrad()
		s.Scale(p.Square().Sum()).Backward()
		if want.Found {
			p.Grad().Select(0, 1).FillInPlace(math.Inf(1))
		} else {
			equal(t, i, "the scaled gradient", p.Grad(), want.Grad)
		}
		s.Step(o)
		s.Update()
		equal(t, i, "the parameter", p, want.P)
		state := s.StateDict()
		if got := s.CurrentScale(); got != want.Scale || state["_growth_tracker"] != want.Growth {
			t.Errorf("step %d: the scale is %v after %v steps, want %v after %v", i, got, state["_growth_tracker"], want.Scale, want.Growth)
		}
	}
	state := s.StateDict()
	for name := range maps.Keys(r.State) {
		if got, want := fmt.Sprint(state[name]), fmt.Sprint(r.State[name]); got != want {
			t.Errorf("%s is %v in the state, want %v", name, got, want)
		}
	}
}

// equal compares with numbers that are float32.
func equal(t *testing.T, step int, what string, got *tensor.Tensor, want []float64) {
	t.Helper()
	for i, v := range tensor.Values[float32](got.Detach()) {
		if v != float32(want[i]) {
			t.Errorf("step %d: %s has %v at %d, want %v", step, what, v, i, float32(want[i]))
		}
	}
}
