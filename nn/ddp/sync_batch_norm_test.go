package ddp_test

import (
	"errors"
	"fmt"
	"testing"

	"cresset/device"
	"cresset/dist"
	"cresset/dtype"
	"cresset/internal/ranktest"
	"cresset/nn"
	"cresset/nn/ddp"
	"cresset/tensor"
)

// normed is a model whose normalization stands in a field of its own type.
type normed struct{ Norm *nn.BatchNorm2D }

func (m *normed) Forward(x *tensor.Tensor) *tensor.Tensor { return m.Norm.Forward(x) }

func newNormed(target tensor.Target, opts ...nn.BatchNormOption) *normed {
	m := nn.To(&normed{nn.NewBatchNorm2D(3, opts...)}, target)
	for i, p := range nn.ParameterList(m) {
		p.Detach().CopyInPlace(tensor.FromSlice([]float64{0.5, 2, -1}).AddScalar(i))
	}
	return m
}

// images are unlike in their means, of which float32 would lose digits if it squared them.
func images(dt dtype.DType) *tensor.Tensor {
	s := tensor.Arange(0, 7*3*2*2, 1).To(dtype.Float64)
	return s.MulScalar(0.7).Sin().MulScalar(3).Add(s.MulScalar(0.013)).View(7, 3, 2, 2).To(dt)
}

// parts divides 7 images among ranks: of three, the last has none.
func parts(x *tensor.Tensor, g *dist.Group) *tensor.Tensor {
	from := [][]int{{0, 7}, {0, 4, 7}, {0, 2, 7, 7}}[g.Size()-1]
	return x.Narrow(0, from[g.Rank()], from[g.Rank()+1]-from[g.Rank()])
}

// syncs compares the batches of the ranks with one batch: results, running statistics, and the gradients of what was given and of weight and bias.
func syncs(g *dist.Group) error {
	for _, c := range []struct {
		dt   dtype.DType
		dev  device.Device
		near float64
	}{{dtype.Float64, device.CPU, 1e-11}, {dtype.Float32, device.CPU, 1e-4}, {dtype.Float32, device.CUDA(g.LocalRank() % 2), 1e-4}, {dtype.BFloat16, device.CPU, 0.1}} {
		for _, opts := range [][]nn.BatchNormOption{nil, {nn.CumulativeAverage(true)}, {nn.Affine(false), nn.TrackRunningStats(false)}} {
			var stats tensor.Target = dtype.Float32
			if c.dt == dtype.Float64 {
				stats = dtype.Float64
			}
			alone, model := newNormed(stats, opts...), nn.To(ddp.ConvertSyncBatchNorm(newNormed(stats, opts...), g), c.dev)
			wrong := func(what string, got, want *tensor.Tensor) error {
				if got = got.CPU(); got.DType() == want.DType() && got.AllClose(want, c.near, c.near) {
					return nil
				}
				return fmt.Errorf("%s on %s, %d options, %s: got\n%v\nwant\n%v", c.dt, c.dev, len(opts), what, got, want)
			}
			for range 2 {
				x, factor := images(c.dt).SetRequiresGrad(true), images(c.dt).Cos()
				mine := parts(x.Detach(), g).To(c.dev).SetRequiresGrad(true)
				want, got := alone.Forward(x), model.Forward(mine)
				want.Mul(factor).Sum().Backward()
				got.Mul(parts(factor, g).To(c.dev)).Sum().Backward()
				if err := errors.Join(wrong("result", got.Detach(), parts(want.Detach(), g)), wrong("gradient", mine.Grad(), parts(x.Grad(), g))); err != nil {
					return err
				}
			}
			want := nn.State(alone)
			for name, s := range nn.State(model) {
				if err := wrong(name, s, want[name]); err != nil {
					return err
				}
			}
			want = map[string]*tensor.Tensor{}
			for name, p := range nn.Parameters(alone) {
				want[name] = p.Grad()
			}
			for name, p := range nn.Parameters(model) {
				grad := p.Grad().Clone()
				if err := errors.Join(g.AllReduce(grad, dist.Sum).Wait(ctx), wrong("gradient of "+name, grad, want[name])); err != nil {
					return err
				}
			}
			if want, got := nn.Eval(alone), nn.Eval(model); len(opts) < 2 {
				if err := wrong("evaluation", got.Forward(images(c.dt).To(c.dev)).Detach(), want.Forward(images(c.dt)).Detach()); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func TestSyncBatchNorm(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		if err := dist.Spawn(n, syncs); err != nil {
			t.Errorf("%d ranks: %v", n, err)
		}
	}
}

func TestSyncBatchNormUnderMPI(t *testing.T) {
	ranktest.UnderMPI(t, "sync batch norm")
}

// TestConvertSyncBatchNorm: the layer prints as PyTorch's, and a group of one needs none.
func TestConvertSyncBatchNorm(t *testing.T) {
	err := dist.Spawn(2, func(g *dist.Group) error {
		m := ddp.ConvertSyncBatchNorm(nn.NewSequential(nn.NewLinear(2, 3), nn.NewBatchNorm1D(3)), g)
		if got := fmt.Sprint(m.At(1)); got != "SyncBatchNorm(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)" {
			return errors.New(got)
		}
		part, err := g.Split(ctx, g.Rank(), 0)
		if got := fmt.Sprint(ddp.ConvertSyncBatchNorm(m, part).At(1)); err != nil || got[:11] != "BatchNorm1d" {
			return fmt.Errorf("%s, %w", got, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
