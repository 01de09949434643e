package tensor

import (
	"fmt"
	"strconv"

	"cresset/dtype"
)

// CosineEmbeddingLoss returns 1 - cos(x, y) where the target is 1, and max(0, cos(x, y) - margin) where it is -1, reduced: of the rows of
// matrices, or of two vectors and a target without axes.
func CosineEmbeddingLoss(x, y, target *Tensor, opts ...MarginLossOption) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y, target = a.three("cosine_embedding_loss", x, y, target)
	}
	const name = "cosine_embedding_loss"
	o := readLoss(opts)
	operands(name, o.reduction, x, y)
	refuseNil(name, "target", 3, target)
	rank := target.Dim()
	switch {
	case rank > 1:
		fail(name, ErrShape, "0D or 1D target tensor expected, multi-target not supported", x, y, target)
	case x.Dim() != rank+1 || y.Dim() != rank+1:
		fail(name, ErrShape, fmt.Sprintf("%dD target tensor expects %dD input tensors, but found inputs with sizes %s and %s.",
			rank, rank+1, x.layout.Shape().List(), y.layout.Shape().List()), x, y, target)
	}
	last := []int{rank}
	const least = 1e-12 // added to squared lengths, so that zeros have a direction
	lengths := x.Square().SumAxes(last).AddScalar(least).Mul(y.Square().SumAxes(last).AddScalar(least)).Sqrt()
	cos := x.Mul(y).SumAxes(last).Div(lengths)
	alike := Where(target.EqScalar(1), cos.RSubScalar(1), 0)
	unlike := Where(target.EqScalar(-1), cos.SubScalar(o.margin).Clamp(0, nil), 0)
	return alike.Add(unlike).lossBy(o.reduction)
}

// MarginRankingLoss returns max(0, -target·(x - y) + margin), reduced: x should be the larger where the target is 1, y where it is -1.
func MarginRankingLoss(x, y, target *Tensor, opts ...MarginLossOption) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y, target = a.three("margin_ranking_loss", x, y, target)
	}
	const name = "margin_ranking_loss"
	o := readLoss(opts)
	operands(name, o.reduction, x, y)
	refuseNil(name, "target", 3, target)
	if x.Dim() != y.Dim() || x.Dim() != target.Dim() {
		fail(name, ErrShape, fmt.Sprintf("margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: %s, input2: %s, target: %s ",
			x.layout.Shape(), y.layout.Shape(), target.layout.Shape()), x, y, target)
	}
	return target.Neg().Mul(x.Sub(y)).AddScalar(o.margin).Clamp(0, nil).lossBy(o.reduction)
}

// HingeEmbeddingLoss returns x where the target is 1, and max(0, margin - x) where it is -1, reduced.
func HingeEmbeddingLoss(x, target *Tensor, opts ...MarginLossOption) *Tensor {
	if a := autocastOf(x, target); a != nil {
		x, target = a.two("hinge_embedding_loss", x, target)
	}
	const name = "hinge_embedding_loss"
	o := readLoss(opts, Margin(1))
	operands(name, o.reduction, x, target)
	apart := Where(target.NeScalar(1), x.RSubScalar(o.margin).Clamp(0, nil), 0)
	return apart.Add(Where(target.NeScalar(-1), x, 0)).lossBy(o.reduction)
}

// TripletMarginLoss returns max(0, margin + d(anchor, positive) - d(anchor, negative)), reduced, where d is the p-norm of the difference
// along the last axis, with eps, 1e-6 unless given, added to each element.
func TripletMarginLoss(anchor, positive, negative *Tensor, opts ...TripletMarginLossOption) *Tensor {
	if a := autocastOf(anchor, positive); a != nil {
		anchor, positive, negative = a.three("triplet_margin_loss", anchor, positive, negative)
	}
	const name = "triplet_margin_loss"
	o := readLoss(opts, Margin(1), P(2), Eps(1e-6))
	operands(name, o.reduction, anchor, positive)
	refuseNil(name, "negative", 3, negative)
	a, p, n := anchor.Dim(), positive.Dim(), negative.Dim()
	switch {
	case o.margin <= 0:
		fail(name, ErrValue, "margin must be greater than 0, got "+pythonFloat(o.margin), anchor, positive, negative)
	case a != p || a != n:
		fail(name, ErrShape, fmt.Sprintf("The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "+
			"anchor %dD, positive %dD, and negative %dD inputs", a, p, n), anchor, positive, negative)
	}
	apart := func(x, y *Tensor) *Tensor { return PairwiseDistance(x, y, o.p, Eps(o.eps)) }
	far := apart(anchor, negative)
	if o.swap {
		far = far.Minimum(apart(positive, negative))
	}
	return apart(anchor, positive).AddScalar(o.margin).Sub(far).Clamp(0, nil).lossBy(o.reduction)
}

// pythonFloat prints a float as Python does, with a fraction.
func pythonFloat(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if _, err := strconv.Atoi(text); err == nil {
		text += ".0"
	}
	return text
}

