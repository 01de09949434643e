package dist_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"cresset/device"
	"cresset/dist"
	"cresset/dtype"
	"cresset/internal/mpi/mpitest"
	"cresset/tensor"
)

// mistakes are refused before an engine sees them.
func mistakes(g *dist.Group) error {
	x, n := tensor.Zeros(2, 3), g.Size()
	other := (g.Rank() + 1) % n
	for want, call := range map[string]func(){
		"all_reduce: Tensors must be contiguous":                               func() { g.AllReduce(x.Transpose(0, 1), dist.Sum) },
		"all_reduce: expected a tensor, got nil":                               func() { g.AllReduce(nil, dist.Sum) },
		"all_reduce: tensors on meta have no elements":                         func() { g.AllReduce(x.To(device.Meta), dist.Sum) },
		"all_reduce: Cannot use ReduceOp.AVG with torch.int64":                 func() { g.AllReduce(x.To(dtype.Int64), dist.Avg) },
		"all_reduce: ReduceOp(9) is no operation":                              func() { g.AllReduce(x, 9) },
		fmt.Sprintf("broadcast: invalid root rank: -1, of %d ranks", n):        func() { g.Broadcast(x, -1) },
		fmt.Sprintf("broadcast: invalid root rank: %d, of %d ranks", n, n):     func() { g.Broadcast(x, n) },
		"all_gather: output and input must have the same dtype, but":           func() { g.AllGather(tensor.Zeros(6*n), x.To(dtype.Float64)) },
		fmt.Sprintf("all_gather: the output must have %d times as many", n):    func() { g.AllGather(tensor.Zeros(6*n+1), x) },
		fmt.Sprintf("reduce_scatter: the input must have %d times as many", n): func() { g.ReduceScatter(x, tensor.Zeros(6*n+1), dist.Sum) },
		"all_to_all: output and input must have the same number of elements":   func() { g.AllToAll(tensor.Zeros(7), x) },
		"gather: the root needs an output":                                     func() { g.Gather(nil, x, g.Rank()) },
		"scatter: the root needs an input":                                     func() { g.Scatter(x, nil, g.Rank()) },
		"send: Invalid destination rank":                                       func() { g.Send(x, g.Rank(), 0) },
		"recv: Invalid source rank: source rank should not":                    func() { g.Receive(x, g.Rank(), 0) },
		"split: color -1 and key 0":                                            func() { _, _ = g.Split(ctx, -1, 0) },
	} {
		if err := tensor.Try(call); err == nil || !strings.HasPrefix(err.Error(), want) {
			return fmt.Errorf("got %v, want %s", err, want)
		}
	}
	if n == 1 {
		return nil
	}
	for want, call := range map[string]func(){
		"gather: requires an empty output on non-root": func() { g.Gather(x, x, other) },
		"scatter: requires an empty input on non-root": func() { g.Scatter(x, x, other) },
		"recv: tag 32768 is not between 0 and 32767":   func() { g.Receive(x, other, 1<<15) },
	} {
		if err := tensor.Try(call); err == nil || err.Error() != want {
			return fmt.Errorf("got %v, want %s", err, want)
		}
	}
	return nil
}

// mismatch has ranks call different operations; each learns who called what, and where.
func mismatch(g *dist.Group) error {
	if g.Size() == 1 {
		return nil
	}
	x := tensor.Zeros(3)
	_, _, line, _ := runtime.Caller(0)
	var w *dist.Work
	if g.Rank() == 0 {
		w = g.AllReduce(x, dist.Sum)
	} else {
		w = g.Broadcast(x, 1)
	}
	err := w.Wait(ctx)
	var disagree *dist.MismatchError
	if !errors.As(err, &disagree) {
		return fmt.Errorf("got %v", err)
	}
	want := [2]string{"all_reduce SUM of 3 elements of torch.float32", "broadcast of 3 elements of torch.float32 with root 1"}
	if disagree.Calls != want || disagree.Ranks != [2]int{0, 1} || !strings.HasSuffix(disagree.Sites[0], fmt.Sprintf("failure_test.go:%d", line+3)) ||
		!strings.HasSuffix(disagree.Sites[1], fmt.Sprintf("failure_test.go:%d", line+5)) {
		return err
	}
	return nil
}

func TestMismatch(t *testing.T) {
	if err := dist.Spawn(2, mismatch); err != nil {
		t.Error(err)
	}
}

