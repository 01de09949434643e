package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"cresset/checkpoint"
	"cresset/cuda"
	"cresset/data"
	"cresset/device"
	"cresset/dist"
	"cresset/internal/dl"
	"cresset/nn"
	"cresset/nn/ddp"
	"cresset/tensor"
)

// ranks are the processes that train one model, seen from one of them; nil is one that trains alone.
type ranks struct{ *dist.Group }

// rankVariables tell a process that it is one of several, and of how many.
var rankVariables = [][2]string{
	{"RANK", "WORLD_SIZE"}, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}, {"SLURM_PROCID", "SLURM_NTASKS"}, {"PET_NODE_RANK", "PET_NNODES"},
}

// isRank reports whether the environment says, if only half, that something has started this process as a rank.
func isRank() bool {
	return os.Getenv("WORLD_SIZE") != "" || slices.ContainsFunc(rankVariables, func(v [2]string) bool { return os.Getenv(v[0]) != "" })
}

// ranks joins the job that --distributed is about.
func (c *trainCommand) ranks(s *session) (*ranks, error) {
	switch {
	case !c.Distributed:
		return nil, alone()
	case !isRank():
		return nil, &advice{errors.New("--distributed trains with other ranks, and nothing has started this process as one"),
			"put a launcher before it: cresset launch -n 2 cresset train --distributed; mpirun -np 2 --bind-to none, or srun"}
	}
	opts := []dist.Option{}
	if machines := os.Getenv("GROUP_WORLD_SIZE"); c.Device.IsCUDA() && machines != "" && machines != "1" {
		opts = append(opts, dist.Engine("nccl")) // by which ranks of several machines meet that cresset launch or torchrun has started
	}
	if c.Timeout > 0 {
		opts = append(opts, dist.Timeout(c.Timeout))
	}
	g, err := dist.Init(s.ctx, opts...)
	if err != nil {
		return nil, withoutLibrary(err)
	}
	return &ranks{g}, nil
}

// withoutLibrary has the hint of an error name the libraries that could not be opened.
func withoutLibrary(err error) error {
	if failed, ok := errors.AsType[*dl.OpenError](err); ok {
		return &advice{err, failed.Error() + "\nhint: CRESSET_MPI names the MPI library to open"}
	}
	return err
}

// alone refuses to train a model for each rank of a job, which nobody means.
func alone() error {
	for _, v := range rankVariables[:3] { // a batch script of Slurm is one process, whatever the job has
		if n, err := strconv.Atoi(os.Getenv(v[1])); err == nil && n > 1 && os.Getenv(v[0]) != "" {
			return &advice{fmt.Errorf("a launcher has started this process as one of %d ranks (%s), and each would train a model of its own", n, v[1]),
				"--distributed trains one model on all of them"}
		}
	}
	return nil
}

// first reports whether this rank prints and writes.
func (r *ranks) first() bool { return r == nil || r.Rank() == 0 }

func (r *ranks) count() int {
	if r == nil {
		return 1
	}
	return r.Size()
}

// place returns the device of this rank: where --device says cuda, the GPU of its number on its machine.
func (r *ranks) place(asked device.Device) (device.Device, error) {
	if _, numbered := asked.Index(); r == nil || !asked.IsCUDA() || numbered {
		return place(asked)
	}
	n, local := cuda.DeviceCount(), r.LocalRank()
	if _, limited := os.LookupEnv("CUDA_VISIBLE_DEVICES"); limited && n == 1 {
		local = 0 // the launcher has given each rank its own
	}
	if local >= n && n > 0 {
		return asked, &advice{fmt.Errorf("--device cuda: this is rank %d of %d on its machine, which has %d GPUs for them", r.LocalRank(), r.LocalSize(), n),
			"as many ranks as GPUs, or --device cuda:0, which ranks may share"}
	}
	return place(device.CUDA(local))
}

// agree compares what the ranks are about to do, before one waits for what others never do.
func (r *ranks) agree(ctx context.Context, t *training, saves bool) error {
	if r == nil {
		return nil
	}
	mine := map[string]string{"version": version, "epochs": fmt.Sprint(t.epochs), "steps": fmt.Sprint(t.steps), "--save": fmt.Sprint(saves)}
	names := []string{"version", "epochs", "steps", "--save"}
	for _, name := range settingNames {
		mine[name], names = settingText(t.of[name]), append(names, name)
	}
	text, err := json.Marshal(mine)
	if err != nil {
		return err
	}
	all, err := r.AllGatherBytes(ctx, text)
	if err != nil {
		return err
	}
	for rank, text := range all {
		var theirs, zeros map[string]string
		if err := cmp.Or(json.Unmarshal(text, &theirs), json.Unmarshal(all[0], &zeros)); err != nil {
			return err
		}
		for _, name := range names {
			if theirs[name] != zeros[name] {
				return &dist.RankError{Rank: rank, Err: fmt.Errorf("was started with %s %s, rank 0 with %s: all ranks need the same", name, theirs[name], zeros[name])}
			}
		}
	}
	return nil
}

