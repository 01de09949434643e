package tensor

import (
	"fmt"
	"slices"

	"cresset/dtype"
	"cresset/internal/op"
)

// CTCLoss returns -log of the probability that inputs stand for a sequence of labels, reduced: the connectionist temporal classification
// of logProbs [time, batch, classes], or [time, classes] of one item, which LogSoftmax gives. A sequence comes of a path of classes when
// repetitions are made one and blanks are dropped. targets holds the labels of each item in a row, or those of all behind each other; the
// lengths say how many inputs and labels each item has. The mean is of losses divided by the numbers of labels. Where there is no path the
// loss is +Inf. GPUs have no kernel for it.
func CTCLoss(logProbs, targets *Tensor, inputLengths, targetLengths []int, opts ...CTCLossOption) *Tensor {
	if a := autocastOf(logProbs, targets); a != nil {
		logProbs, targets = a.two("ctc_loss", logProbs, targets)
	}
	const name = "ctc_loss"
	o := readLoss(opts)
	operands(name, o.reduction, logProbs, targets)
	x := logProbs
	if x.Dim() == 2 {
		x = x.Unsqueeze(1)
	}
	p := x.checkCTC(targets, inputLengths, targetLengths, o)
	labels := targets.Detach().cast(dtype.Int64).labelsOf(&p)
	each := x.ctc(labels, p)
	if o.zeroInfinity {
		each = each.MaskedFill(each.Detach().IsInf(), 0)
	}
	if o.reduction == MeanReduction {
		counts := make([]int64, len(targetLengths))
		for i, n := range targetLengths {
			counts[i] = int64(max(n, 1))
		}
		each = each.Div(FromSlice(counts).To(x.storage.device))
	}
	if o.reduction == NoReduction && logProbs.Dim() == 2 {
		return each.View()
	}
	return each.lossBy(o.reduction)
}

// ctc returns the loss of each item.
func (x *Tensor) ctc(labels *Tensor, p op.CTC) *Tensor {
	times, states := 0, 0
	for i := range p.Inputs {
		times, states = max(times, p.Inputs[i]), max(states, 2*p.Labels[i]+1)
	}
	batch := len(p.Inputs)
	loss := x.empty(op.CTCLoss, x.dtype, Shape{batch})
	alpha := x.empty(op.CTCLoss, x.dtype, Shape{batch, times, states})
	launch(op.CTCLoss, x.dtype, p, []*Tensor{loss, alpha}, []*Tensor{x, labels})
	n := record(loss, op.CTCLoss, ctcGrad, p, x)
	n.save(x, labels, loss)
	n.derive(alpha)
	return loss
}

func ctcGrad(b *backprop, dy *Tensor) {
	x := b.saved(0)
	dx := x.like(op.CTCLossGrad, x.dtype)
	launch(op.CTCLossGrad, x.dtype, b.params(), []*Tensor{dx}, []*Tensor{dy, x, b.saved(1), b.saved(2), b.saved(3)})
	b.give(0, dx)
}

// labelsOf returns the labels that count behind each other, and notes where each item's begin.
func (x *Tensor) labelsOf(p *op.CTC) *Tensor {
	p.Starts = make([]int, len(p.Labels))
	var parts []*Tensor
	at := 0
	for i, n := range p.Labels {
		p.Starts[i] = at
		if at += n; x.Dim() == 2 {
			parts = append(parts, x.Select(0, i).Narrow(0, 0, n))
		}
	}
	if x.Dim() < 2 {
		return x.withAxes(1)
	}
	return Cat(parts, 0)
}

func (x *Tensor) checkCTC(targets *Tensor, inputs, labels []int, o lossOptions) op.CTC {
	const name, where = "ctc_loss", " (while checking arguments for ctc_loss_allocate_outputs)"
	if x.Dim() != 3 || x.NumEl() == 0 {
		fail(name, ErrShape, "log_probs tensor must not be empty", x, targets)
	}
	batch, most, sum := x.Size(1), 0, 0
	for _, n := range labels {
		most, sum = max(most, n), sum+n
	}
	if targets.dtype != dtype.Int64 && targets.dtype != dtype.Int32 {
		fail(name, ErrDType, "expected scalar type Long but found "+targets.dtype.ScalarName(), x, targets)
	}
	switch {
	case x.dtype != dtype.Float32 && x.dtype != dtype.Float64:
		fail(name, ErrKernel, noKernel("ctc_loss_cpu", x.dtype, x), x, targets)
	case o.blank < 0 || o.blank >= x.Size(2):
		fail(name, ErrValue, "blank must be in label range", x, targets)
	case len(inputs) != batch:
		fail(name, ErrShape, "input_lengths must be of size batch_size", x, targets)
	case len(labels) != batch:
		fail(name, ErrShape, "target_lengths must be of size batch_size", x, targets)
	case targets.Dim() > 2 || targets.Dim() == 0:
		fail(name, ErrShape, fmt.Sprintf("Expected 1 to 2 dimensions, but got %d-dimensional tensor for argument #2 'targets'%s", targets.Dim(), where), x, targets)
	}
	for i := range batch {
		switch {
		case labels[i] < 0:
			fail(name, ErrValue, fmt.Sprintf("Expected target_lengths to have value at least 0, but got value %d%s", labels[i], where), x, targets)
		case inputs[i] < 0:
			fail(name, ErrValue, fmt.Sprintf("Expected input_lengths to have value at least 0, but got value %d%s", inputs[i], where), x, targets)
		case inputs[i] > x.Size(0):
			fail(name, ErrValue, fmt.Sprintf("Expected input_lengths to have value at most %d, but got value %d%s", x.Size(0), inputs[i], where), x, targets)
		}
	}
	switch {
	case targets.Dim() == 1 && targets.Size(0) != sum:
		fail(name, ErrShape, fmt.Sprintf("Expected tensor to have size %d at dimension 0, but got size %d for argument #2 'targets'%s", sum, targets.Size(0), where), x, targets)
	case targets.Dim() == 2 && (targets.Size(0) != batch || targets.Size(1) < most):
		fail(name, ErrShape, fmt.Sprintf("Expected tensor to have size at least %d at dimension 1, but got size %d for argument #2 'targets'%s", most, targets.Size(1), where), x, targets)
	}
	checkArguments(op.CTCLoss, argument{"log_probs", x}, argument{"targets", targets})
	return op.CTC{Inputs: slices.Clone(inputs), Labels: slices.Clone(labels), Blank: o.blank, ZeroInfinity: o.zeroInfinity}
}
