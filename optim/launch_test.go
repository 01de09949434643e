package optim_test

import (
	"fmt"
	"iter"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/optim"
	"cresset/tensor"
)

// fusedSteps are optimizers whose step is a kernel, with their settings: all but Adafactor, Muon and LBFGS.
var fusedSteps = map[string]func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer{
	"SGD": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewSGD(ps, optim.LR(0.1)) },
	"SGD with momentum": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewSGD(ps, optim.LR(0.1), optim.Momentum(0.9), optim.Dampening(0.1), optim.WeightDecay(0.01), optim.Maximize(true))
	},
	"SGD of Nesterov": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewSGD(ps, optim.LR(0.1), optim.Momentum(0.9), optim.Nesterov(true))
	},
	"Adam": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewAdam(ps, optim.LR(0.1), optim.WeightDecay(0.1), optim.Maximize(true))
	},
	"AdamW": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewAdamW(ps, optim.LR(0.1)) },
	"AdamW with AMSGrad": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewAdamW(ps, optim.AMSGrad(true), optim.LR(0.1))
	},
	"Adamax": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewAdamax(ps, optim.WeightDecay(0.1))
	},
	"NAdam": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewNAdam(ps, optim.WeightDecay(0.1), optim.DecoupledWeightDecay(true))
	},
	"RAdam": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewRAdam(ps, optim.Betas(0.9, 0.5), optim.Maximize(true))
	},
	"RMSprop": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewRMSprop(ps) },
	"RMSprop with momentum": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewRMSprop(ps, optim.Momentum(0.9))
	},
	"RMSprop centered": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewRMSprop(ps, optim.Centered(true))
	},
	"RMSprop centered with momentum": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewRMSprop(ps, optim.Centered(true), optim.Momentum(0.9))
	},
	"Adagrad": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewAdagrad(ps, optim.LRDecay(0.1))
	},
	"Adadelta": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewAdadelta(ps) },
	"Rprop":    func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer { return optim.NewRprop(ps) },
	"ASGD": func(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
		return optim.NewASGD(ps, optim.T0(1), optim.WeightDecay(0.1))
	},
}

// drawn returns twenty parameters, of which one is long and one has no elements, with gradients.
func drawn(dt dtype.DType) (ps []*tensor.Tensor) {
	tensor.ManualSeed(7)
	for i := range 20 {
		shape := []int{3 + i, 5}
		if i == 4 {
			shape = []int{9001}
		} else if i == 9 {
			shape = []int{0, 2}
		}
		p := tensor.Parameter(tensor.On(device.CPU).Randn(shape...).To(device.CUDA(0)).To(dt))
		p.SetGrad(tensor.On(device.CPU).Randn(shape...).To(device.CUDA(0)).To(dt))
		ps = append(ps, p)
	}
	return ps
}

// TestOneLaunchUpdatesAll counts the launches of steps of twenty parameters, and what they copy to the device.
func TestOneLaunchUpdatesAll(t *testing.T) {
	driver := devicetest.Use(t, "1")
	for name, make := range fusedSteps {
		ps := drawn(dtype.Float32)
		o := make(params(ps...))
		count := func(wantLaunches, wantCopies int, when string) {
			t.Helper()
			launches, copies := driver.Calls("cuLaunchKernel"), driver.Calls("cuMemcpyHtoDAsync_v2")
			o.Step()
			if got := driver.Calls("cuLaunchKernel") - launches; got != wantLaunches {
				t.Errorf("%s: %d launches %s, want %d", name, got, when, wantLaunches)
			}
			if got := driver.Calls("cuMemcpyHtoDAsync_v2") - copies; got != wantCopies {
				t.Errorf("%s: %d copies %s, want %d", name, got, when, wantCopies)
			}
		}
		o.Step() // makes the state
		count(1, 0, "with the gradients where they were")
		for _, p := range ps {
			p.SetGrad(p.Grad().Clone())
		}
		count(1, 1, "with the gradients elsewhere")
		ps[3].SetGrad(nil)
		count(1, 1, "without one gradient")
		count(1, 0, "without it again")
	}
}

