package tp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"cresset/device"
	"cresset/dist"
	"cresset/dtype"
	"cresset/internal/race"
	"cresset/internal/ranktest"
	"cresset/nn"
	"cresset/nn/tp"
	"cresset/optim"
	"cresset/tensor"
)

var ctx = context.Background()

func TestMain(m *testing.M) {
	os.Exit(ranktest.Main(m, os.Stderr, "4", map[string]func(g *dist.Group) error{"layers": layers}))
}

// net has extents that divide by no number of ranks.
type net struct {
	Table, Wide *nn.Embedding
	First, Last *nn.Linear
	Norm        *nn.LayerNorm
	MLP         *nn.GatedMLP
	Head        *nn.Linear
}

// seeding is held while a rank draws numbers, which are the program's.
var seeding sync.Mutex

func newNet(seed int64) *net {
	seeding.Lock()
	defer seeding.Unlock()
	tensor.ManualSeed(seed)
	const words, width = 11, 5
	m := &net{nn.NewEmbedding(words, width, nn.PaddingIndex(-2)), nn.NewEmbedding(words, width), nn.NewLinear(width, 7), nn.NewLinear(7, width), nn.NewLayerNorm([]int{width}), nn.NewSwiGLU(width, 9), nn.NewLinear(width, words, nn.Bias(false))}
	m.Head.Weight = m.Table.Weight
	return nn.To(m, dtype.Float64)
}

func (m *net) Forward(ids *tensor.Tensor) *tensor.Tensor {
	x := m.Table.Forward(ids).Add(m.Wide.Forward(ids))
	x = x.Add(m.Last.Forward(m.First.Forward(x).Tanh()))
	return m.Head.Forward(m.Norm.Forward(m.MLP.Forward(x)))
}

var plan = tp.Plan{
	"table": tp.RowwiseParallel{}, "wide": tp.ColwiseParallel{}, "first": tp.ColwiseParallel{}, "last": tp.RowwiseParallel{}, "mlp.gate_proj": tp.ColwiseParallel{},
	"mlp.up_proj": tp.ColwiseParallel{}, "mlp.down*": tp.RowwiseParallel{}, "head": tp.ColwiseParallel{GatherOutput: true},
}

// layers compares a divided model with the whole: scores, norms of gradients, and the parameters that AdamW makes of them, which is more than their gradients.
func layers(g *dist.Group) error {
	for _, dev := range []device.Device{device.CPU, device.CUDA(g.LocalRank())} {
		alone, model := newNet(0), nn.To(newNet(int64(g.Rank())), dev)
		sharding, err := tp.ParallelizeModule(ctx, model, g, plan)
		if err != nil {
			return err
		}
		ids := tensor.Of([][]int{{0, 3, 9}, {10, 9, 5}})
		one, all := optim.NewAdamW(nn.Parameters(alone)), optim.NewAdamW(nn.Parameters(model))
		for range 3 {
			one.ZeroGrad()
			all.ZeroGrad()
			want, got := alone.Forward(ids), model.Forward(ids.To(dev))
			want.Sin().Sum().Backward()
			got.Sin().Sum().Backward()
			if err := near("scores", got.Detach(), want.Detach()); err != nil {
				return fmt.Errorf("%s: %w", dev, err)
			}
			if want, got := nn.ClipGradNorm(nn.Parameters(alone), 0.3), sharding.ClipGradNorm(0.3); max(want-got, got-want) > 1e-9 {
				return fmt.Errorf("%s: a norm of %v, %v alone", dev, got, want)
			}
			one.Step()
			all.Step()
		}
		state, err := sharding.FullState()
		for name, want := range nn.State(alone) {
			if g.Rank() == 0 && err == nil {
				err = near(name, state[name], want)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", dev, err)
		}
	}
	return nil
}

func near(what string, got, want *tensor.Tensor) error {
	if got.CPU().AllClose(want, 1e-9, 1e-9) {
		return nil
	}
	return fmt.Errorf("%s: got\n%v\nwant\n%v", what, got, want)
}

func TestLayers(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4} {
		if race.Enabled && n != 3 {
			continue // what ranks do at once is the same
		}
		if err := dist.Spawn(n, layers); err != nil {
			t.Errorf("%d ranks: %v", n, err)
		}
	}
}

