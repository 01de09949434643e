package dist_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dist"
	"cresset/internal/mpi/mpitest"
	"cresset/tensor"
)

// disagree returns an error unless err says that ranks 0 and 1 made these calls in these lines of this file.
func disagree(err error, calls [2]string, lines [2]int) error {
	var mismatch *dist.MismatchError
	if !errors.As(err, &mismatch) || mismatch.Calls != calls || mismatch.Ranks != [2]int{0, 1} {
		return fmt.Errorf("got %v", err)
	}
	for rank, site := range mismatch.Sites {
		if !strings.HasSuffix(site, fmt.Sprintf("mismatch_test.go:%d", lines[rank])) {
			return fmt.Errorf("got %v, want line %d of rank %d", err, lines[rank], rank)
		}
	}
	return nil
}

// splitOrBarrier has one rank call Split and the other Barrier: both begin with a wait for all ranks, and are not the same.
func splitOrBarrier(g *dist.Group) error {
	splits := os.Getenv(splitting) == "1"
	_, _, line, _ := runtime.Caller(0)
	var err error
	if (g.Rank() == 1) == splits {
		_, err = g.Split(ctx, 0, 0)
	} else {
		err = g.Barrier().Wait(ctx)
	}
	if splits {
		return disagree(err, [2]string{"barrier", "split"}, [2]int{line + 5, line + 3})
	}
	return disagree(err, [2]string{"split", "barrier"}, [2]int{line + 3, line + 5})
}

// splitting is a variable that says which rank calls Split in splitOrBarrier, 0 unless it is 1.
const splitting = "CRESSET_DIST_TEST_SPLIT"

func TestSplitIsNoBarrier(t *testing.T) {
	for _, rank := range []string{"0", "1"} {
		t.Setenv(splitting, rank)
		if err := dist.Spawn(2, splitOrBarrier); err != nil {
			t.Errorf("rank %s splits: %v", rank, err)
		}
		for other, said := range ends(ranks(t, 2, "split or barrier", nil)) {
			if said != "" {
				t.Errorf("rank %s splits, rank %d: %s", rank, other, said)
			}
		}
	}
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		if r := l.Run(t, 2, "split or barrier"); r.Code != 0 {
			t.Errorf("exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
	})
}

// oneDebugs has rank 1 alone ask for Debug, as where a launcher has not passed the variable on to another machine.
func oneDebugs() error {
	g, err := dist.Init(ctx, dist.Debug(os.Getenv("OMPI_COMM_WORLD_RANK")+os.Getenv("PMI_RANK") == "1"))
	return fmt.Errorf("%v: %w", g, err)
}

func TestAllRanksDebug(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		const want = "rank 1: was started with Debug (TORCH_DISTRIBUTED_DEBUG=DETAIL), rank 0 without it: all ranks need the same"
		if r := l.Run(t, 2, "one debugs"); r.Code == 0 || !strings.Contains(r.Stderr, want) {
			t.Errorf("exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
	})
}

// TestMismatchBesideNCCL: with Debug goroutines notice too where NCCL carries one rank's call and not the other's.
func TestMismatchBesideNCCL(t *testing.T) {
	lendGPUs(t, 2)
	err := dist.Spawn(2, func(g *dist.Group) error {
		x := tensor.On(device.CUDA(g.Rank())).Ones(2)
		if err := g.AllReduce(x, dist.Sum).Wait(ctx); err != nil || g.Engine() != "local+nccl" {
			return fmt.Errorf("by %s: %v", g.Engine(), err)
		}
		_, _, line, _ := runtime.Caller(0)
		var w *dist.Work
		if g.Rank() == 0 {
			w = g.AllReduce(x, dist.Sum)
		} else {
			w = g.Barrier()
		}
		return disagree(w.Wait(ctx), [2]string{"all_reduce SUM of 2 elements of torch.float32", "barrier"}, [2]int{line + 3, line + 5})
	}, dist.Debug(true))
	if err != nil {
		t.Error(err)
	}
}
