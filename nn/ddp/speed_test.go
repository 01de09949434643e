package ddp_test

import (
	"context"
	"flag"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"cresset/dist"
	"cresset/internal/mpi/mpitest"
	"cresset/nn"
	"cresset/nn/ddp"
	"cresset/optim"
	"cresset/tensor"
)

var speedRounds = flag.Int("speed", 0, "how many rounds TestSpeed takes")

// batchOf is a rank's, and steps are timed.
const batchOf, timedSteps = 256, 300

// speed trains the MLP of scripts/ddp_torch.py, and prints the samples of all ranks in a second.
func speed(g *dist.Group) error {
	model, err := ddp.NewDistributedDataParallel(nn.NewSequential(nn.NewLinear(784, 256), nn.NewReLU(), nn.NewLinear(256, 128), nn.NewReLU(), nn.NewLinear(128, 10)), g, ddp.GradientAsBucketView(true))
	if err != nil {
		return err
	}
	opt := optim.NewSGD(nn.Parameters(model), optim.LR(0.01))
	x, y := tensor.Rand(batchOf, 784), tensor.Arange(0, batchOf, 1).RemainderScalar(10).Long()
	var begun time.Time
	for step := range timedSteps + 20 {
		if step == 20 {
			if err := g.Barrier().Wait(ctx); err != nil {
				return err
			}
			begun = time.Now()
		}
		s := tensor.NewScope()
		opt.ZeroGrad()
		tensor.CrossEntropy(model.Forward(s.Enter(x)), y).Backward()
		opt.Step()
		s.Close()
	}
	if err := g.Barrier().Wait(ctx); err != nil {
		return err
	}
	if g.Rank() == 0 {
		fmt.Println(float64(g.Size()*batchOf*timedSteps) / time.Since(begun).Seconds())
	}
	return nil
}

// aCoreEach binds each rank to a core, where it looks for messages without giving the core away.
var aCoreEach = []string{"GOMAXPROCS=1", "OMPI_MCA_hwloc_base_binding_policy=core", "OMPI_MCA_mpi_yield_when_idle=0", "HYDRA_BINDING=core"}

// TestSpeed times one rank and two of a core each, and PyTorch's beside them where it is there, by turns:
//
//	PATH=/opt/torch/bin:$PATH go test ./nn/ddp -run Speed -speed 5 -v
func TestSpeed(t *testing.T) {
	if *speedRounds == 0 {
		t.Skip("-speed 5 times ranks")
	}
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		var best, torch [3]float64
		for range *speedRounds {
			for n := 1; n <= 2; n++ {
				r := l.Run(t, n, "speed", aCoreEach...)
				best[n] = max(best[n], number(r.Stdout))
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				out, _ := exec.CommandContext(ctx, "torchrun", "--nproc-per-node", strconv.Itoa(n), "../../scripts/ddp_torch.py").Output() // which may not be there
				cancel()
				torch[n] = max(torch[n], number(string(out)))
			}
		}
		t.Logf("samples a second: 1 rank %.0f, 2 ranks %.0f, %.2f times as many; PyTorch's %.0f and %.0f, %.2f times", best[1], best[2], best[2]/best[1], torch[1], torch[2], torch[2]/torch[1])
		if best[2] < 1.7*best[1] {
			t.Error("two ranks are less than 1.7 times as fast as one")
		}
		if best[2] < torch[2] {
			t.Error("PyTorch is faster")
		}
	})
}

// number returns what was printed, 0 where nothing was.
func number(text string) float64 {
	n, _ := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return n
}
