package nn_test

import (
	"fmt"
	"math"
	"testing"

	"cresset/nn"
	"cresset/tensor"
)

// TestUnpoolUndoesPool puts the largest elements back over one to three axes.
func TestUnpoolUndoesPool(t *testing.T) {
	for _, c := range []struct {
		pool interface {
			ForwardWithIndices(x *tensor.Tensor) (values, indices *tensor.Tensor)
		}
		unpool *nn.MaxUnpool
		shape  []int
		print  string
	}{
		{nn.NewMaxPool1D(2), nn.NewMaxUnpool1D(2), []int{2, 3, 6}, "MaxUnpool1d(kernel_size=(2,), stride=(2,), padding=(0,))"},
		{nn.NewMaxPool2D(2), nn.NewMaxUnpool2D(2), []int{2, 3, 6, 5}, "MaxUnpool2d(kernel_size=(2, 2), stride=(2, 2), padding=(0, 0))"},
		{nn.NewMaxPool3D(2), nn.NewMaxUnpool3D(2), []int{3, 4, 2, 6}, "MaxUnpool3d(kernel_size=(2, 2, 2), stride=(2, 2, 2), padding=(0, 0, 0))"},
	} {
		x := tensor.Rand(c.shape...).AddScalar(1)
		values, indices := c.pool.ForwardWithIndices(x)
		y := c.unpool.Forward(values, indices, c.shape[len(c.shape)-len(c.unpool.Kernel):]...)
		kept := y.NeScalar(0)
		if !y.Shape().Equal(x.Shape()) || !tensor.Where(kept, x, 0).Equal(y) || kept.Sum().Item() != int64(values.NumEl()) {
			t.Errorf("%v: got\n%v of\n%v", c.unpool, y, x)
		}
		if got := fmt.Sprint(c.unpool); got != c.print {
			t.Errorf("got %s, want %s", got, c.print)
		}
	}
}

func TestUnpoolOfNoImages(t *testing.T) {
	y := nn.NewMaxUnpool2D(2).Forward(tensor.Zeros(0, 3, 2, 2), tensor.Zeros(0, 3, 2, 2).Long())
	if !y.Shape().Equal(tensor.Shape{0, 3, 4, 4}) {
		t.Errorf("got %v", y.Shape())
	}
}

// TestEmbeddingsScaleByFrequency: a row that is looked up twice gets half of each gradient.
func TestEmbeddingsScaleByFrequency(t *testing.T) {
	e, bag := nn.NewEmbedding(3, 2, nn.ScaleGradByFreq(true)), nn.NewEmbeddingBag(3, 2, nn.ScaleGradByFreq(true), nn.BagMode(tensor.SumBags))
	x := tensor.Of([][]int{{0, 1}, {0, 0}})
	e.Forward(x).Sum().Backward()
	bag.Forward(x, nil).Sum().Backward()
	want := tensor.Of([][]float32{{1, 1}, {1, 1}, {0, 0}})
	near(t, "gradient of a table", e.Weight.Grad(), want)
	near(t, "gradient of bags", bag.Weight.Grad(), want)
	if got, want := fmt.Sprint(bag), "EmbeddingBag(3, 2, scale_grad_by_freq=True, mode='sum')"; got != want {
		t.Errorf("prints %s, want %s", got, want)
	}
}

// TestBagsMaxNorm: rows of bags are shortened as those of an Embedding are.
func TestBagsMaxNorm(t *testing.T) {
	e := nn.NewEmbeddingBag(2, 2, nn.MaxNorm(1), nn.BagMode(tensor.SumBags))
	e.Weight.Detach().CopyInPlace(tensor.Of([][]float32{{3, 4}, {6, 8}}))
	near(t, "bag", e.Forward(tensor.Of([][]int{{0, 0}}), nil), tensor.Of([][]float32{{1.2, 1.6}}))
	near(t, "table", e.Weight.Detach(), tensor.Of([][]float32{{0.6, 0.8}, {6, 8}}))
}

func TestEmbeddingMaxNorm(t *testing.T) {
	e := nn.NewEmbedding(3, 2, nn.MaxNorm(1))
	e.Weight.Detach().CopyInPlace(tensor.Of([][]float32{{3, 4}, {0.3, 0.4}, {6, 8}}))
	y := e.Forward(tensor.Of([]int{0, 1, 0}))
	for i, want := range []float64{1, 0.5, 1} {
		if got := y.Select(0, i).Norm().Float64(); math.Abs(got-want) > 1e-5 {
			t.Errorf("row %d has norm %v, want %v", i, got, want)
		}
	}
	if got := e.Weight.Detach().Select(0, 2).Norm().Float64(); got != 10 {
		t.Errorf("a row that was not looked up has norm %v", got)
	}
}

func TestWeightedBags(t *testing.T) {
	e := nn.NewEmbeddingBag(4, 3, nn.BagMode(tensor.SumBags))
	x, w := tensor.Of([][]int{{0, 2}, {3, 3}}), tensor.Of([][]float32{{1, 2}, {3, -1}})
	rows := e.Weight.Detach()
	want := tensor.Stack([]*tensor.Tensor{rows.At(0).Add(rows.At(2).MulScalar(2)), rows.At(3).MulScalar(2)}, 0)
	if got := e.ForwardWeighted(x, nil, w); !got.AllClose(want, 1e-6, 1e-6) {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
}

// TestLastOffsetEndsTheLastBag gives the end of the last bag as an offset, and leaves it out.
func TestLastOffsetEndsTheLastBag(t *testing.T) {
	tensor.ManualSeed(0)
	with := nn.NewEmbeddingBag(4, 3, nn.IncludeLastOffset(true))
	tensor.ManualSeed(0)
	without := nn.NewEmbeddingBag(4, 3)
	x := tensor.Of([]int{0, 2, 3, 3, 1})
	got, want := with.Forward(x, tensor.Of([]int{0, 2, 5})), without.Forward(x, tensor.Of([]int{0, 2}))
	if !got.Equal(want) {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
}

func TestFoldAddsWhatUnfoldTakesApart(t *testing.T) {
	x := tensor.Ones(1, 2, 4, 5)
	columns := nn.NewUnfold(2, nn.Padding(1)).Forward(x)
	y := nn.NewFold([]int{4, 5}, 2, nn.Padding(1)).Forward(columns)
	if !y.Equal(x.MulScalar(4)) {
		t.Errorf("each element is under four windows, but got\n%v", y)
	}
}