// spread has a training's model learn on all ranks.
func (r *ranks) spread(t *training) error {
	t.ranks, t.apart = r, func(f func()) { f() }
	if r == nil {
		return nil
	}
	batch, _ := t.of["batch"].(int)
	if batch < r.Size() {
		return &advice{fmt.Errorf("--batch %d has less than a sample for each of %d ranks", batch, r.Size()), "--batch is what all ranks learn from together"}
	}
	model, ok := t.net.(nn.Module)
	if !ok {
		return fmt.Errorf("a %T cannot be trained by several ranks", t.net)
	}
	all, err := ddp.NewDistributedDataParallel(model, r.Group, ddp.GradientAsBucketView(true))
	if err != nil {
		return err
	}
	t.lesson.through(all.Forward)
	t.apart = all.NoSync
	return nil
}

// part returns what gives a loader this rank's part of each batch.
func (r *ranks) part() data.LoaderOption {
	if r == nil {
		return data.SplitBatches(1, 0)
	}
	return data.SplitBatches(r.Size(), r.Rank())
}

// steady returns a context that does not end where all ranks end together, at the next meeting.
func (r *ranks) steady(ctx context.Context) context.Context {
	if r == nil {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// sameRandom gives all ranks rank 0's random numbers, from which they draw one order of the samples.
func (r *ranks) sameRandom(ctx context.Context) error {
	if r == nil {
		return nil
	}
	g := tensor.DefaultGenerator(device.CPU)
	state, err := r.BroadcastBytes(r.steady(ctx), g.State(), 0)
	if err == nil {
		g.SetState(state)
	}
	return err
}

// ownRandom gives a rank random numbers for a step that follow from the seed, the step and the rank alone, so that a training that goes on draws
// the same. Rank 0 goes on with those that a snapshot keeps.
func (r *ranks) ownRandom(seed int64, step int) {
	if !r.first() {
		tensor.ManualSeed(seed + int64(step)*int64(r.Size()) + int64(r.Rank()))
	}
}

// whole returns how many samples a batch has on all ranks.
func (r *ranks) whole(ctx context.Context, part int) (int, error) {
	if r == nil {
		return part, nil
	}
	sums, err := r.sums(ctx, float64(part))
	return int(sums[0]), err
}

// meet ends a step: it returns the loss of all ranks, of which each gives its part, and context.Canceled where one is to stop.
func (r *ranks) meet(ctx context.Context, loss float64, err error) (float64, error) {
	if r == nil {
		return loss, err
	}
	stop := 0.0
	if ctx.Err() != nil {
		stop = 1
	} else if err != nil {
		return loss, err
	}
	sums, err := r.sums(ctx, loss, stop)
	if err == nil && sums[1] > 0 {
		err = context.Canceled
	}
	return sums[0], err
}

// sums returns the sums over all ranks.
func (r *ranks) sums(ctx context.Context, parts ...float64) ([]float64, error) {
	t := tensor.FromSlice(parts)
	err := r.AllReduce(t, dist.Sum).Wait(r.steady(ctx))
	return tensor.Values[float64](t), err
}

// follow has the other ranks go on from where rank 0 does: a path, or "" where it begins.
func (r *ranks) follow(ctx context.Context, dir, from string, parts checkpoint.Snapshot) error {
	if r == nil {
		return nil
	}
	text, err := r.BroadcastBytes(r.steady(ctx), []byte(filepath.Base(from)), 0)
	if err != nil || r.first() || bytes.Equal(text, []byte(".")) {
		return err
	}
	found, err := checkpoint.NewSnapshots(dir).Resume(parts)
	if err == nil && filepath.Base(found.Path) != string(text) {
		err = &advice{fmt.Errorf("rank 0 goes on from %s, and here %s has %s", text, dir, cmp.Or(filepath.Base(found.Path), "none")), "--save has to name a folder that all machines share"}
	}
	return err
}

// patienceOfLaunchers is how long MPICH's mpirun takes to pass on what a rank has printed: it drops that where the rank aborts.
const patienceOfLaunchers = 200 * time.Millisecond

// end leaves the job. Where it has failed, the first rank that knows says why, and all others end.
func (r *ranks) end(s *session, err error) error {
	var code exitCode
	switch {
	case r == nil:
		return err
	case err == nil, errors.Is(err, context.Canceled), errors.As(err, &code) && code != exitFailed:
		if closed := r.Close(context.WithoutCancel(s.ctx)); err == nil {
			err = closed
		}
		return err
	}
	ended := exitFailed
	if !r.hears(err) {
		if other := (*dist.RankError)(nil); !errors.As(err, &other) {
			err = fmt.Errorf("rank %d: %w", r.Rank(), err)
		}
		ended = report(s.stderr, err)
		time.Sleep(patienceOfLaunchers)
	}
	r.Abort(ended)
	return exitCode(ended)
}

// hears reports whether an error is about other ranks, which rank 0 tells.
func (r *ranks) hears(err error) bool {
	var gone *dist.RankError
	var late *dist.TimeoutError
	switch {
	case r.first():
		return false
	case errors.As(err, &gone):
		return gone.Rank != 0
	case errors.As(err, &late):
		return len(late.Missing) > 0 && !slices.Contains(late.Missing, 0)
	}
	return false
}
