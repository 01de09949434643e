// Package dist computes with the processes of a job together, on one machine or on many, as torch.distributed does: each has a rank, and collective
// operations join, copy and exchange tensors between all of them.
//
// A job is what a launcher starts: mpirun, srun, or Spawn within one program. The same program runs under each:
//
//	g, err := dist.Init(ctx)           // of 1 where nothing launched it
//	defer g.Close(ctx)
//	err = g.AllReduce(t, dist.Sum).Wait(ctx)
//
// An operation begins when it is called, and ends when its Work does; until then nobody may change its tensors, nor read what it fills. All ranks call the same
// operations, of all their groups, in the same order. Tensors are contiguous; those on GPUs go by NCCL where all ranks have it, and through pinned memory otherwise. What a caller gets wrong by itself panics with
// a *tensor.Error; that ranks disagree, are late or have gone is an error of the Work.
package dist

import "fmt"

// A ReduceOp is how a reduction joins the elements of the ranks.
type ReduceOp uint8

// The operations. Elements are joined in the order of the ranks where cresset joins them: in groups of one program, float16 and bfloat16, which are
// added in float32 and rounded once, and floats by Min and Max, which keep NaN: not where NCCL joins them. Bools are joined by or and and.
const (
	Sum     ReduceOp = iota
	Avg              // the sum divided by the number of ranks; of floating-point elements alone
	Product          // PyTorch's PRODUCT
	Min
	Max
)

// String returns PyTorch's name.
func (o ReduceOp) String() string {
	names := [...]string{"SUM", "AVG", "PRODUCT", "MIN", "MAX"}
	if int(o) >= len(names) {
		return fmt.Sprintf("ReduceOp(%d)", uint8(o))
	}
	return names[o]
}
