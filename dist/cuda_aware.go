package dist

import (
	"context"
	"errors"
	"fmt"

	"cresset/internal/mpi"
)

// agreeOnGPUs has the ranks compare whether tensors on GPUs are MPI's, and returns an error on all of them where a rank's library does not take those: nothing falls back to
// another way that the program did not ask for.
func (g *Group) agreeOnGPUs(ctx context.Context, w *mpi.World) error {
	const without, with = "without", "with"
	mine := without
	if g.cudaAware {
		mine = with
		if why := w.CUDAAware(); why != nil {
			mine = why.Error()
		}
	}
	all, err := g.AllGatherBytes(ctx, []byte(mine))
	if err != nil {
		return err
	}
	first := string(all[0])
	for rank, said := range all {
		switch s := string(said); {
		case s != with && s != without:
			return &RankError{rank, fmt.Errorf("CUDA-aware MPI is asked for, and %s", s)}
		case s != first:
			return &RankError{rank, errors.New("was started " + s + " CUDA-aware MPI, rank 0 " + first + " it: all ranks need the same")}
		}
	}
	return nil
}
