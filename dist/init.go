package dist

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"cresset/internal/mpi"
)

// Init joins the job that the process was launched in: by mpirun, srun or another launcher of MPI, the ranks that it started; by cresset launch or torchrun,
// those of this machine; otherwise a group of this process alone. The MPI library is the one that belongs to the launcher, or that CRESSET_MPI names.
//
// It is an error where the environment promises more ranks than can be had, never a smaller group. A process joins a launcher's ranks once, also when it has left them.
func Init(ctx context.Context, opts ...Option) (*Group, error) {
	o, err := optionsOf(opts)
	if err != nil {
		return nil, err
	}
	l, err := launchOf(os.Getenv)
	if err != nil {
		return nil, err
	}
	if o.cudaAware && l.size > 1 && (o.engine == "local" || o.engine == "nccl" || o.engine == "" && !l.mpi) {
		return nil, fmt.Errorf("CUDA-aware MPI is asked for, and these ranks meet without MPI: mpirun and srun start those that meet by it")
	}
	switch {
	case o.engine == "mpi", o.engine != "local" && l.mpi:
		return initMPI(ctx, o, l)
	case o.engine != "" && o.engine != "local" && o.engine != "nccl":
		return nil, fmt.Errorf("there is no engine %q: mpi, nccl and local are there", o.engine)
	case l.size == 0 || l.size == 1:
		return newLocal(newRoom(1), 0, o), nil
	case !joined.CompareAndSwap(false, true):
		return nil, errors.New("a process joins the ranks that a launcher has started once")
	}
	join := initLocal
	if o.engine == "nccl" {
		join = initNCCL
	}
	g, err := join(ctx, o, l)
	if err != nil {
		joined.Store(false) // another try may come in time
	}
	return g, err
}

// joined tells that this process has joined ranks that meet without MPI, which has a rule of its own: a second meeting has the first one's place, where some may still be.
var joined atomic.Bool

// initLocal joins the ranks that a launcher has started on this machine.
func initLocal(ctx context.Context, o options, l launch) (*Group, error) {
	here, err := strconv.Atoi(os.Getenv("LOCAL_WORLD_SIZE"))
	if l.by != "WORLD_SIZE" || err != nil || here != l.size {
		return nil, fmt.Errorf("%s says that there are %d ranks, of which LOCAL_WORLD_SIZE=%s are on this machine: those of several machines meet by MPI, where it is installed on each (Debian's openmpi-bin or mpich) and mpirun or srun starts them, or each with a GPU by the engine nccl", l.by, l.size, os.Getenv("LOCAL_WORLD_SIZE"))
	}
	rank, err := numberIn("RANK", l.size)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	e, err := meetAs(ctx, rank, l.size, os.Getenv)
	if err != nil {
		return nil, err
	}
	return &Group{rank: rank, size: l.size, localRank: rank, localSize: l.size, name: "local", engine: e, options: o}, nil
}

func optionsOf(opts []Option) (options, error) {
	o := options{timeout: DefaultTimeout}
	switch level := os.Getenv("TORCH_DISTRIBUTED_DEBUG"); strings.ToUpper(level) {
	case "", "OFF", "INFO":
	case "DETAIL":
		o.debug = true
	default:
		return o, fmt.Errorf("the value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL, not %s", level)
	}
	switch value := os.Getenv(awareVariable); value {
	case "", "0":
	case "1":
		o.cudaAware = true
	default:
		return o, fmt.Errorf("%s=%s: 1 hands tensors on GPUs to MPI where they lie, 0 or nothing leaves that to CUDAAwareMPI", awareVariable, value)
	}
	for _, set := range opts {
		set(&o)
	}
	return o, nil
}

// awareVariable asks for CUDA-aware MPI where it is 1.
const awareVariable = "CRESSET_CUDA_AWARE_MPI"

func newLocal(r *room, rank int, o options) *Group {
	return &Group{rank: rank, size: r.size, localRank: rank, localSize: r.size, name: "local", engine: &local{room: r, rank: rank}, options: o}
}

// initMPI joins MPI's world. Where other ranks do not come in time, MPI_Init stays behind, which nothing interrupts: it keeps a thread of the process, but not the process from its end.
func initMPI(ctx context.Context, o options, l launch) (*Group, error) {
	begins := call{kind: initialize, from: callSite()}
	type result struct {
		world *mpi.World
		err   error
	}
	joined := make(chan result, 1)
	go func() {
		w, err := mpi.Init(mpi.Candidates()...)
		joined <- result{w, err}
	}()
	limited, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	select {
	case <-limited.Done():
		return nil, &TimeoutError{Call: begins.String(), Site: begins.place(), Err: context.Cause(limited)}
	case r := <-joined:
		if r.err != nil {
			return nil, r.err
		}
		return groupOf(ctx, r.world, o, l)
	}
}

func groupOf(ctx context.Context, w *mpi.World, o options, l launch) (*Group, error) {
	if path, version := w.Library(); l.mpi && l.size != w.Size {
		return nil, fmt.Errorf("%s says that there are %d ranks, and %s (%s) knows of %d: the launcher belongs to another MPI; CRESSET_MPI names the library to open",
			l.by, l.size, path, version, w.Size)
	}
	g := &Group{rank: w.Rank, size: w.Size, name: "mpi", engine: &message{w.Comm, w}, options: o}
	if err := g.agreeOnDebug(ctx); err != nil {
		return nil, err
	}
	if err := g.agreeOnGPUs(ctx, w); err != nil {
		return nil, err
	}
	return withNeighbours(ctx, g)
}

// withNeighbours returns the group when it has counted the ranks of this machine.
func withNeighbours(ctx context.Context, g *Group) (*Group, error) {
	here := "" // one program
	switch e := g.engine.(type) {
	case *message:
		here = card(e.world)
	case *gpus:
		here, _ = os.Hostname() // ranks of machines without a name count as of one
	}
	hosts, err := g.AllGatherBytes(ctx, []byte(here))
	if err != nil {
		return nil, err
	}
	for rank, said := range hosts {
		theirs := string(said)
		g.pids = append(g.pids, pidHere(theirs, here))
		if machineOf(theirs) != machineOf(here) {
			g.elsewhere = append(g.elsewhere, rank)
			continue
		}
		if g.localSize++; rank < g.rank {
			g.localRank++
		}
	}
	return g, nil
}
