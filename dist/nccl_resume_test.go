package dist_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"cresset/checkpoint"
	"cresset/device"
	"cresset/dist"
	"cresset/nn"
	"cresset/nn/ddp"
	"cresset/optim"
	"cresset/tensor"
)

// learning is a training of 7 steps on GPUs whose gradients NCCL adds, with a snapshot of rank 0 behind every second.
type learning struct {
	dir     string
	failing int        // rank 1 fails within this step; 0 for never
	mu      sync.Mutex // held while a rank draws or restores random numbers, which are the program's
	resumed [2]int     // by rank, at which step it went on
	weights [2][]float32
}

const learningSteps = 7

func (l *learning) rank(g *dist.Group) (err error) {
	dev := device.CUDA(g.Rank())
	l.mu.Lock()
	tensor.ManualSeed(3)
	net := nn.To(nn.NewSequential(nn.NewLinear(6, 8), nn.NewTanh(), nn.NewLinear(8, 1)), dev)
	opt, step := optim.NewAdamW(nn.Parameters(net), optim.LR(0.05)), 0
	saved, state := checkpoint.NewSnapshots(l.dir), checkpoint.Snapshot{"model": net, "optimizer": opt, "step": &step}
	defer func() { err = errors.Join(err, saved.Close()) }()
	_, err = saved.Resume(state)
	l.resumed[g.Rank()] = step
	l.mu.Unlock()
	if err != nil {
		return err
	}
	model, err := ddp.NewDistributedDataParallel(net, g)
	if err != nil {
		return err
	}
	for step < learningSteps {
		x := tensor.Arange(0, 24, 1).View(4, 6).AddScalar(float64(31*step + 7*g.Rank())).Sin().To(dev)
		if step++; step == l.failing && g.Rank() == 1 {
			return errOwn
		}
		opt.ZeroGrad()
		err := tensor.Try(func() { tensor.MSELoss(model.Forward(x), x.SumAxes([]int{1}).View(4, 1)).Backward() })
		if err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		opt.Step()
		if step%2 == 0 && g.Rank() == 0 {
			if err := saved.Save(state); err != nil {
				return err
			}
		}
		if err := g.Barrier().Wait(ctx); err != nil { // the snapshot is there
			return err
		}
	}
	if g.Engine() != "local+nccl" {
		return fmt.Errorf("gradients went by %s", g.Engine())
	}
	l.weights[g.Rank()] = tensor.Values[float32](nn.ParametersToVector(nn.Parameters(net)).Detach().CPU())
	return nil
}

// TestNCCLRankFailsAndAllGoOn: when a rank has failed, all go on from the newest snapshot to the bits of a training that nothing has disturbed.
func TestNCCLRankFailsAndAllGoOn(t *testing.T) {
	lendGPUs(t, 2)
	whole := &learning{dir: t.TempDir()}
	if err := dist.Spawn(2, whole.rank, dist.Engine("nccl")); err != nil {
		t.Fatal(err)
	}
	disturbed := &learning{dir: t.TempDir(), failing: 5}
	err := dist.Spawn(2, disturbed.rank, dist.Engine("nccl"))
	if gone := (*dist.RankError)(nil); !errors.Is(err, errOwn) || !errors.As(err, &gone) || gone.Rank != 1 {
		t.Fatalf("got %v", err)
	}
	disturbed.failing = 0
	if err := dist.Spawn(2, disturbed.rank, dist.Engine("nccl")); err != nil || disturbed.resumed != [2]int{4, 4} {
		t.Fatalf("went on at steps %v: %v", disturbed.resumed, err)
	}
	for rank, got := range disturbed.weights {
		if fmt.Sprint(got) != fmt.Sprint(whole.weights[0]) {
			t.Errorf("rank %d has other weights than without the failure:\n%v\n%v", rank, got, whole.weights[0])
		}
	}
}
