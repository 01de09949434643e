package dist_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cresset/device"
	"cresset/dist"
	"cresset/dtype"
	"cresset/internal/backend/cuda"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
	"cresset/internal/nccl/ncclsim"
	"cresset/tensor"
)

// lendGPUs gives the test simulated GPUs and a library that knows them.
func lendGPUs(t *testing.T, n int) {
	t.Helper()
	m, err := hardware.Preset("t4", n)
	if err != nil {
		t.Fatal(err)
	}
	d := sim.New(m, sim.Options{LookupEnv: func(string) (string, bool) { return "", false }})
	t.Cleanup(cuda.UseDriver(d.API))
	t.Cleanup(dist.LendNCCL(ncclsim.New(d.API)))
}

// TestNCCL runs what every engine has to do by NCCL alone, but for what that lacks: tags, and sums of int16.
func TestNCCL(t *testing.T) {
	lendGPUs(t, 3)
	for name, part := range suite {
		if name == "messages" || name == "mistakes" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3} {
				if err := dist.SpawnNCCL(n, time.Minute, part); err != nil {
					t.Errorf("%d ranks: %v", n, err)
				}
			}
		})
	}
}

// ring sends a number around, each rank after it has received one, and asks for what NCCL lacks.
func ring(g *dist.Group) error {
	next, last := (g.Rank()+1)%g.Size(), (g.Rank()+g.Size()-1)%g.Size()
	gpu := device.CUDA(g.Rank())
	x := tensor.On(gpu).Zeros(5)
	if g.Rank() == 0 {
		x = tensor.On(gpu).Ones(5)
		if err := g.Send(x, next, 0).Wait(ctx); err != nil {
			return err
		}
	}
	if err := g.Receive(x, last, 0).Wait(ctx); err != nil {
		return err
	}
	if g.Rank() != 0 {
		x.AddInPlace(tensor.Of(1.0))
		if err := g.Send(x, next, 0).Wait(ctx); err != nil {
			return err
		}
	}
	want := g.Rank() + 1
	if g.Rank() == 0 {
		want = g.Size()
	}
	if err := same("what came around", x, tensor.Full([]int{5}, float64(want))); err != nil {
		return err
	}
	if g.Engine() == "local" {
		return nil
	}
	for text, w := range map[string]*dist.Work{
		"recv: NCCL has no tags, and tag 3 is not 0: messages arrive in the order in which they are sent": g.Receive(x, last, 3),
		"all_reduce: Input tensor data type is not supported for NCCL process group: Short":               g.AllReduce(x.To(dtype.Int16), dist.Sum),
	} {
		if err := w.Wait(ctx); err == nil || err.Error() != text {
			return fmt.Errorf("got %v, want %s", err, text)
		}
	}
	return nil
}

// Goroutines find out at their first exchange of tensors on GPUs that NCCL can carry it; tensors on the CPU go another way.
func TestLocalWithNCCL(t *testing.T) {
	lendGPUs(t, 3)
	err := dist.Spawn(3, func(g *dist.Group) error {
		if err := reductions(g); err != nil || g.Engine() != "local" {
			return fmt.Errorf("on the CPU by %s: %v", g.Engine(), err)
		}
		if err := ring(g); err != nil || g.Engine() != "local" {
			return fmt.Errorf("messages before ranks have met, by %s: %v", g.Engine(), err)
		}
		x := tensor.On(device.CUDA(g.Rank())).Full([]int{4}, float64(g.Rank()+1))
		y := x.Mul(x) // which the reduction has to wait for
		if err := g.AllReduce(y, dist.Sum).Wait(ctx); err != nil {
			return err
		}
		if g.Engine() != "local+nccl" {
			return fmt.Errorf("GPUs by %s", g.Engine())
		}
		if err := same("squares", y, tensor.Full([]int{4}, 14)); err != nil {
			return err
		}
		part, err := g.Split(ctx, min(g.Rank(), 1), 0)
		if err != nil {
			return err
		}
		if err := part.Broadcast(x, 0).Wait(ctx); err != nil || part.Engine() != "local+nccl" {
			return fmt.Errorf("a part, by %s: %v", part.Engine(), err)
		}
		if err := same("the part's", x, tensor.Full([]int{4}, float64(min(g.Rank(), 1)+1))); err != nil {
			return err
		}
		return reductions(g)
	})
	if err != nil {
		t.Error(err)
	}
	met := func(g *dist.Group) error {
		if err := g.Broadcast(tensor.On(device.CUDA(g.Rank())).Ones(1), 0).Wait(ctx); err != nil {
			return err
		}
		return ring(g)
	}
	if err := dist.Spawn(3, met, dist.Engine("nccl")); err != nil {
		t.Error(err)
	}
}