// late waits for a rank that does not come, says so, and ends the job.
func late(g *dist.Group) error {
	if g.Rank() == 1 {
		time.Sleep(time.Hour) // Abort ends it
	}
	if g.Rank() == 2 {
		err := g.AllReduce(tensor.Zeros(1), dist.Sum).Wait(ctx) // and tells that it waits
		return fmt.Errorf("got %v", err)
	}
	deadline, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	w := g.AllReduce(tensor.Zeros(1), dist.Sum)
	_, _, line, _ := runtime.Caller(0)
	done := w.Done()
	err := w.Wait(deadline)
	<-done
	var timeout *dist.TimeoutError
	if !errors.As(err, &timeout) || !errors.Is(err, context.DeadlineExceeded) || timeout.Call != "all_reduce SUM of 1 elements of torch.float32" {
		return fmt.Errorf("got %v", err)
	}
	if !strings.HasSuffix(timeout.Site, fmt.Sprintf("failure_test.go:%d", line+1)) {
		return fmt.Errorf("got %v, which does not name the line of Done", err)
	}
	if again := w.Wait(ctx); again != err {
		return fmt.Errorf("another Wait: %v, the first: %w", again, err)
	}
	if want := "; rank 1 has not called it, or cannot be reached"; !strings.HasSuffix(err.Error(), want) {
		return fmt.Errorf("got %v, want %s", err, want)
	}
	if err := g.Barrier().Wait(ctx); err == nil || !strings.HasPrefix(err.Error(), "the group is broken since all_reduce SUM") {
		return fmt.Errorf("afterwards: %v", err)
	}
	g.Abort(75)
	return nil
}

// aloneInInit is a job whose rank 1 never comes to Init; rank 0 says so when the limit has passed, and can end.
func aloneInInit() error {
	if os.Getenv("OMPI_COMM_WORLD_RANK")+os.Getenv("PMI_RANK") == "1" {
		time.Sleep(time.Minute) // the launcher ends it when rank 0 has failed, but MPICH's only where that had come to it before
		return errOwn
	}
	_, _, line, _ := runtime.Caller(0)
	_, err := dist.Init(ctx, dist.Timeout(time.Second/2))
	var timeout *dist.TimeoutError
	if !errors.As(err, &timeout) || !errors.Is(err, context.DeadlineExceeded) || timeout.Call != "MPI_Init" || !strings.HasSuffix(timeout.Site, fmt.Sprintf("failure_test.go:%d", line+1)) {
		return fmt.Errorf("got %v", err)
	}
	return fmt.Errorf("as it should: %w", err)
}

// lateInDebug is a Barrier that a rank does not come to, while the others wait to compare what they call: the error names the Barrier, and its line.
func lateInDebug(g *dist.Group) error {
	if g.Rank() == 1 {
		time.Sleep(time.Hour) // Abort ends it
	}
	dist.Limit(g, 5*time.Second)
	_, _, line, _ := runtime.Caller(0)
	err := g.Barrier().Wait(ctx)
	var timeout *dist.TimeoutError
	if !errors.As(err, &timeout) || timeout.Call != "barrier" || !strings.HasSuffix(timeout.Site, fmt.Sprintf("failure_test.go:%d", line+1)) || !slices.Equal(timeout.Missing, []int{1}) {
		return fmt.Errorf("got %v", err)
	}
	if err := g.Barrier().Wait(ctx); err == nil || !strings.Contains(err.Error(), "broken since barrier, called at ") {
		return fmt.Errorf("afterwards: %v", err)
	}
	g.Abort(75)
	return nil
}

