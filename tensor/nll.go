package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/op"
)

// classAxis returns the axis of the classes: the second, or the only one.
func classAxis(x *Tensor) int { return min(1, max(x.layout.Rank()-1, 0)) }

// NLLLoss returns the negative log likelihood -w[t]·x[t] of int64 targets t, where x holds log probabilities: of classes
// [C], of a batch [N, C], or of positions too [N, C, d…]; the target lacks the axis of the classes.
func NLLLoss(x, target *Tensor, opts ...NLLLossOption) *Tensor {
	o := readLoss(opts)
	if a := autocastOf(x, target); a != nil {
		x, target, o.weight = a.three("nll_loss", x, target, o.weight)
	}
	loss, _ := x.nll(target, o)
	return loss
}

// nll returns the loss and the sum of the targets' weights.
func (x *Tensor) nll(target *Tensor, o lossOptions) (loss, total *Tensor) {
	checkReduction("nll_loss", o.reduction)
	target = x.classTarget(target, o.weight)
	loss, total = x.emptyLoss(op.NLLLoss, target, o)
	p := o.params()
	launch(op.NLLLoss, x.dtype, p, []*Tensor{loss, total}, []*Tensor{x, target, o.weight})
	record(loss, x.nllName(), kernelGrad, p, x).save(target, o.weight, total)
	return loss, total
}

// emptyLoss makes room for a loss of class targets and for the sum of the targets' weights.
func (x *Tensor) emptyLoss(name op.Op, target *Tensor, o lossOptions) (loss, total *Tensor) {
	shape := Shape{}
	if o.reduction == NoReduction {
		shape = target.layout.Shape()
	}
	return x.empty(name, x.dtype, shape, target, o.weight), x.empty(name, statsType(x.dtype), Shape{}, target, o.weight)
}

// nllName is the op that grad_fn names.
func (x *Tensor) nllName() op.Op {
	if x.layout.Rank() > 2 {
		return op.NLLLoss2D
	}
	return op.NLLLoss
}

// classTarget returns the target as int64. It panics as checkNLL does.
func (x *Tensor) classTarget(target, weight *Tensor) *Tensor {
	x.checkNLL(target, weight)
	if target.dtype == dtype.Uint8 {
		return target.cast(dtype.Int64)
	}
	return target
}

// checkNLL panics unless target names a class for each position of x, and weight a weight for each class.
func (x *Tensor) checkNLL(target, weight *Tensor) {
	const name = "nll_loss"
	refuseNil(name, "input", 1, x)
	refuseNil(name, "target", 2, target)
	xs, ts := x.layout.Shape(), target.layout.Shape()
	switch rank := len(xs); {
	case rank == 0:
		fail(name, ErrShape, "Expected 1 or more dimensions (got 0)", x, target)
	case rank == 1 && len(ts) != 0, rank == 2 && len(ts) > 1:
		fail(name, ErrShape, "0D or 1D target tensor expected, multi-target not supported", x, target)
	case rank > 1 && len(ts) == 0:
		fail(name, ErrShape, fmt.Sprintf("size mismatch (got input: %s, target: %s)", xs.List(), ts.List()), x, target)
	case rank > 1 && ts[0] != xs[0]:
		fail(name, ErrShape, fmt.Sprintf("Expected input batch_size (%d) to match target batch_size (%d).", xs[0], ts[0]), x, target)
	case rank == 4 && len(ts) != 3:
		fail(name, ErrShape, fmt.Sprintf("only batches of spatial targets supported (3D tensors) but got targets of dimension: %d", len(ts)), x, target)
	case rank == 4 && !ts[1:].Equal(xs[2:]):
		fail(name, ErrShape, fmt.Sprintf("size mismatch (got input: %s , target: %s", xs.List(), ts.List()), x, target) // PyTorch's bracket stays open
	case rank > 2 && !ts[1:].Equal(xs[2:]):
		want := append(Shape{xs[0]}, xs[2:]...)
		fail(name, ErrShape, fmt.Sprintf("Expected target size %s, got %s", want.List(), ts.List()), x, target)
	}
	if target.dtype != dtype.Int64 && target.dtype != dtype.Uint8 {
		if x.IsCUDA() {
			fail(name, ErrKernel, noKernel("nll_loss_forward_reduce_cuda_kernel_2d_index", target.dtype, x), x, target)
		}
		fail(name, ErrDType, "expected scalar type Long but found "+target.dtype.ScalarName(), x, target)
	}
	refuseIntegers(name, "nll_loss_out_frame", x, target)
	checkArguments(op.NLLLoss, argument{"self", x}, argument{"target", target})
	x.checkClassWeights(weight)
	refuseGrad(x.nllName().String(), argument{"weight", weight})
}

func (x *Tensor) checkClassWeights(weight *Tensor) {
	if weight == nil {
		return
	}
	if dev := weight.storage.device; dev != x.storage.device {
		failArgument("nll_loss", "wrapper_CUDA_nll_loss_forward", "weight", x.storage.device, dev, argument{"x", x}, argument{"weights", weight})
	}
	if classes := x.layout.Shape()[classAxis(x)]; !weight.layout.Shape().Equal(Shape{classes}) {
		fail("nll_loss", ErrShape, fmt.Sprintf("weight tensor should be defined either for all %d classes or no classes but got weight tensor of shape: %s",
			classes, weight.layout.Shape().List()), x, weight)
	}
	checkScalarType("nll_loss", x, weight)
}

// statsType is the dtype in which kernels on dt keep what they note for the gradient: halves are computed in float32.
func statsType(dt dtype.DType) dtype.DType {
	if dt.Size() < dtype.Float32.Size() {
		return dtype.Float32
	}
	return dt
}
