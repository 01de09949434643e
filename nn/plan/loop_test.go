package plan_test

import (
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	backend "cresset/internal/backend/cuda"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
	"cresset/internal/race"
	"cresset/nn"
	"cresset/nn/plan"
	"cresset/optim"
	"cresset/tensor"
)

// idleGPU lends a simulated GPU whose kernels do nothing, so that large batches are quick: memory is counted all the same.
func idleGPU(t *testing.T) {
	t.Helper()
	m, err := hardware.Choose("a100")
	if err != nil {
		t.Fatal(err)
	}
	d := sim.New(m, sim.Options{
		LookupEnv: func(string) (string, bool) { return "", false },
		Compile: func(name, text string) (*sim.Code, error) {
			code, err := sim.CompilePTX(name, text)
			if err != nil {
				return nil, err
			}
			for _, k := range code.Kernels {
				k.Run = func(*sim.Launch) (sim.Work, error) { return sim.Work{}, nil }
			}
			return code, nil
		},
	})
	t.Cleanup(backend.UseDriver(d.API))
}

// TestLoopsMeasureTheEstimate trains as programs do: a scope for each step, ZeroGrad before it.
func TestLoopsMeasureTheEstimate(t *testing.T) {
	if race.Enabled {
		t.Skip("reading all kernels takes long with -race")
	}
	for _, tc := range []struct {
		name  string
		model func(dt dtype.DType) nn.Module
	}{{"mlp", mlp}, {"cnn", cnn}, {"normed", normed}} {
		for _, optimizer := range []string{"momentum", "adam"} {
			const batch = 256
			net := tc.model(dtype.Float32)
			opt := optimizers[optimizer](nn.Parameters(net))
			x, y := tensor.Rand(batch, 1, 28, 28), tensor.RandInt(0, 10, batch)
			e, err := plan.Step(net, opt, []*tensor.Tensor{x, y}, classify)
			if err != nil {
				t.Fatal(err)
			}
			if peak := loop(t, net, opt, x, y); peak != e.Peak {
				t.Errorf("%s, %s: estimated a peak of %d bytes, measured %d", tc.name, optimizer, e.Peak, peak)
			}
		}
	}
}

// loop trains for some steps on a GPU that nobody has used, and returns what tensors held at most.
func loop(t *testing.T, net nn.Module, opt optim.Optimizer, x, y *tensor.Tensor) int64 {
	t.Helper()
	idleGPU(t)
	nn.To(net, device.CUDA(0))
	for range 4 {
		s := tensor.NewScope()
		opt.ZeroGrad()
		tensor.CrossEntropy(net.Forward(s.Enter(x).CUDA(0)), s.Enter(y).CUDA(0)).Backward()
		opt.Step()
		s.Close()
	}
	return cuda.MaxMemoryAllocated(0)
}