// slow has a rank come when others have waited for so long that they have told so, to whatever it does; nothing of that is in the way of what follows.
func slow(g *dist.Group) error {
	for round := range 2 {
		if g.Rank() == 1 && round == 0 {
			time.Sleep(1100 * time.Millisecond)
		}
		x := tensor.Ones(1)
		if err := g.AllReduce(x, dist.Sum).Wait(ctx); err != nil {
			return err
		}
		if err := same("the sum", x, tensor.Full([]int{1}, float64(g.Size()))); err != nil {
			return err
		}
		part, err := g.Split(ctx, 0, 0)
		if err := errors.Join(err, messages(part), part.Close(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// fails ends one rank by an error of its own.
func fails(g *dist.Group) error {
	if g.Rank() == 1 {
		return errOwn
	}
	return g.Barrier().Wait(ctx)
}

// gone ends one rank's process as if all were well, without Close.
func gone(g *dist.Group) error {
	if g.Rank() == 1 {
		os.Exit(0)
	}
	err := g.Barrier().Wait(ctx)
	fmt.Println("rank 0 goes on:", err)
	return err
}

// missed ends one rank's process as gone does; the other notices, and ends the job.
func missed(g *dist.Group) error {
	if g.Rank() == 1 {
		os.Exit(0)
	}
	meets, hears := g.Barrier(), g.Receive(tensor.Zeros(1), 1, 0)
	told := fmt.Sprintf("rank 0 misses %v\nrank 0 hears %v\n", meets.Wait(ctx), hears.Wait(ctx))
	err := os.WriteFile(os.Getenv("TOLD"), []byte(told), 0o644) // MPICH's mpirun may drop what a rank prints that aborts at once
	g.Abort(3)
	return err
}

func TestFailureUnderMPI(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		if r := l.Run(t, 3, "late"); r.Code != 75 {
			t.Errorf("late: exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
		if r := l.Run(t, 2, "alone in init"); r.Code == 0 || !strings.Contains(r.Stderr, "as it should: MPI_Init, called at ") {
			t.Errorf("alone in init: exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
		if r := l.Run(t, 2, "late in debug"); r.Code != 75 {
			t.Errorf("late in debug: exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
		if r := l.Run(t, 3, "slow"); r.Code != 0 {
			t.Errorf("slow: exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
		if r := l.Run(t, 2, "fails"); r.Code == 0 || !strings.Contains(r.Stderr, "fails: its own fault") {
			t.Errorf("fails: exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
		// MPICH's launcher ends the job, and may still report that all went well; where a launcher takes its time the other rank notices.
		if r := l.Run(t, 2, "gone"); strings.Contains(strings.ReplaceAll(r.Stdout, "goes on: rank 1: its process has ended", ""), "goes on") || r.Code == 0 && l.Name != "mpich" {
			t.Errorf("gone: exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
		if f, ok := l.Forgiving(); ok {
			path := filepath.Join(t.TempDir(), "told")
			r := f.Run(t, 2, "missed", "TOLD="+path)
			if told, err := os.ReadFile(path); err != nil || r.Code != 3 || !strings.Contains(string(told), "rank 0 misses rank 1: its process has ended\nrank 0 hears rank 1: its process has ended") {
				t.Errorf("missed: exit %d, %v\n%s\n%s\n%s", r.Code, err, told, r.Stdout, r.Stderr)
			}
		}
		other := map[string]string{"openmpi": "libmpich.so.12", "mpich": "libmpi.so.40"}[l.Name]
		if r := l.Run(t, 2, "suite", "CRESSET_MPI="+other); r.Code == 0 || !strings.Contains(r.Stderr, "the launcher belongs to another MPI") && !strings.Contains(r.Stderr, "found no MPI library") {
			t.Errorf("another library: exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
	})
}

// TestRankFails: where one rank ends, those that wait for it end too, and the error is its own.
func TestRankFails(t *testing.T) {
	for name, end := range map[string]func() error{
		"error": func() error { return errOwn }, "panic": func() error { panic(errOwn) }, "exit": func() error { runtime.Goexit(); return nil },
		"leaves": func() error { return nil },
	} {
		var seen error
		err := dist.Spawn(3, func(g *dist.Group) error {
			switch g.Rank() {
			case 1:
				return end()
			case 2:
				return g.Receive(tensor.Zeros(1), 1, 0).Wait(ctx)
			}
			seen = g.AllReduce(tensor.Zeros(1), dist.Sum).Wait(ctx)
			return seen
		})
		var gone, cause *dist.RankError
		if !errors.As(seen, &gone) || gone.Rank != 1 && gone.Rank != 2 {
			t.Errorf("%s: rank 0 saw %v", name, seen)
		}
		if !errors.As(err, &cause) || name != "leaves" && (cause.Rank != 1 || strings.Contains(err.Error(), "rank 0")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestInit: a process that nothing launched is a group of its own; promises that cannot be kept are errors.
func TestInit(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		opts []dist.Option
		want string
	}{
		{nil, nil, ""},
		{map[string]string{"RANK": "0", "WORLD_SIZE": "1"}, nil, ""},
		{map[string]string{"RANK": "0", "WORLD_SIZE": "2"}, nil, "WORLD_SIZE says that there are 2 ranks"},
		{map[string]string{"RANK": "0", "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_PORT": "29500"}, nil, "environment variable MASTER_ADDR expected, but not set"},
		{map[string]string{"RANK": "1", "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}, nil, "environment variable MASTER_PORT expected, but not set"},
		{map[string]string{"RANK": "1", "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500", "TMPDIR": filepath.Join(t.TempDir(), strings.Repeat("a", 100)), "TMP": filepath.Join(t.TempDir(), strings.Repeat("a", 100))}, nil, "ranks of one machine meet at a socket, whose path "},
		{map[string]string{"WORLD_SIZE": "2"}, nil, "WORLD_SIZE=2 is set and RANK is not: launchers like torchrun set both"},
		{map[string]string{"RANK": "1"}, nil, "RANK=1 is set and WORLD_SIZE is not: launchers like torchrun set both"},
		{map[string]string{"RANK": "0", "WORLD_SIZE": "two"}, nil, "WORLD_SIZE=two is no number of ranks"},
		{map[string]string{"RANK": "3", "WORLD_SIZE": "1"}, nil, "RANK=3 is no rank from 0 to 0, as WORLD_SIZE=1 means"},
		{map[string]string{"RANK": "one", "WORLD_SIZE": "2"}, nil, "RANK=one is no rank from 0 to 1, as WORLD_SIZE=2 means"},
		{map[string]string{"TORCHELASTIC_RUN_ID": "a", "WORLD_SIZE": "2"}, nil, "WORLD_SIZE=2 is set and RANK is not: launchers like torchrun set both"},
		{map[string]string{"TORCHELASTIC_RUN_ID": "a", "WORLD_SIZE": "1"}, nil, "WORLD_SIZE=1 is set and RANK is not: launchers like torchrun set both"},
		{map[string]string{"OMPI_COMM_WORLD_SIZE": "2"}, nil, "OMPI_COMM_WORLD_SIZE=2 is set and OMPI_COMM_WORLD_RANK is not: Open MPI's launchers set both"},
		{map[string]string{"PMI_SIZE": "2"}, nil, "PMI_SIZE=2 is set and PMI_RANK is not: MPICH's launchers and Slurm's set both"},
		{map[string]string{"PMI_RANK": "1"}, nil, "PMI_RANK=1 is set and PMI_SIZE is not: MPICH's launchers and Slurm's set both"},
		{map[string]string{"PMI_RANK": "2", "PMI_SIZE": "2"}, nil, "PMI_RANK=2 is no rank from 0 to 1, as PMI_SIZE=2 means"},
		{map[string]string{"PET_NNODES": "2"}, nil, "PET_NNODES=2 is set and PET_NODE_RANK is not: Kubeflow's launchers set both"},
		{map[string]string{"LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}, nil, "LOCAL_WORLD_SIZE=2 is set and RANK and WORLD_SIZE are not: launchers like torchrun set all of them"},
		{map[string]string{"LOCAL_RANK": "1"}, nil, "LOCAL_RANK=1 is set and RANK and WORLD_SIZE are not: launchers like torchrun set all of them"},
		{map[string]string{"SLURM_NTASKS": "4"}, nil, ""}, // as in a shell of salloc
		{map[string]string{"LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}, nil, ""},
		{map[string]string{"CRESSET_CUDA_AWARE_MPI": "yes"}, nil, "CRESSET_CUDA_AWARE_MPI=yes: 1 hands tensors on GPUs to MPI where they lie, 0 or nothing leaves that to CUDAAwareMPI"},
		{map[string]string{"CRESSET_CUDA_AWARE_MPI": "0"}, nil, ""},
		{map[string]string{"PET_NPROC_PER_NODE": "4"}, nil, "PET_NPROC_PER_NODE=4 is set and PET_NODE_RANK and PET_NNODES are not: Kubeflow's launchers set all of them"},
		{map[string]string{"TORCH_DISTRIBUTED_DEBUG": "verbose"}, nil, "the value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL, not verbose"},
		{map[string]string{"SLURM_PROCID": "1"}, nil, "SLURM_PROCID=1 is set and SLURM_NTASKS is not: Slurm's launchers set both"},
		{map[string]string{"PET_NODE_RANK": "0", "PET_NNODES": "1", "PET_NPROC_PER_NODE": "auto"}, nil, ""},
		{map[string]string{"PET_NODE_RANK": "0", "PET_NNODES": "2", "PET_NPROC_PER_NODE": "4"}, nil, "PET_NNODES says that there are 8 ranks"},
		{map[string]string{"PMI_RANK": "0", "PMI_SIZE": "2", "CRESSET_MPI": os.DevNull}, nil, "found no MPI library"},
		{nil, []dist.Option{dist.Engine("gloo")}, `there is no engine "gloo"`},
	} {
		t.Run(c.want, func(t *testing.T) {
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			g, err := dist.Init(ctx, c.opts...)
			switch {
			case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
				t.Errorf("got %v, %v", g, err)
			case c.want == "" && (err != nil || g.String() != "rank 0 of 1 (local)"):
				t.Errorf("got %v, %v", g, err)
			}
		})
	}
}
