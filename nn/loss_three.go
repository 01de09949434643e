package nn

import "cresset/tensor"

// Loss3 is a function of package tensor that compares three tensors, with the options that it is made with.
type Loss3[O any] struct {
	name    string
	options []O
	f       func(x, y, z *tensor.Tensor, opts ...O) *tensor.Tensor
}

// Forward returns the loss of what the function of package tensor takes, in its order.
func (l *Loss3[O]) Forward(x, y, z *tensor.Tensor) *tensor.Tensor { return l.f(x, y, z, l.options...) }

// String prints the loss as PyTorch does.
func (l *Loss3[O]) String() string { return l.name + "()" }

// NewGaussianNLLLoss returns tensor.GaussianNLLLoss, of prediction, target and variance, as a module.
func NewGaussianNLLLoss(opts ...tensor.GaussianNLLLossOption) *Loss3[tensor.GaussianNLLLossOption] {
	return &Loss3[tensor.GaussianNLLLossOption]{"GaussianNLLLoss", opts, tensor.GaussianNLLLoss}
}

// NewCosineEmbeddingLoss returns tensor.CosineEmbeddingLoss, of two predictions and a target, as a module.
func NewCosineEmbeddingLoss(opts ...tensor.MarginLossOption) *Loss3[tensor.MarginLossOption] {
	return &Loss3[tensor.MarginLossOption]{"CosineEmbeddingLoss", opts, tensor.CosineEmbeddingLoss}
}

// NewMarginRankingLoss returns tensor.MarginRankingLoss, of two predictions and a target, as a module.
func NewMarginRankingLoss(opts ...tensor.MarginLossOption) *Loss3[tensor.MarginLossOption] {
	return &Loss3[tensor.MarginLossOption]{"MarginRankingLoss", opts, tensor.MarginRankingLoss}
}

// NewTripletMarginLoss returns tensor.TripletMarginLoss, of anchor, positive and negative, as a module.
func NewTripletMarginLoss(opts ...tensor.TripletMarginLossOption) *Loss3[tensor.TripletMarginLossOption] {
	return &Loss3[tensor.TripletMarginLossOption]{"TripletMarginLoss", opts, tensor.TripletMarginLoss}
}

// NewTripletMarginWithDistanceLoss returns max(d(anchor, positive) - d(anchor, negative) + Margin, 0) as a module, by a distance of the
// caller's. It takes tensor.Margin, tensor.Swap and a tensor.Reduction.
func NewTripletMarginWithDistanceLoss(distance func(x, y *tensor.Tensor) *tensor.Tensor, opts ...tensor.TripletMarginLossOption) *Loss3[tensor.TripletMarginLossOption] {
	return &Loss3[tensor.TripletMarginLossOption]{"TripletMarginWithDistanceLoss", opts,
		func(anchor, positive, negative *tensor.Tensor, opts ...tensor.TripletMarginLossOption) *tensor.Tensor {
			return tripletLoss(distance, anchor, positive, negative, opts)
		}}
}

func tripletLoss(distance func(x, y *tensor.Tensor) *tensor.Tensor, anchor, positive, negative *tensor.Tensor, opts []tensor.TripletMarginLossOption) *tensor.Tensor {
	margin, swap, reduction := 1.0, false, tensor.MeanReduction
	for _, o := range opts {
		switch o := o.(type) {
		case tensor.Margin:
			margin = float64(o)
		case tensor.Swap:
			swap = bool(o)
		case tensor.Reduction:
			reduction = o
		}
	}
	far := distance(anchor, negative)
	if swap {
		far = far.Minimum(distance(positive, negative))
	}
	loss := distance(anchor, positive).Sub(far).AddScalar(margin).Clamp(0, nil)
	switch reduction {
	case tensor.MeanReduction:
		return loss.Mean()
	case tensor.SumReduction:
		return loss.Sum()
	}
	return loss
}

// CTCLoss is tensor.CTCLoss as a module.
type CTCLoss struct{ options []tensor.CTCLossOption }

// NewCTCLoss returns tensor.CTCLoss as a module.
func NewCTCLoss(opts ...tensor.CTCLossOption) *CTCLoss { return &CTCLoss{opts} }

// Forward returns the loss of targets under the logarithms of probabilities, of sequences of given lengths.
func (l *CTCLoss) Forward(logProbs, targets *tensor.Tensor, inputLengths, targetLengths []int) *tensor.Tensor {
	return tensor.CTCLoss(logProbs, targets, inputLengths, targetLengths, l.options...)
}

// String prints the loss as PyTorch does.
func (*CTCLoss) String() string { return "CTCLoss()" }
