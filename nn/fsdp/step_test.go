package fsdp_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dist"
	"cresset/dtype"
	"cresset/nn"
	"cresset/nn/fsdp"
	"cresset/optim"
	"cresset/tensor"
)

// spawn runs two ranks.
func spawn(t *testing.T, f func(g *dist.Group) error) {
	t.Helper()
	if err := dist.Spawn(2, f); err != nil {
		t.Error(err)
	}
}

// equal returns an error unless two tensors are alike to so many parts of 1.
func equal(what string, got, want *tensor.Tensor, near float64) error {
	if got.DType() != want.DType() || !got.CPU().AllClose(want.CPU(), near, near) {
		return fmt.Errorf("%s: got\n%v\nwant\n%v", what, got, want)
	}
	return nil
}

// TestParts: between steps parameters and gradients are the rank's rows, and a Forward without a Backward leaves them so.
func TestParts(t *testing.T) {
	spawn(t, func(g *dist.Group) error {
		model, err := fsdp.NewFullyShardedDataParallel(perceptron(1), g)
		if err != nil {
			return err
		}
		x, _ := batch(0)
		var y *tensor.Tensor
		for range 2 { // the second time units are gathered ahead
			model.NoGrad(func() { y = model.Forward(x) })
			if err := equal("result", y, perceptron(1).Forward(x).Detach(), 0); err != nil {
				return err
			}
		}
		rows := 0
		for name, p := range nn.Parameters(model) {
			if rows++; name == "2.weight" && p.Size(0) != []int{6, 5}[g.Rank()] {
				return fmt.Errorf("%s is %v", name, p.Shape())
			}
			if !p.RequiresGrad() || p.Grad() != nil {
				return fmt.Errorf("%s: requires a gradient: %t, has %v", name, p.RequiresGrad(), p.Grad())
			}
		}
		model.Forward(x).Sum().Backward()
		for name, p := range nn.Parameters(model) {
			if p.Grad() == nil || !p.Grad().Shape().Equal(p.Shape()) {
				return fmt.Errorf("%s of %v has the gradient %v", name, p.Shape(), p.Grad())
			}
		}
		if want := "FullyShardedDataParallel(\n  (module): Sequential(\n    (0): Linear("; rows != 8 || !strings.HasPrefix(model.String(), want) {
			return fmt.Errorf("%d parameters: %v", rows, model)
		}
		return nil
	})
}

// tied uses a layer twice, once computed anew for its gradient, one frozen, one never, and has a buffer.
type tied struct {
	Shared, Frozen, Never *nn.Linear
	Norm                  *nn.BatchNorm1D
}

func newTied() *tied {
	seeding.Lock()
	defer seeding.Unlock()
	tensor.ManualSeed(4)
	m := &tied{nn.NewLinear(3, 3), nn.NewLinear(3, 3), nn.NewLinear(3, 3), nn.NewBatchNorm1D(3)}
	for _, p := range nn.Parameters(m.Frozen) {
		p.SetRequiresGrad(false)
	}
	return m
}

func (m *tied) Forward(x *tensor.Tensor) *tensor.Tensor {
	x = nn.Checkpoint(func(x *tensor.Tensor) *tensor.Tensor { return m.Shared.Forward(x).Tanh() }, m.Shared.Forward(x))
	return m.Norm.Forward(m.Frozen.Forward(x))
}

// TestTied compares gradients with those of the model itself, where each parameter is a unit, or all are one; what no rank uses has none.
func TestTied(t *testing.T) {
	for _, dev := range []device.Device{device.CPU, device.CUDA(0)} {
		for name, unit := range map[string]func(string) string{"own": func(name string) string { return name }, "one": func(string) string { return "" }} {
			for stage := 1; stage <= 3; stage++ {
				spawn(t, func(g *dist.Group) error {
					alone := newTied()
					m, err := fsdp.NewFullyShardedDataParallel(newTied(), g, fsdp.Unit(unit), fsdp.Stage(stage), fsdp.On(dev))
					if err != nil {
						return err
					}
					x := tensor.Arange(0, 12, 1).Float().Sin().View(4, 3)
					alone.Forward(x).Square().Mean().Backward()
					out := fsdp.Call(m, x.To(dev), func(m *tied, x *tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{m.Forward(x)} })
					out[0].Square().Mean().Backward()
					want := map[string]*tensor.Tensor{}
					for name, p := range nn.Parameters(alone) {
						want[name] = p.Grad()
					}
					for name, p := range nn.Parameters(m) {
						switch {
						case want[name] == nil && p.Grad() != nil:
							err = errors.Join(err, fmt.Errorf("%s has the gradient %v", name, p.Grad()))
						case want[name] != nil:
							first := g.Rank() * 2
							err = errors.Join(err, equal(name, p.Grad(), want[name].Narrow(0, first, p.Size(0)), 1e-5))
						}
					}
					if err != nil {
						return fmt.Errorf("units %s, stage %d on %s: %w", name, stage, dev, err)
					}
					return nil
				})
			}
		}
	}
}

