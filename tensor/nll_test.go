package tensor

import (
	"math"
	"testing"

	"cresset/dtype"
)

func TestNLLLossOfPositions(t *testing.T) {
	// Two images of three classes and two positions; the loss of each target, weighted, by hand.
	x := FromSlice([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 2, 3, 2).SetRequiresGrad(true)
	target := Of([][]int{{0, 2}, {1, -100}})
	weight := Of([]float64{1, 10, 100})
	for _, c := range []struct {
		reduction  Reduction
		want, grad []float64
	}{
		{NoReduction, []float64{-1, -600, -90, 0}, []float64{-1, 0, 0, 0, 0, -100, 0, 0, -10, 0, 0, 0}},
		{SumReduction, []float64{-691}, []float64{-1, 0, 0, 0, 0, -100, 0, 0, -10, 0, 0, 0}},
		{MeanReduction, []float64{-691.0 / 111}, []float64{-1. / 111, 0, 0, 0, 0, -100. / 111, 0, 0, -10. / 111, 0, 0, 0}},
	} {
		x.ZeroGrad()
		y := NLLLoss(x, target, Weight(weight), c.reduction)
		if y.GradFn() != "NllLoss2DBackward0" {
			t.Errorf("grad_fn is %s", y.GradFn())
		}
		y.Sum().Backward()
		if got := Values[float64](y); !closeTo(got, c.want, 1e-12) {
			t.Errorf("%v: got %v, want %v", c.reduction, got, c.want)
		}
		if got := Values[float64](x.Grad()); !closeTo(got, c.grad, 1e-12) {
			t.Errorf("%v: gradient %v, want %v", c.reduction, got, c.grad)
		}
	}
}

func TestCrossEntropyForms(t *testing.T) {
	x := FromSlice([]float64{1, 2, 3, 4, 5, 7}, 3, 2).T() // strided: [[1 3 5] [2 4 7]]
	want := (math.Log(1+math.Exp(-2)+math.Exp(-4)) + 5 + math.Log(1+math.Exp(-3)+math.Exp(-5))) / 2
	if got := CrossEntropy(x, Of([]int{2, 0})).Float64(); !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("got %v, want %v", got, want)
	}
	one := CrossEntropy(Of([]float64{1, 2, 3}), Of(2))
	if got, want := one.Float64(), math.Log(1+math.Exp(-1)+math.Exp(-2)); !(math.Abs(got-want) <= 1e-12) || one.Dim() != 0 {
		t.Errorf("without a batch: got %v, want %v", got, want)
	}
	if got := CrossEntropy(Zeros(0, 3), Zeros(0).Long()).Float64(); !math.IsNaN(got) {
		t.Errorf("the mean of nothing is %v", got)
	}
	logits := Zeros(2, 4).Half().SetRequiresGrad(true)
	y := CrossEntropy(logits, Of([]uint8{1, 3}), Weight(Ones(4).Half()))
	y.Backward()
	if got := y.Float64(); y.DType() != dtype.Float16 || !(math.Abs(got-math.Log(4)) <= 1e-3) {
		t.Errorf("half: got %v of %v", got, y.DType())
	}
	if got := Values[float64](logits.Grad()); !closeTo(got, []float64{.125, -.375, .125, .125, .125, .125, .125, -.375}, 1e-3) {
		t.Errorf("half: gradient %v", got)
	}
}