// TestStepsOfAllAreThoseOfEach compares the bits of parameters that are updated together with those of parameters that have
// an optimizer each. Some have no gradient in some steps, and one is there in another layout.
func TestStepsOfAllAreThoseOfEach(t *testing.T) {
	if race.Enabled {
		t.Skip("it looks at values, and the interpreter is slow under the race detector")
	}
	devicetest.Use(t, "1")
	for name, make := range fusedSteps {
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16} {
			for _, strided := range []bool{false, true} {
				together, apart := drawn(dt), drawn(dt)
				if strided {
					together[2], apart[2] = transposed(together[2]), transposed(apart[2])
				}
				all := make(params(together...))
				var each []optim.Optimizer
				for _, p := range apart {
					each = append(each, make(params(p)))
				}
				for step := range 3 {
					for _, ps := range [][]*tensor.Tensor{together, apart} {
						if g := ps[7].Grad(); step == 1 {
							ps[7].SetGrad(nil)
						} else if g == nil {
							ps[7].SetGrad(tensor.OnesLike(ps[7].Detach()))
						}
					}
					all.Step()
					for _, o := range each {
						o.Step()
					}
				}
				for i, p := range together {
					if !p.Detach().Equal(apart[i].Detach()) {
						t.Errorf("%s of %s, strided %v: parameter %d differs", name, dt, strided, i)
					}
				}
			}
		}
	}
}

func transposed(p *tensor.Tensor) *tensor.Tensor {
	q := tensor.Parameter(p.Detach().T())
	q.SetGrad(p.Grad().T())
	return q
}

// TestStepsOfOneMemoryKeepTheirOrder: a parameter that is there twice is updated twice.
func TestStepsOfOneMemoryKeepTheirOrder(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for name, make := range fusedSteps {
			of := func(times int) *tensor.Tensor {
				p := tensor.Parameter(tensor.On(dev).Ones(6))
				p.SetGrad(tensor.On(dev).Full([]int{6}, 0.5))
				o := make(params([]*tensor.Tensor{p, p}[:times]...))
				for range 4 / times {
					o.Step()
				}
				return p.Detach()
			}
			if twice, once := of(2), of(1); !twice.Equal(once) {
				t.Errorf("%s: got %v, want %v", name, twice, once)
			}
		}
	})
}

// TestFailedStepsLeaveTheState: after a step that finds a gradient without memory, the next is as if that one had never been.
func TestFailedStepsLeaveTheState(t *testing.T) {
	for name, make := range fusedSteps {
		var want string
		for _, fails := range []bool{false, true} {
			devicetest.Use(t, "1")
			ps := drawn(dtype.Float32)
			o := make(params(ps...))
			for range 2 {
				if fails {
					kept := ps[11].Grad().Clone()
					ps[11].Grad().Release()
					if err := tensor.Try(o.Step); err == nil {
						t.Fatalf("%s: no error", name)
					}
					ps[11].SetGrad(kept)
				}
				o.Step()
			}
			got := fmt.Sprint(o.(stateful).StateDict()["state"])
			for _, p := range ps {
				got += fmt.Sprint(p.Detach())
			}
			if !fails {
				want = got
			} else if got != want {
				t.Errorf("%s: a step that failed has left something", name)
			}
		}
	}
}

// TestStepsOnMeta: a device without memory counts what the list of parameters takes, and does nothing.
func TestStepsOnMeta(t *testing.T) {
	for name, make := range fusedSteps {
		var ps []*tensor.Tensor
		for range 3 {
			p := tensor.Parameter(tensor.On(device.Meta).Ones(4))
			p.SetGrad(tensor.On(device.Meta).Ones(4))
			ps = append(ps, p)
		}
		o := make(params(ps...))
		if err := tensor.Try(func() { o.Step(); o.Step() }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