// Where ranks share a GPU, tensors pass through the host unless NCCL was asked for.
func TestRanksThatShareAGPU(t *testing.T) {
	lendGPUs(t, 1)
	onOne := func(g *dist.Group) error {
		x := tensor.On(device.CUDA(0)).Ones(4)
		if err := g.AllReduce(x, dist.Sum).Wait(ctx); err != nil {
			return err
		}
		return same("the sum", x, tensor.Full([]int{4}, float64(g.Size())))
	}
	if err := dist.Spawn(2, onOne); err != nil {
		t.Error(err)
	}
	const text = "rank 1: has the GPU of rank 0, and NCCL wants one for each rank"
	if err := dist.Spawn(2, onOne, dist.Engine("nccl")); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v", err)
	}
	if err := dist.Spawn(2, onOne, dist.Engine("local")); err != nil {
		t.Error(err)
	}
}

// Where a rank fails, the others' operations end with its error.
func TestNCCLRankFails(t *testing.T) {
	lendGPUs(t, 2)
	var first error
	err := dist.Spawn(2, func(g *dist.Group) error {
		x := tensor.On(device.CUDA(g.Rank())).Ones(4)
		err := g.Broadcast(x, 0).Wait(ctx)
		if g.Rank() == 1 {
			return errors.Join(err, errOwn)
		}
		if err == nil {
			err = g.AllReduce(x, dist.Sum).Wait(ctx)
		}
		first = err
		return err
	}, dist.Engine("nccl"))
	if gone := (*dist.RankError)(nil); !errors.Is(err, errOwn) || !errors.As(first, &gone) || gone.Rank != 1 {
		t.Errorf("%v, and the other rank has %v", err, first)
	}
}

// A rank that waits for one that does not come stops when its time is over, and what it began on its GPU is aborted.
func TestNCCLRankIsLate(t *testing.T) {
	lendGPUs(t, 2)
	waited := make(chan struct{})
	err := dist.SpawnNCCL(2, 200*time.Millisecond, func(g *dist.Group) error {
		if g.Rank() == 1 {
			<-waited
			return nil
		}
		defer close(waited)
		w := g.AllReduce(tensor.On(device.CUDA(0)).Ones(4), dist.Sum)
		late := (*dist.TimeoutError)(nil)
		if err := w.Wait(ctx); !errors.As(err, &late) || !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("got %v", err)
		}
		if err := g.Barrier().Wait(ctx); err == nil || !strings.Contains(err.Error(), "the group is broken since all_reduce SUM of 4 elements") {
			return fmt.Errorf("then got %v", err)
		}
		return errOwn
	})
	if !errors.Is(err, errOwn) {
		t.Error(err)
	}
}

// TestNCCLRankIsNamed: where ranks know each other otherwise than by NCCL, those that wait for a GPU's operation learn for whom.
func TestNCCLRankIsNamed(t *testing.T) {
	lendGPUs(t, 3)
	waited := make(chan struct{})
	var gaveUp sync.WaitGroup
	var named atomic.Int64
	gaveUp.Add(2)
	go func() {
		gaveUp.Wait()
		close(waited)
	}()
	err := dist.Spawn(3, func(g *dist.Group) error {
		x := tensor.On(device.CUDA(g.Rank())).Ones(4)
		if err := g.Broadcast(x, 0).Wait(ctx); err != nil {
			return err
		}
		if g.Rank() == 1 {
			<-waited
			return nil
		}
		defer gaveUp.Done()
		err := g.AllReduce(x, dist.Sum).Wait(ctx)
		late := (*dist.TimeoutError)(nil)
		switch {
		case errors.As(err, &late) && strings.HasSuffix(err.Error(), "; rank 1 has not called it, or cannot be reached"):
			named.Add(1)
		case err == nil || !strings.Contains(err.Error(), "ncclRemoteError"): // the first that gives up ends what the other waits for, which may not have had its time
			return fmt.Errorf("got %v", err)
		}
		return nil
	}, dist.Engine("nccl"), dist.Timeout(2*time.Second))
	if err != nil || named.Load() == 0 {
		t.Errorf("%d ranks named the one that is late: %v", named.Load(), err)
	}
}

func TestPlaceToMeet(t *testing.T) {
	for _, test := range []struct{ id, addr, port, want string }{
		{"10.0.0.1:5000", "", "", "10.0.0.1:5000"},
		{"", "node-0", "29500", "node-0:29501"},
		{"", "fe80::1", "29500", "[fe80::1]:29501"},
		{"", "node-0", "65535", ""},
		{"", "", "29500", ""},
		{"", "node-0", "port", ""},
	} {
		env := map[string]string{"NCCL_COMM_ID": test.id, "MASTER_ADDR": test.addr, "MASTER_PORT": test.port}
		got, err := dist.PlaceToMeet(func(name string) string { return env[name] })
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%v: %q, %v", env, got, err)
		}
	}
}