func TestLayersUnderMPI(t *testing.T) {
	ranktest.UnderMPI(t, "layers")
}

// block has layers that compute two ops at once where they are whole.
type block struct {
	Chain *nn.Sequential
	Layer *nn.TransformerEncoderLayer
}

func (b *block) Forward(x *tensor.Tensor) *tensor.Tensor { return b.Layer.Forward(b.Chain.Forward(x)) }

// TestBlocks divides such layers, and one that computes three things.
func TestBlocks(t *testing.T) {
	err := dist.Spawn(2, func(g *dist.Group) error {
		seeding.Lock()
		tensor.ManualSeed(1)
		m := nn.Eval(nn.To(&block{nn.NewSequential(nn.NewLinear(3, 12), nn.NewReLU()), nn.NewTransformerEncoderLayer(12, 2)}, dtype.Float64))
		x := tensor.Randn(4, 2, 3).Double()
		seeding.Unlock()
		want := m.Forward(x).Detach()
		_, err := tp.ParallelizeModule(ctx, m, g, tp.Plan{"chain.0": tp.ColwiseParallel{GatherOutput: true}, "layer.linear1": tp.ColwiseParallel{}, "layer.linear2": tp.RowwiseParallel{}})
		if err != nil {
			return err
		}
		three := nn.To(nn.NewLinear(3, 12), dtype.Float64)
		weight := three.Weight.Detach().Clone()
		if err := g.Broadcast(weight, 0).Wait(ctx); err != nil {
			return err
		}
		if _, err := tp.ParallelizeModule(ctx, three, g, tp.Plan{"": tp.ColwiseParallel{Blocks: 3}}); err != nil {
			return err
		}
		rows := []*tensor.Tensor{}
		for block := range 3 {
			rows = append(rows, weight.Narrow(0, block*4+g.Rank()*2, 2))
		}
		return errors.Join(near("chain", m.Forward(x).Detach(), want), near("blocks", three.Weight.Detach(), tensor.Cat(rows, 0)))
	})
	if err != nil {
		t.Error(err)
	}
}

// TestReplicate: gradients of what each rank computes a part with are summed.
func TestReplicate(t *testing.T) {
	err := dist.Spawn(2, func(g *dist.Group) error {
		m := nn.NewSequential(nn.NewLinear(2, 1))
		if _, err := tp.ParallelizeModule(ctx, m, g, tp.Plan{"0": tp.Replicate{}}); err != nil {
			return err
		}
		m.Forward(tensor.Full([]int{1, 2}, float32(g.Rank()+1))).Sum().Backward()
		if got := tensor.Values[float32](nn.ParameterList(m)[0].Grad()); !slices.Equal(got, []float32{3, 3}) {
			return fmt.Errorf("got %v", got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestMistakes are refused in words.
func TestMistakes(t *testing.T) {
	for want, plan := range map[string]tp.Plan{
		`no module of the model is called "3.*"`:                                                            {"3.*": tp.ColwiseParallel{}},
		"ColwiseParallel currently only supports linear layers and embeddings, and norm is a *nn.LayerNorm": {"norm": tp.ColwiseParallel{}},
		"RowwiseParallel currently only supports linear layers and embeddings, and norm is a *nn.LayerNorm": {"norm": tp.RowwiseParallel{}},
		"table shares a parameter that is divided in another way":                                           {"table": tp.RowwiseParallel{}, "head": tp.RowwiseParallel{}},
		"3 blocks do not divide the 7 columns of first":                                                     {"first": tp.ColwiseParallel{Blocks: 3}},
		"the outputs of first are several blocks, which are not gathered":                                   {"first": tp.ColwiseParallel{GatherOutput: true, Blocks: 7}},
	} {
		err := dist.Spawn(2, func(g *dist.Group) error {
			if _, err := tp.ParallelizeModule(ctx, newNet(0), g, plan); err == nil || !strings.HasPrefix(err.Error(), want) {
				return fmt.Errorf("got %v, want %s", err, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
