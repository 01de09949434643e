package tensor

import "testing"

func TestLossErrors(t *testing.T) {
	x := Zeros(2, 3)
	none := LossOptions{}
	checkErrors(t, []errorCase{
		{golden: "ce tgt float", kind: ErrDType, do: func() { CrossEntropy(x, Ones(2), none) }},
		{golden: "ce range", kind: ErrIndex, do: func() { CrossEntropy(x, Of([]int{0, 5}), none) }},
		{golden: "ce batch", kind: ErrShape, do: func() { CrossEntropy(x, Of([]int{0}), none) }},
		{text: "Target -1 is out of bounds.", kind: ErrIndex, do: func() { x.NLLLoss(Of([]int{0, -1}), none) }},
		{text: "Expected 1 or more dimensions (got 0)", kind: ErrShape, do: func() { Zeros().NLLLoss(Of(0), none) }},
		{text: "0D or 1D target tensor expected, multi-target not supported", kind: ErrShape,
			do: func() { x.NLLLoss(Of([][]int{{0}, {1}}), none) }},
		{text: "size mismatch (got input: [2, 3], target: [])", kind: ErrShape, do: func() { x.NLLLoss(Of(0), none) }},
		{text: "Expected target size [2, 4], got [2, 5]", kind: ErrShape,
			do: func() { Zeros(2, 3, 4).NLLLoss(Zeros(2, 5).Long(), none) }},
		{text: "only batches of spatial targets supported (3D tensors) but got targets of dimension: 2", kind: ErrShape,
			do: func() { Zeros(2, 3, 4, 5).NLLLoss(Zeros(2, 4).Long(), none) }},
		{text: "size mismatch (got input: [2, 3, 4, 5] , target: [2, 4, 4]", kind: ErrShape,
			do: func() { Zeros(2, 3, 4, 5).NLLLoss(Zeros(2, 4, 4).Long(), none) }},
		{text: "weight tensor should be defined either for all 3 classes or no classes but got weight tensor of shape: [4]", kind: ErrShape,
			do: func() { x.NLLLoss(Of([]int{0, 1}), LossOptions{Weight: Ones(4)}) }},
		{text: "expected scalar type Float but found Double", kind: ErrDType,
			do: func() { x.NLLLoss(Of([]int{0, 1}), LossOptions{Weight: Ones(3).Double()}) }},
		{text: "\"nll_loss_out_frame\" not implemented for 'Long'", kind: ErrKernel,
			do: func() { x.Long().NLLLoss(Of([]int{0, 1}), none) }},
		{text: "3 is not a valid value for reduction", kind: ErrValue,
			do: func() { x.NLLLoss(Of([]int{0, 1}), LossOptions{Reduction: 3}) }},
		{text: "nll_loss() got an unexpected keyword argument 'label_smoothing'", kind: ErrValue,
			do: func() { x.NLLLoss(Of([]int{0, 1}), LossOptions{LabelSmoothing: 0.1}) }},
		{text: "label_smoothing must be between 0.0 and 1.0. Got: 1.5", kind: ErrValue,
			do: func() { CrossEntropy(x, Of([]int{0, 1}), LossOptions{LabelSmoothing: 1.5}) }},
		{text: "Expected floating point type for target with class probabilities, got Long", kind: ErrDType,
			do: func() { CrossEntropy(x, x.Long(), none) }},
		{text: "ignore_index is not supported for floating point target", kind: ErrValue,
			do: func() { CrossEntropy(x, x, LossOptions{IgnoreIndex: new(0)}) }},
		{golden: "mse shapes", kind: ErrShape, do: func() { x.MSELoss(Zeros(2, 2), MeanReduction) }},
		{text: "\"mse_cpu\" not implemented for 'Long'", kind: ErrKernel, do: func() { x.Long().MSELoss(x.Long(), MeanReduction) }},
		{text: "Target size (torch.Size([3])) must be the same as input size (torch.Size([2, 3]))", kind: ErrValue,
			do: func() { x.BCEWithLogits(Zeros(3), nil, nil, MeanReduction) }},
		{text: "output with shape [2, 3] doesn't match the broadcast shape [4, 2, 3]", kind: ErrShape,
			do: func() { x.BCEWithLogits(x, Zeros(4, 1, 1), nil, MeanReduction) }},
		{text: "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1", kind: ErrShape,
			do: func() { x.BCEWithLogits(x, nil, Zeros(2), MeanReduction) }},
	})
}
