package optim_test

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/optim"
	"cresset/tensor"
)

// parametersOf numbers tensors.
func parametersOf(ps []*tensor.Tensor) iter.Seq2[string, *tensor.Tensor] {
	return func(yield func(string, *tensor.Tensor) bool) {
		for i, p := range ps {
			if !yield(fmt.Sprint(i), p) {
				return
			}
		}
	}
}

// scalable makes optimizers whose steps are skipped on GPUs, and some that wait.
var scalable = map[string]func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer{
	"SGD": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewSGD(ps, optim.LR(0.1)) },
	"momentum": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewSGD(ps, optim.LR(0.1), optim.Momentum(0.9))
	},
	"Adam":  func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewAdam(ps) },
	"AdamW": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewAdamW(ps) },
	"AMSGrad": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewAdam(ps, optim.AMSGrad(true))
	},
	"NAdam":   func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewNAdam(ps) },
	"RMSprop": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewRMSprop(ps) },
	"Muon":    func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewMuon(ps) },
}

// TestGradScalerSkipsSteps compares with an optimizer that never sees the gradients that are not finite: parameters and states have the same bits.
func TestGradScalerSkipsSteps(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, name := range slices.Sorted(maps.Keys(scalable)) {
			t.Run(name, func(t *testing.T) {
				build := func() ([]*tensor.Tensor, optim.Optimizer) {
					ps := []*tensor.Tensor{
						tensor.Parameter(tensor.Linspace(-1, 1, 6).View(2, 3).To(dev)), tensor.Parameter(tensor.Linspace(1, 2, 4).View(2, 2).To(dev)),
					}
					return ps, scalable[name](parametersOf(ps))
				}
				scaled, opt := build()
				plain, without := build()
				scaler := optim.NewGradScaler(optim.InitScale(1024), optim.GrowthInterval(3))
				for step := range 8 {
					broken := step == 0 || step == 3 || step == 4 || step == 7
					for i := range scaled {
						grad := tensor.Linspace(-1, float64(step), plain[i].NumEl()).View(plain[i].Shape()...).To(dev)
						plain[i].SetGrad(grad)
						scaled[i].SetGrad(scaler.Scale(grad))
						if broken && i == step%2 {
							scaled[i].Grad().Select(0, 1).FillInPlace([]float64{math.Inf(1), math.NaN()}[step%2])
						}
					}
					scaler.Step(opt)
					scaler.Update()
					if !broken {
						without.Step()
					}
				}
				for i := range scaled {
					if !scaled[i].Equal(plain[i]) {
						t.Errorf("parameter %d is %v, want %v", i, scaled[i], plain[i])
					}
				}
				if got, want := stateOf(opt), stateOf(without); got != want {
					t.Errorf("the state is %s, want %s", got, want)
				}
				if got := scaler.CurrentScale(); got != 1024.0/16 {
					t.Errorf("the scale is %v", got)
				}
			})
		}
	})
}

func stateOf(o optim.Optimizer) string {
	return fmt.Sprint(o.(interface{ StateDict() map[string]any }).StateDict()["state"])
}

func TestGradScalerUnscales(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16} {
			ps := []*tensor.Tensor{
				tensor.Parameter(tensor.Ones(3, 5).To(dev, dt)), tensor.Parameter(tensor.Ones(7).To(dev, dt)), tensor.Parameter(tensor.Ones(2).To(dev, dt)),
			}
			o := optim.NewSGD(parametersOf(ps), optim.LR(1))
			s := optim.NewGradScaler(optim.InitScale(8))
			for _, p := range ps[:2] {
				p.SetGrad(s.Scale(tensor.Linspace(0, 1, p.NumEl()).View(p.Shape()...).To(dev, dt)))
			}
			s.Unscale(o)
			for i, p := range ps[:2] {
				if want := tensor.Linspace(0, 1, p.NumEl()).View(p.Shape()...).To(dev, dt); !p.Grad().Equal(want) {
					t.Errorf("%v: gradient %d is %v, want %v", dt, i, p.Grad(), want)
				}
			}
			s.Step(o)
			s.Update()
		}
	})
}

// TestOneLaunchUnscalesAll, of a dtype, behind one that makes the flag 0.
func TestOneLaunchUnscalesAll(t *testing.T) {
	driver := devicetest.Use(t, "1")
	ps := drawn(dtype.Float32)
	o := optim.NewSGD(parametersOf(ps))
	s := optim.NewGradScaler()
	s.Scale(tensor.On(device.CUDA(0)).Ones())
	before := driver.Calls("cuLaunchKernel")
	s.Unscale(o)
	if got := driver.Calls("cuLaunchKernel") - before; got != 2 {
		t.Errorf("%d launches, want 2", got)
	}
}

func TestGradScalerMistakes(t *testing.T) {
	ready := func(dt dtype.DType) (*optim.GradScaler, *optim.Algorithm) {
		p := tensor.Parameter(tensor.Ones(2, 2).To(dt))
		s := optim.NewGradScaler()
		s.Scale(p.Square().Sum()).Backward()
		return s, optim.NewSGD(parametersOf([]*tensor.Tensor{p}), optim.LR(0.1))
	}
	for want, f := range map[string]func(){
		"step() has already been called since the last update().": func() {
			s, o := ready(dtype.Float32)
			s.Step(o)
			s.Step(o)
		},
		"unscale_() has already been called on this optimizer since the last update().": func() {
			s, o := ready(dtype.Float32)
			s.Unscale(o)
			s.Unscale(o)
		},
		"unscale_() is being called after step().": func() {
			s, o := ready(dtype.Float32)
			s.Step(o)
			s.Unscale(o)
		},
		"Attempting to unscale FP16 gradients.":        func() { s, o := ready(dtype.Float16); s.Unscale(o) },
		"No inf checks were recorded prior to update.": func() { s, _ := ready(dtype.Float32); s.Update() },
		"The backoff factor must be < 1.0.":            func() { optim.NewGradScaler(optim.BackoffFactor(1)) },
	} {
		if err := tensor.Try(f); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestGradScalerRefusesStates keeps its own state.
func TestGradScalerRefusesStates(t *testing.T) {
	for want, change := range map[string]func(state map[string]any){
		"The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.": func(state map[string]any) { clear(state) },
		"the state dict has no growth_factor": func(state map[string]any) { delete(state, "growth_factor") },
		"the state dict's growth_interval should be a whole number, not 1.5": func(state map[string]any) {
			state["growth_interval"] = 1.5
		},
	} {
		s := optim.NewGradScaler(optim.InitScale(8))
		state := optim.NewGradScaler().StateDict()
		change(state)
		if err := s.LoadStateDict(state); err == nil || err.Error() != want || s.CurrentScale() != 8 {
			t.Errorf("got %v and a scale of %v, want %s", err, s.CurrentScale(), want)
		}
	}
}

// TestGradScalerThatIsDisabled does nothing but step.
func TestGradScalerThatIsDisabled(t *testing.T) {
	p := tensor.Parameter(tensor.Ones(2))
	s, o := optim.NewGradScaler(optim.Enabled(false)), optim.NewSGD(parametersOf([]*tensor.Tensor{p}), optim.LR(0.5))
	loss := p.Sum()
	if s.Scale(loss) != loss || s.IsEnabled() || s.CurrentScale() != 1 || len(s.StateDict()) != 0 {
		t.Error("a disabled scaler scales")
	}
	loss.Backward()
	s.Unscale(o)
	s.Step(o)
	s.Update()
	if p.Detach().Sum().Float64() != 1 {
		t.Errorf("the parameter is %v", p)
	}
}
