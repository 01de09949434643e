package cli

import (
	"fmt"

	"cresset/cuda"
	"cresset/data"
	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// graphs are a training's steps as graphs, one for each size of a batch. They share their memory: a step leaves nothing there for another.
type graphs struct {
	begun bool // the first step was eager, so that the optimizer's states are there
	of    map[int]*stepGraph
	pool  *cuda.GraphPool
}

// stepGraph is a step on batches that are copied to where it reads them.
type stepGraph struct {
	*cuda.Graph
	inputs, targets *tensor.Tensor
	losses          *tensor.Tensor // of the parts of a batch
}

// noGraph is the error of --graph on a device that has none.
func noGraph(dev device.Device) error {
	return fmt.Errorf("--graph is for a GPU, not for --device %s", dev)
}

// graphs returns what --graph asks for, nil without it.
func (c *trainCommand) graphs() *graphs {
	if !c.Step.Graph {
		return nil
	}
	return &graphs{of: make(map[int]*stepGraph)}
}

// replay trains on a batch by the graph of its size, which it captures where there is none yet, and returns the loss.
func (t *training) replay(b data.Batch) (float64, error) {
	g, err := t.graphOf(b)
	if err == nil {
		g.inputs.CopyInPlace(b.Inputs)
		g.targets.CopyInPlace(b.Targets)
		err = g.Replay()
	}
	if err != nil {
		return 0, fmt.Errorf("--graph: %w", err)
	}
	if t.schedule != nil {
		t.schedule.Step()
	}
	loss := 0.0
	for _, l := range tensor.Values[float32](g.losses) {
		loss += float64(l)
	}
	return loss, nil
}

func (t *training) graphOf(b data.Batch) (*stepGraph, error) {
	s := t.graphs
	if g := s.of[b.Len()]; g != nil {
		return g, nil
	}
	var err error
	if s.pool == nil {
		index, _ := t.device.Index()
		if s.pool, err = cuda.GraphPoolHandle(index); err != nil {
			return nil, err
		}
	}
	like := func(x *tensor.Tensor) *tensor.Tensor { return tensor.On(t.device).As(x.DType()).Empty(x.Shape()...) }
	g := &stepGraph{inputs: like(b.Inputs), targets: like(b.Targets), losses: tensor.On(t.device).Zeros(t.accumulate)}
	t.optimizer.ZeroGrad() // gradients are the graph's own
	g.Graph, err = s.pool.Capture(func() error {
		scope := tensor.NewScope()
		defer scope.Close()
		at := 0
		t.change(data.Batch{Inputs: scope.Enter(g.inputs), Targets: scope.Enter(g.targets), Scope: scope}, b.Len(), func(loss *tensor.Tensor) {
			g.losses.Select(0, at).CopyInPlace(loss.Detach())
			at++
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.optimizer.ZeroGrad()
	s.of[b.Len()] = g
	return g, nil
}

// close gives up the graphs' memory.
func (s *graphs) close() error {
	if s == nil {
		return nil
	}
	var failed error
	for _, g := range s.of {
		if err := g.Close(); failed == nil {
			failed = err
		}
	}
	return failed
}

// clipGradients makes gradients at most clip long, without a wait in a graph.
func clipGradients(net any, clip float64) {
	ps := nn.Parameters(net)
	for _, p := range ps {
		if i, numbered := p.Device().Index(); numbered && p.Device().IsCUDA() && cuda.IsCapturing(i) {
			nn.ClipGradNormOnDevice(ps, clip)
			return
		}
		break
	}
	nn.ClipGradNorm(ps, clip)
}