// MultiMarginLoss returns Σ w[t]·max(0, margin - x[t] + x[j])ᵖ / C over the classes j but the target t, reduced, of rows of C scores and
// int64 targets, or of one row. The Weight w of classes is ones unless given.
func MultiMarginLoss(x, target *Tensor, opts ...MultiMarginLossOption) *Tensor {
	if a := autocastOf(x, target); a != nil {
		x, target = a.two("multi_margin_loss", x, target)
	}
	const name = "multi_margin_loss"
	o := readLoss(opts, Margin(1), P(1))
	operands(name, o.reduction, x, target)
	scores := x.withAxes(1).withAxes(2)
	rows, classes := scores.Size(0), scores.Size(1)
	x.checkScores(name, "multi_margin_loss_cpu_kernel")
	switch {
	case o.p != 1 && o.p != 2:
		fail(name, ErrValue, "only p == 1 and p == 2 supported", x, target)
	case o.weight != nil && o.weight.Dim() != 1:
		fail(name, ErrValue, "weight must be one-dimensional", x, target, o.weight)
	case target.Dim() > 1 || target.NumEl() != rows:
		fail(name, ErrShape, fmt.Sprintf("multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). "+
			"Expected target size [%d], but got %s. Input has shape %s.", rows, target.layout.Shape().List(), x.layout.Shape().List()), x, target)
	case target.dtype != dtype.Int64:
		fail(name, ErrDType, "expected scalar type Long but found "+target.dtype.ScalarName(), x, target)
	case o.weight != nil && o.weight.NumEl() != classes:
		fail(name, ErrShape, fmt.Sprintf("inconsistent weight size, expected %d but got %s", classes, o.weight.layout.Shape().List()), x, target, o.weight)
	case !target.within(0, classes):
		fail(name, ErrValue, "target out of range", x, target)
	}
	refuseGrad(name, argument{"weight", o.weight})
	index := target.View(rows, 1)
	each := scores.Sub(scores.Gather(1, index)).AddScalar(o.margin).ReLU()
	if o.p == 2 {
		each = each.Square()
	}
	if o.weight != nil {
		each = each.Mul(o.weight.IndexSelect(0, index.View(rows)).View(rows, 1))
	}
	each = each.MaskedFill(OneHot(index.View(rows), classes).Bool(), 0)
	return each.SumAxes([]int{1}).DivScalar(classes).lossOfRows(x, o.reduction)
}

// within reports whether all elements lie in low … high-1.
func (x *Tensor) within(low, high int) bool {
	return x.LtScalar(low).LogicalOr(x.GeScalar(high)).Any().Item() == false
}

// lossOfRows reduces the losses of rows; that of a single vector has no axes.
func (x *Tensor) lossOfRows(of *Tensor, r Reduction) *Tensor {
	if r == NoReduction && of.Dim() < 2 {
		return x.View()
	}
	return x.lossBy(r)
}

// checkScores panics unless x holds rows of scores, or one row.
func (x *Tensor) checkScores(name, kernel string) {
	if x.Dim() > 2 || x.Dim() > 0 && x.Size(-1) == 0 {
		fail(name, ErrShape, "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "+x.layout.Shape().List(), x)
	}
	refuseIntegers(name, kernel, x)
}

// MultilabelMarginLoss returns Σ max(0, 1 - x[t] + x[j]) / C over the targets t and the classes j that are none, reduced, of rows of C
// scores, or one row. A row of int64 targets, of x's shape, names classes up to the first -1.
func MultilabelMarginLoss(x, target *Tensor, reduction ...Reduction) *Tensor {
	if a := autocastOf(x, target); a != nil {
		x, target = a.two("multilabel_margin_loss", x, target)
	}
	const name = "multilabel_margin_loss"
	r := readLoss(reduction).reduction
	operands(name, r, x, target)
	x.checkScores(name, "multilabel_margin_loss_forward_out_frame")
	scores, labels := x.withAxes(1).withAxes(2), target.withAxes(1).withAxes(2)
	classes := scores.Size(1)
	switch {
	case !target.layout.Shape().Equal(x.layout.Shape()):
		fail(name, ErrShape, fmt.Sprintf("inconsistent target size: %s for input of size: %s", target.layout.Shape().List(), x.layout.Shape().List()), x, target)
	case target.dtype != dtype.Int64:
		fail(name, ErrDType, "expected scalar type Long but found "+target.dtype.ScalarName(), x, target)
	case !target.within(-1, classes):
		fail(name, ErrValue, "argument #2 'target' is out of range", x, target)
	}
	ended := labels.LtScalar(0).CumSum(1).Bool()
	index := labels.MaskedFill(ended, 0)
	named := index.zeros(index.layout.Shape()).ScatterAdd(1, index, ended.LogicalNot().Long()).Bool()
	gaps := scores.Unsqueeze(1).Sub(scores.Gather(1, index).Unsqueeze(2)).AddScalar(1).ReLU() // [row, target, class]
	each := gaps.MaskedFill(ended.Unsqueeze(2).LogicalOr(named.Unsqueeze(1)), 0)
	return each.SumAxes([]int{1, 2}).DivScalar(classes).lossOfRows(x, r)
}

// MultilabelSoftMarginLoss returns the mean over the last axis, of the classes, of -w·(t·log σ(x) + (1-t)·log(1-σ(x))), reduced, for
// logits x and targets t of one shape. The Weight w is ones unless given. It does not overflow.
func MultilabelSoftMarginLoss(x, target *Tensor, opts ...WeightedLossOption) *Tensor {
	o := readLoss(opts)
	operands("multilabel_soft_margin_loss", o.reduction, x, target)
	each := BCEWithLogits(x, target, NoReduction)
	if o.weight != nil {
		each = each.Mul(o.weight)
	}
	return each.MeanAxes([]int{-1}).lossBy(o.reduction)
}
