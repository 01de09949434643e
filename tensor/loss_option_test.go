package tensor_test

import (
	"errors"
	"testing"

	"cresset/tensor"
)

func TestLossOptions(t *testing.T) {
	x := tensor.Of([][]float64{{1, 2, 3}, {3, 1, 0}})
	ones, nothing := tensor.OnesLike(x), tensor.Zeros(3).Double()
	for name, c := range map[string]struct {
		loss *tensor.Tensor
		want float64
	}{
		"mean":             {tensor.MSELoss(x, x.AddScalar(2.0)), 4},
		"sum":              {tensor.L1Loss(x, x.AddScalar(2.0), tensor.SumReduction), 12},
		"last one counts":  {tensor.L1Loss(x, x.AddScalar(2.0), tensor.SumReduction, tensor.MeanReduction), 2},
		"weight":           {tensor.BCEWithLogits(x, ones, tensor.Weight(nothing)), 0},
		"positive weight":  {tensor.BCEWithLogits(x, ones, tensor.PosWeight(nothing)), 0},
		"ignored":          {tensor.CrossEntropy(x, tensor.Of([]int{1, 1}), tensor.IgnoreIndex(1), tensor.SumReduction), 0},
		"weight of no one": {tensor.NLLLoss(x, tensor.Of([]int{1, 2}), tensor.Weight(nothing), tensor.SumReduction), 0},
	} {
		if got := c.loss.Float64(); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// TestLossesOfOtherShapes: PyTorch warns and broadcasts, which makes n*n losses of n targets.
func TestLossesOfOtherShapes(t *testing.T) {
	for name, loss := range map[string]func(x, y *tensor.Tensor, r ...tensor.Reduction) *tensor.Tensor{"mse": tensor.MSELoss, "l1": tensor.L1Loss} {
		err := tensor.Try(func() { loss(tensor.Ones(3, 1), tensor.Ones(3)) })
		const want = "Using a target size (torch.Size([3])) that is different to the input size (torch.Size([3, 1]))"
		if !errors.Is(err, tensor.ErrShape) || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}
