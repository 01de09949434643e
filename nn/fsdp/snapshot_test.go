package fsdp_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/dist"
	"cresset/nn"
	"cresset/nn/fsdp"
	"cresset/optim"
	"cresset/tensor"
)

// A run is a training that can stop and go on.
type run struct {
	model    nn.Module
	opt      *optim.Algorithm
	schedule optim.Schedule
	step     int
	mine     func(t *tensor.Tensor) *tensor.Tensor
}

func newRun(model nn.Module, mine func(t *tensor.Tensor) *tensor.Tensor) *run {
	r := &run{model: model, opt: optim.NewAdam(nn.Parameters(model), optim.LR(0.02)), mine: mine}
	r.schedule = optim.NewStepLR(r.opt, 3)
	return r
}

func (r *run) parts() checkpoint.Snapshot {
	return checkpoint.Snapshot{"optimizer": r.opt, "schedule": r.schedule, "step": &r.step}
}

// to trains up to a step, and returns the losses.
func (r *run) to(end int) (losses []float64) {
	for ; r.step < end; r.step++ {
		x, y := batch(r.step)
		r.opt.ZeroGrad()
		loss := tensor.MSELoss(r.model.Forward(r.mine(x)), r.mine(y))
		loss.Backward()
		r.opt.Step()
		r.schedule.Step()
		losses = append(losses, loss.Float64())
	}
	return losses
}

// sharded returns a run of which a rank has its part.
func sharded(g *dist.Group, seed int64) (*run, *fsdp.FullyShardedDataParallel[*nn.Sequential], error) {
	model, err := fsdp.NewFullyShardedDataParallel(perceptron(seed), g)
	if err != nil {
		return nil, nil, err
	}
	each := rows / g.Size()
	return newRun(model, func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(0, g.Rank()*each, each) }), model, nil
}

// TestResumesOnOtherRanks trains on three ranks, goes on with what they have saved on one and on two, and wants the losses of a training that did not stop.
func TestResumesOnOtherRanks(t *testing.T) {
	alone := perceptron(0)
	r := newRun(alone, func(t *tensor.Tensor) *tensor.Tensor { return t })
	r.to(3)
	at := nn.State(nn.Copy(alone, (*tensor.Tensor).Clone))
	want := tensor.FromSlice(r.to(6))
	dir := filepath.Join(t.TempDir(), "000003")
	killed := filepath.Join(dir+".draft", "model", "model.safetensors.index.json") // what a job that was killed has left
	if err := errors.Join(os.MkdirAll(filepath.Dir(killed), 0o777), os.WriteFile(killed, []byte("{"), 0o666)); err != nil {
		t.Fatal(err)
	}
	err := dist.Spawn(3, func(g *dist.Group) error {
		r, model, err := sharded(g, 0)
		if err != nil {
			return err
		}
		r.to(3)
		return model.Save(ctx, dir, r.parts())
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 4} {
		err := dist.Spawn(n, func(g *dist.Group) error {
			r, model, err := sharded(g, 7)
			if err == nil {
				err = model.Load(ctx, dir, r.parts())
			}
			if err != nil {
				return err
			}
			got := tensor.FromSlice(r.to(6))
			if err := g.AllReduce(got, dist.Avg).Wait(ctx); err != nil {
				return err
			}
			return equal("losses", got, want, 1e-9)
		})
		if err != nil {
			t.Errorf("%d ranks: %v", n, err)
		}
	}
	if _, err := os.Stat(dir + ".draft"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the draft: %v", err)
	}
	plain := perceptron(7)
	if err := checkpoint.Load(filepath.Join(dir, "model"), plain); err != nil {
		t.Fatal(err)
	}
	for name, x := range nn.State(plain) {
		if err := equal(name, x, at[name], 1e-9); err != nil {
			t.Error(err)
		}
	}
}

// TestSaveFails: where one rank cannot write, all say so, and neither a snapshot nor a draft is left; what is there stays.
func TestSaveFails(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "a")
	spawn(t, func(g *dist.Group) error {
		r, model, err := sharded(g, 0)
		if err != nil {
			return err
		}
		parts := r.parts()
		if g.Rank() == 1 {
			parts["step"] = 3
		}
		err = model.Save(ctx, dir, parts)
		if err == nil || !strings.Contains(err.Error(), "it has to be a pointer") {
			return fmt.Errorf("got %v", err)
		}
		var other *dist.RankError
		if errors.As(err, &other) != (g.Rank() == 0) {
			return fmt.Errorf("rank %d got %w", g.Rank(), err)
		}
		if err := g.Barrier().Wait(ctx); err != nil {
			return err
		}
		if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
			return fmt.Errorf("left: %v, %w", left, err)
		}
		if err := errors.Join(g.Barrier().Wait(ctx), model.Save(ctx, dir, r.parts())); err != nil {
			return err
		}
		if err := model.Save(ctx, dir, r.parts()); err == nil || !strings.Contains(err.Error(), "file already exists") {
			return fmt.Errorf("a second time: %v", err)
		}
		return model.Load(ctx, dir, r.parts())
	})
}

// TestLoadMisfits names what is not as in the model.
func TestLoadMisfits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	spawn(t, func(g *dist.Group) error {
		model, err := fsdp.NewFullyShardedDataParallel(nn.NewLinear(2, 3), g)
		if err != nil {
			return err
		}
		if err := model.Save(ctx, dir, nil); err != nil {
			return err
		}
		other, err := fsdp.NewFullyShardedDataParallel(nn.NewLinear(4, 3, nn.Bias(false)), g)
		if err != nil {
			return err
		}
		err = other.Load(ctx, dir, nil)
		var bad *nn.StateError
		if !errors.As(err, &bad) || len(bad.Unexpected) != 1 || len(bad.Mismatched) != 1 || len(bad.Missing) != 0 {
			return fmt.Errorf("got %v", err)
		}
		if err := other.Load(ctx, dir+"b", nil); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("no folder: %v", err)
		}
		return nil
	})
}
