package kernels_test

import (
	"math"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func TestNLL(t *testing.T) {
	const batch, classes, columns, ignore = 7, 4, 3, -100
	m := &machine{t: t}
	x, weight, each := make([]float32, batch*classes*columns), []float32{1, 0.5, 2, 0.25}, make([]float32, batch*columns)
	targets := make([]int64, batch*columns)
	for i := range x {
		x[i] = -float32(i%13) / 7
	}
	for i := range targets {
		targets[i] = int64(i % classes)
	}
	targets[5] = ignore
	shape := kern.ChannelShape{N: batch, C: classes, L: columns}
	sum, total := kern.NLL(shape, x, nil, targets, weight, ignore, each)

	fault := make([]kernels.Fault, 1)
	loss, weights, losses := make([]float32, 1), make([]float32, 1), make([]float32, len(each))
	p := kernels.NLL{Batch: batch, Classes: classes, Inner: columns, X: put(m, x), Targets: put(m, targets), Weight: put(m, weight),
		Out: put(m, loss), Total: put(m, weights), Ignore: ignore, Mean: 1, Report: kernels.Report{Word: put(m, fault), Tag: 5}}
	launch(m, "nll_f32", kernels.OneBlock(), p)
	near(t, "mean loss", float64(loss[0]), sum/total, 1e-7)
	near(t, "weights", float64(weights[0]), total, 1e-7)

	dy, dx, want := []float32{0.5}, make([]float32, len(x)), make([]float32, len(x))
	kern.NLLBackward(shape, dy, 1/float64(weights[0]), targets, weight, ignore, want)
	p.Out, p.Dy = put(m, dx), put(m, dy)
	launch(m, "nll_grad_f32", kernels.Flat(uint64(len(x)), few), p)
	compare(t, "nll_grad", dx, want)

	p.Out = put(m, losses)
	launch(m, "nll_each_f32", kernels.Flat(uint64(len(each)), few), p)
	compare(t, "nll_each", losses, each)

	shifts, logits := make([]float32, 2*len(each)), kernels.Softmax{Outer: batch, N: classes, Inner: columns, In: p.X}
	wantShifts := make([]float32, len(shifts))
	_ = kern.SoftmaxShifts(batch, classes, columns, x, wantShifts)
	logits.Out = put(m, shifts)
	g, _ := kernels.ColumnGrid(batch*columns, 1)
	launch(m, "softmax_shifts_columns_f32", g, logits)
	compareNearly(t, "softmax_shifts", shifts, wantShifts, 3e-7)
	p.Shifts = logits.Out
	kern.NLL(shape, x, shifts, targets, weight, ignore, each)
	launch(m, "nll_each_f32", kernels.Flat(uint64(len(each)), few), p)
	compare(t, "nll_each of logits", losses, each)
	_ = kern.CrossEntropyBackward(shape, x, shifts, dy, 1/float64(weights[0]), targets, weight, ignore, want)
	p.Out = put(m, dx)
	launch(m, "cross_entropy_grad_f32", kernels.Flat(uint64(len(x)), few), p)
	compareNearly(t, "cross_entropy_grad", dx, want, 3e-7)

	p.Out = put(m, losses)
	targets[2] = 4
	launch(m, "nll_each_f32", kernels.Flat(uint64(len(each)), few), p)
	if want := (kernels.Fault{Code: kernels.TargetFault, Tag: 5, Index: 4, Extent: classes, At: 2}); fault[0] != want {
		t.Errorf("got %+v, want %+v", fault[0], want)
	}
}

func TestOptimizers(t *testing.T) {
	optimizers[float32](t)
	optimizers[float64](t)
}

func optimizers[T dtype.Float](t *testing.T) {
	const n = 700
	start, grad, state, square := make([]T, n), make([]T, n), make([]T, n), make([]T, n)
	for i := range start {
		start[i], grad[i] = T(math.Sin(float64(i))), T(math.Cos(float64(i*i)))
		state[i], square[i] = T(math.Sin(float64(3*i))), T(math.Abs(math.Cos(float64(i))))
	}
	for _, o := range []op.SGD{
		{LR: 0.1}, {LR: 0.1, WeightDecay: 0.01, Maximize: true}, {LR: 0.1, Momentum: 0.9, First: true},
		{LR: 0.1, Momentum: 0.9, Dampening: 0.3}, {LR: 0.1, Momentum: 0.9, Nesterov: true, WeightDecay: 1e-3},
	} {
		m := &machine{t: t}
		got, want, buffer, wantBuffer := slices.Clone(start), slices.Clone(start), slices.Clone(state), slices.Clone(state)
		p := kernels.SGD{N: n, P: put(m, got), Grad: put(m, grad), Rate: -o.LR, Decay: o.WeightDecay, Momentum: o.Momentum,
			Keep: 1 - o.Dampening, Nesterov: flag(o.Nesterov), First: flag(o.First), Maximize: flag(o.Maximize)}
		if o.Momentum == 0 {
			kern.SGD(want, nil, grad, o)
		} else {
			kern.SGD(want, wantBuffer, grad, o)
			p.Buffer = put(m, buffer)
		}
		launch(m, "sgd"+suffix[T](), kernels.Flat(n, few), p)
		compare(t, "sgd", got, want)
		compare(t, "sgd's buffer", buffer, wantBuffer)
	}
	for _, o := range []op.Adam{
		{LR: 1e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Step: 3},
		{LR: 1e-3, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, Step: 1, WeightDecay: 0.02, Maximize: true},
		{LR: 1e-3, Beta1: 0.8, Beta2: 0.999, Eps: 1e-6, Step: 100, WeightDecay: 0.02, Decoupled: true},
	} {
		m := &machine{t: t}
		got, want := slices.Clone(start), slices.Clone(start)
		mean, wantMean, v, wantV := slices.Clone(state), slices.Clone(state), slices.Clone(square), slices.Clone(square)
		kern.Adam(want, wantMean, wantV, grad, o)
		launch(m, "adam"+suffix[T](), kernels.Flat(n, few), kernels.Adam{N: n, P: put(m, got), M: put(m, mean), V: put(m, v), Grad: put(m, grad),
			Step: -o.LR / (1 - math.Pow(o.Beta1, float64(o.Step))), Root: math.Sqrt(1 - math.Pow(o.Beta2, float64(o.Step))),
			Eps: o.Eps, Weight1: 1 - o.Beta1, Beta2: o.Beta2, Weight2: 1 - o.Beta2, Decay: o.WeightDecay,
			Shrink: 1 - o.LR*o.WeightDecay, Decoupled: flag(o.Decoupled), Maximize: flag(o.Maximize)})
		compare(t, "adam", got, want)
		compare(t, "adam's mean", mean, wantMean)
		compare(t, "adam's square", v, wantV)
	}
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func TestRanges(t *testing.T) {
	m := &machine{t: t}
	floats, want := make([]float32, 9), make([]float32, 9)
	for i := range want {
		want[i] = float32(-1 + float64(float64(i)*0.3))
	}
	launch(m, "arange_f32", kernels.Flat(9, few), kernels.Range{N: 9, Out: put(m, floats), Start: -1, Step: 0.3})
	compare(t, "arange", floats, want)

	whole := make([]int32, 4)
	launch(m, "arange_i32", kernels.Flat(4, few), kernels.Range{N: 4, Out: put(m, whole), WholeStart: 5, WholeStep: -2})
	compare(t, "arange_i32", whole, []int32{5, 3, 1, -1})

	even := make([]float64, 5)
	launch(m, "linspace_f64", kernels.Flat(5, few), kernels.Range{N: 5, Out: put(m, even), Start: 0, End: 1})
	compare(t, "linspace", even, []float64{0, 0.25, 0.5, 0.75, 1})
	launch(m, "linspace_f64", kernels.Flat(1, few), kernels.Range{N: 1, Out: put(m, even), Start: 3, End: 1})
	compare(t, "linspace of one", even[:1], []float64{3})
	launch(m, "linspace_i32", kernels.Flat(4, few), kernels.Range{N: 4, Out: put(m, whole), Start: 0, End: 10})
	compare(t, "linspace_i32", whole, []int32{0, 3, 6, 10})
}