// TestShardedGradScaler: where one rank's gradient overflows, all ranks skip the step and halve the scale.
func TestShardedGradScaler(t *testing.T) {
	spawn(t, func(g *dist.Group) error {
		dev := device.CUDA(g.Rank())
		model, err := fsdp.NewFullyShardedDataParallel(nn.NewLinear(2, 2), g, fsdp.On(dev))
		if err != nil {
			return err
		}
		opt, scaler := optim.NewAdam(nn.Parameters(model)), fsdp.NewShardedGradScaler(g, optim.InitScale(8))
		for step, scale := range []float64{8, 4, 4} {
			before := nn.ParametersToVector(nn.Parameters(model)).Detach().Clone()
			x := tensor.On(dev).Ones(1, 2)
			if step == 1 && g.Rank() == 0 {
				x = tensor.On(dev).Full([]int{1, 2}, math.Inf(1))
			}
			opt.ZeroGrad()
			y := model.Forward(x.Float())
			scaler.Scale(y.Select(1, 0).Sum()).Backward() // of rank 0's row alone
			scaler.Unscale(opt)
			scaler.Step(opt)
			scaler.Update()
			same := before.Equal(nn.ParametersToVector(nn.Parameters(model)).Detach())
			if got := scaler.CurrentScale(); got != scale || same != (step == 1 || g.Rank() == 1) {
				return fmt.Errorf("step %d: the scale is %g, the weights are the same: %t", step, got, same)
			}
		}
		return nil
	})
}

// TestMixedPrecision computes in bfloat16, and keeps parts and gradients in float32.
func TestMixedPrecision(t *testing.T) {
	spawn(t, func(g *dist.Group) error {
		m := nn.To(perceptron(2), dtype.Float32)
		x, _ := batch(0)
		low := nn.To(nn.Copy(m, func(t *tensor.Tensor) *tensor.Tensor { return tensor.Parameter(t.Detach().Clone()) }), dtype.BFloat16)
		low.Forward(x.To(dtype.BFloat16)).Sum().Backward()
		model, err := fsdp.NewFullyShardedDataParallel(m, g, fsdp.MixedPrecision(dtype.BFloat16))
		if err != nil {
			return err
		}
		y := model.Forward(x.Float())
		y.Sum().Backward()
		if y.DType() != dtype.BFloat16 {
			return fmt.Errorf("the result is of %s", y.DType())
		}
		want := nn.ParameterList(low)
		for i, p := range nn.ParameterList(model) {
			each := (want[i].Size(0) + 1) / 2
			if err := equal("gradient", p.Grad(), want[i].Grad().Float().Narrow(0, g.Rank()*each, p.Size(0)), 1e-6); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestMistakes are refused in words.
func TestMistakes(t *testing.T) {
	spawn(t, func(g *dist.Group) error {
		refused := func(want string, err error) error {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				return fmt.Errorf("got %v, want %s", err, want)
			}
			return nil
		}
		wrap := func(m nn.Module, opts ...fsdp.Option) error {
			_, err := fsdp.NewFullyShardedDataParallel(m, g, opts...)
			return err
		}
		model, err := fsdp.NewFullyShardedDataParallel(nn.NewSequential(nn.NewLinear(2, 3), nn.NewLinear(3, 2)), g)
		if err != nil {
			return err
		}
		prelu := nn.NewPReLU(1)
		prelu.Weight.SetData(tensor.Of(0.5).Float())
		err = errors.Join(
			refused("there is no stage 4 of ZeRO", wrap(nn.NewLinear(2, 2), fsdp.Stage(4))),
			refused("the model has no parameters", wrap(nn.NewTanh())),
			refused("fully_shard doesn't support scalar parameters. Change weight to a 1D tensor", wrap(prelu)),
			refused("parameter 0 is weight, a torch.Size([2, 2]) of torch.float32 on rank 0, and weight, a torch.Size([2, 3]) of torch.float32 on rank 1", wrap(nn.NewLinear(2+g.Rank(), 2))),
			refused("the model has 2 parameters on rank 0, and 1 on rank 1", wrap(nn.NewLinear(2, 2, nn.Bias(g.Rank() == 0)))),
			refused("Muon needs whole parameters", tensor.Try(func() {
				optim.NewMuon(func(yield func(string, *tensor.Tensor) bool) { yield("weight", nn.ParameterList(model)[0]) })
			})),
			refused("Adafactor needs whole parameters", tensor.Try(func() { optim.NewAdafactor(nn.Parameters(model)) })),
			refused("LBFGS needs whole parameters", tensor.Try(func() { optim.NewLBFGS(nn.Parameters(model), func() *tensor.Tensor { return nil }) })),
		)
		if err != nil {
			return err
		}
		remove := nn.ParameterList(model)[0].RegisterHook(func(*tensor.Tensor) *tensor.Tensor { panic(errors.New("its own")) })
		func() {
			defer func() { _ = recover() }()
			model.Forward(tensor.Ones(1, 2)).Sum().Backward()
		}()
		remove()
		return refused("Expected to have finished the Backward of the iteration before. Parameters that did not receive grad: 0.weight",
			tensor.Try(func() { model.Forward(tensor.Ones(1, 2)) }))
	})
}
