package tensor

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"cresset/internal/par"
)

func TestNaNAndInfinityInReductions(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name string
		f    func(x *Tensor) *Tensor
		in   []float64
		want float64
	}{
		{"max", (*Tensor).Max, []float64{1, nan, 3}, nan},
		{"min", (*Tensor).Min, []float64{1, nan, 3}, nan},
		{"argmax", (*Tensor).ArgMax, []float64{1, nan, inf, nan}, 1},
		{"argmin", (*Tensor).ArgMin, []float64{1, nan, -inf, nan}, 1},
		{"first of equals", (*Tensor).ArgMax, []float64{2, 5, 5}, 1},
		{"argmin of equals", (*Tensor).ArgMin, []float64{7, 5, 5}, 1},
		{"infinity norm", func(x *Tensor) *Tensor { return x.NormAxes(inf, nil) }, []float64{1, nan}, nan},
		{"logsumexp of -inf", func(x *Tensor) *Tensor { return x.LogSumExp(nil) }, []float64{-inf, -inf}, -inf},
		{"logsumexp of inf", func(x *Tensor) *Tensor { return x.LogSumExp(nil) }, []float64{1, inf}, inf},
		{"logsumexp of nan", func(x *Tensor) *Tensor { return x.LogSumExp(nil) }, []float64{1, nan}, nan},
		{"logsumexp of large", func(x *Tensor) *Tensor { return x.LogSumExp(nil) }, []float64{1e4, 1e4}, 1e4 + math.Ln2},
		{"any nan", (*Tensor).Any, []float64{0, nan}, 1},
		{"var of one", (*Tensor).Var, []float64{4}, nan},
	} {
		x := FromSlice(c.in)
		if got := Values[float64](c.f(x)); !closeTo(got, []float64{c.want}, 1e-15) {
			t.Errorf("%s: got %v, want %v", c.name, got[0], c.want)
		}
	}
}

func TestGradientsWhereThereIsNoDerivative(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name     string
		f        func(x *Tensor) *Tensor
		in, want []float64
	}{
		{"max shares", (*Tensor).Max, []float64{3, 1, 3}, []float64{0.5, 0, 0.5}},
		{"max of nan", (*Tensor).Max, []float64{3, nan, 3}, []float64{0, 1, 0}},
		{"amin shares", func(x *Tensor) *Tensor { return x.AMin([]int{0}) }, []float64{1, 1, 3}, []float64{0.5, 0.5, 0}},
		{"max of an axis chooses", func(x *Tensor) *Tensor { v, _ := x.MaxAxis(0); return v }, []float64{3, 1, 3}, []float64{1, 0, 0}},
		{"prod with one zero", (*Tensor).Prod, []float64{2, 0, 3}, []float64{0, 6, 0}},
		{"prod with two zeros", (*Tensor).Prod, []float64{2, 0, 0}, []float64{0, 0, 0}},
		{"norm at zero", (*Tensor).Norm, []float64{0, 0}, []float64{0, 0}},
		{"norm 1 at zero", func(x *Tensor) *Tensor { return x.NormAxes(1, nil) }, []float64{0, -2}, []float64{0, -1}},
		{"norm 3 at zero", func(x *Tensor) *Tensor { return x.NormAxes(3, nil) }, []float64{0, 0}, []float64{0, 0}},
		{"norm inf shares", func(x *Tensor) *Tensor { return x.NormAxes(math.Inf(1), nil) }, []float64{2, -2, 1}, []float64{0.5, -0.5, 0}},
		{"norm 0", func(x *Tensor) *Tensor { return x.NormAxes(0, nil) }, []float64{2, 0}, []float64{0, 0}},
		{"std of equals", (*Tensor).Std, []float64{2, 2}, []float64{0, 0}},
		{"cumprod of one infinity", func(x *Tensor) *Tensor { return x.CumProd(0).Sum() }, []float64{inf}, []float64{1}},
		{"smooth_l1 far away", func(x *Tensor) *Tensor { return SmoothL1Loss(x, Zeros(4).Double(), SumReduction) },
			[]float64{inf, -inf, nan, 0.5}, []float64{1, -1, nan, 0.5}},
		{"huber far away", func(x *Tensor) *Tensor { return HuberLoss(x, Zeros(4).Double(), SumReduction, Delta(2)) },
			[]float64{inf, -inf, nan, 0.5}, []float64{2, -2, nan, 0.5}},
	} {
		x := FromSlice(c.in).SetRequiresGrad(true)
		c.f(x).Backward()
		if got := Values[float64](x.Grad()); !closeTo(got, c.want, 1e-15) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestFunctionsOfNumbers gives functions that go along an axis tensors that have none, as PyTorch allows.
func TestFunctionsOfNumbers(t *testing.T) {
	for _, c := range []struct {
		name       string
		f          func(x, y *Tensor) *Tensor
		want       float64
		grad, rest float64
	}{
		{"cosine_similarity", func(x, y *Tensor) *Tensor { return CosineSimilarity(x, y, -1) }, 1, 0, 0},
		{"pairwise_distance", func(x, y *Tensor) *Tensor { return PairwiseDistance(x, y, 2, Eps(0)) }, 2, 1, -1},
		{"triplet_margin_loss", func(x, y *Tensor) *Tensor { return TripletMarginLoss(x, y, x.Detach(), Eps(0)) }, 3, 1, -1},
		{"linear of a vector of weights", func(x, y *Tensor) *Tensor { return x.View(1, 1, 1).Linear(y.View(1), x).Sum() }, 6, 2, 3},
	} {
		x, y := Of(3.0).SetRequiresGrad(true), Of(1.0).SetRequiresGrad(true)
		z := c.f(x, y)
		z.Backward()
		if got := []float64{z.Float64(), x.Grad().Float64(), y.Grad().Float64()}; !closeTo(got, []float64{c.want, c.grad, c.rest}, 1e-12) {
			t.Errorf("%s and its gradients are %v, want %v, %v and %v", c.name, got, c.want, c.grad, c.rest)
		}
	}
}

// TestReductionsDoNotDependOnThreads compares bits.
func TestReductionsDoNotDependOnThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer par.SetNumThreads(0)
	ManualSeed(4)
	long, tall, wide := Randn(1<<17+5), Randn(3000, 67), Randn(40, 5000)
	near := long.MulScalar(1e-4).AddScalar(1)
	compute := func() []float32 {
		var all []float32
		for _, y := range []*Tensor{
			long.Sum(), long.Mean(), near.Prod(), long.Max(), long.Min(), long.Var(), long.Std(), long.Norm(),
			long.NormAxes(3, nil), long.LogSumExp(nil), long.ArgMax(), long.CountNonZero(),
			tall.SumAxes([]int{0}), wide.SumAxes([]int{0}), tall.MeanAxes([]int{1}), tall.StdAxes([]int{0}),
			wide.Softmax(1), tall.LogSoftmax(0), tall.CumSum(0), wide.T().MatMul(wide.Narrow(1, 0, 50)), long.Dot(long), tall.T().MV(Ones(3000)),
		} {
			all = append(all, Values[float32](y)...)
		}
		return all
	}
	par.SetNumThreads(1)
	want := compute()
	for _, n := range []int{2, 3, 4} {
		par.SetNumThreads(n)
		if got := compute(); !slices.Equal(got, want) {
			t.Errorf("results of %d threads differ from those of one", n)
		}
	}
}

// TestSumsAroundAxes compares sums of integers, which are exact in every dtype, over two runs of axes with others between
// them. Float32 that overflows on the way does not where its sum is finite.
func TestSumsAroundAxes(t *testing.T) {
	for _, c := range []struct {
		shape Shape
		axes  []int
	}{
		{Shape{5, 3, 28, 9}, []int{0, 2, 3}},
		{Shape{4, 3, 7, 2}, []int{0, 3}},
		{Shape{4, 3, 7, 2}, []int{0, 2}},
		{Shape{4, 3, 7, 8}, []int{0, 2}},
		{Shape{2, 3, 4, 5, 6}, []int{1, 3, 4}},
		{Shape{2, 3, 4, 5, 6}, []int{0, 2, 4}},
		{Shape{2, 1, 40_000}, []int{0, 2}},
	} {
		x := Arange(0, Zeros(c.shape...).NumEl(), 1).Remainder(FromSlice([]int64{13})).Reshape(c.shape...)
		want := reduceByRow(Values[float64](x.Double()), c.shape, c.axes, rowSum)
		for _, y := range []*Tensor{x, x.Float(), x.Double()} {
			if got := Values[float64](y.SumAxes(c.axes).Double()); !slices.Equal(got, want) {
				t.Errorf("%v of %v over %v: got %v, want %v", y.DType(), c.shape, c.axes, got, want)
			}
		}
	}
	most := float32(math.MaxFloat32)
	x := FromSlice([]float32{most, most, -most, 1, 1, 1, -most, 1, -1, 2, 2, 2}).Reshape(2, 2, 3)
	if got := Values[float32](x.SumAxes([]int{0, 2})); !slices.Equal(got, []float32{0, 9}) {
		t.Errorf("of huge numbers: got %v, want [0 9]", got)
	}
}
