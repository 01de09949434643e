package tensor_test

import (
	"runtime"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
	"cresset/internal/race"
	"cresset/tensor"
)

// threadRow is a function of tensors so large that several threads share the work. The op table's rows of elementwise
// functions take inputs of any shape and need none.
type threadRow struct {
	name string
	in   [][]int // shapes of the leaves, whose elements are drawn from the normal distribution
	f    func(x []*tensor.Tensor) *tensor.Tensor
}

// of1 is a row of a function of one tensor.
func of1(name string, shape []int, f func(x *tensor.Tensor) *tensor.Tensor) threadRow {
	return threadRow{name, [][]int{shape}, func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0]) }}
}

// scrambled are n numbers below limit, in no order, some of them often.
func scrambled(limit int, shape ...int) *tensor.Tensor {
	index := make([]int64, extent(shape))
	for i := range index {
		index[i] = int64(i * i % 7919 % limit)
	}
	return tensor.FromSlice(index, shape...)
}

// filled is a row of a function that writes to a tensor that needs no gradient.
func filled(name string, f func(x *tensor.Tensor) *tensor.Tensor) threadRow {
	return threadRow{name, nil, func([]*tensor.Tensor) *tensor.Tensor {
		tensor.ManualSeed(3)
		return f(tensor.Zeros(100_000))
	}}
}

var (
	tall = []int{3000, 67}
	wide = []int{40, 5000}
	deep = []int{6, 300, 70} // reduced over its middle
)

var threadRows = slices.Concat(threadReductions, threadProducts, threadFactors, threadIndexing, threadLayers, threadStates, updateThreads())

var threadReductions = []threadRow{
	of1("sum", []int{1<<17 + 5}, (*tensor.Tensor).Sum),
	of1("sum of rows", wide, func(x *tensor.Tensor) *tensor.Tensor { return x.SumAxes([]int{1}) }),
	of1("sum of columns", tall, func(x *tensor.Tensor) *tensor.Tensor { return x.SumAxes([]int{0}) }),
	of1("sum of a middle axis", deep, func(x *tensor.Tensor) *tensor.Tensor { return x.SumAxes([]int{1}) }),
	of1("sum around an axis", deep, func(x *tensor.Tensor) *tensor.Tensor { return x.SumAxes([]int{0, 2}) }),
	of1("mean", []int{1<<17 + 5}, (*tensor.Tensor).Mean),
	of1("mean of columns", tall, func(x *tensor.Tensor) *tensor.Tensor { return x.MeanAxes([]int{0}) }),
	of1("prod", []int{1<<17 + 5}, func(x *tensor.Tensor) *tensor.Tensor { return x.MulScalar(1e-4).AddScalar(1).Prod() }),
	of1("prod of rows", wide, func(x *tensor.Tensor) *tensor.Tensor { return x.MulScalar(1e-4).AddScalar(1).ProdAxis(1) }),
	of1("max", []int{1<<17 + 5}, (*tensor.Tensor).Max),
	of1("min", []int{1<<17 + 5}, (*tensor.Tensor).Min),
	of1("max of rows", wide, func(x *tensor.Tensor) *tensor.Tensor { v, _ := x.MaxAxis(1); return v }),
	of1("max of columns", tall, func(x *tensor.Tensor) *tensor.Tensor { v, _ := x.MaxAxis(0); return v }),
	of1("min of columns", tall, func(x *tensor.Tensor) *tensor.Tensor { v, _ := x.MinAxis(0); return v }),
	of1("amax", deep, func(x *tensor.Tensor) *tensor.Tensor { return x.AMax([]int{1}) }),
	of1("amin", deep, func(x *tensor.Tensor) *tensor.Tensor { return x.AMin([]int{0, 2}) }),
	of1("argmax", wide, func(x *tensor.Tensor) *tensor.Tensor { return x.ArgMaxAxis(1) }),
	of1("argmin", tall, func(x *tensor.Tensor) *tensor.Tensor { return x.ArgMinAxis(0) }),
	of1("var", []int{1<<17 + 5}, (*tensor.Tensor).Var),
	of1("var of columns", tall, func(x *tensor.Tensor) *tensor.Tensor { return x.VarAxes([]int{0}) }),
	of1("std of rows", wide, func(x *tensor.Tensor) *tensor.Tensor { return x.StdAxes([]int{1}) }),
	of1("norm", []int{1<<17 + 5}, (*tensor.Tensor).Norm),
	of1("norm of order 3", tall, func(x *tensor.Tensor) *tensor.Tensor { return x.NormAxes(3, []int{0}) }),
	of1("logsumexp", wide, func(x *tensor.Tensor) *tensor.Tensor { return x.LogSumExp([]int{1}) }),
	of1("any", wide, func(x *tensor.Tensor) *tensor.Tensor { return x.GtScalar(4).AnyAxis(1) }),
	of1("all", tall, func(x *tensor.Tensor) *tensor.Tensor { return x.LtScalar(3).AllAxis(0) }),
	of1("count_nonzero", tall, func(x *tensor.Tensor) *tensor.Tensor { return x.GtScalar(0).CountNonZeroAxes(0) }),
	of1("cumsum of rows", wide, func(x *tensor.Tensor) *tensor.Tensor { return x.CumSum(1) }),
	of1("cumsum of columns", tall, func(x *tensor.Tensor) *tensor.Tensor { return x.CumSum(0) }),
	of1("cumprod", tall, func(x *tensor.Tensor) *tensor.Tensor { return x.MulScalar(1e-3).AddScalar(1).CumProd(0) }),
	of1("cummax of rows", wide, func(x *tensor.Tensor) *tensor.Tensor { return first(x.CumMax(1)) }),
	of1("cummin of a middle axis", deep, func(x *tensor.Tensor) *tensor.Tensor { return first(x.CumMin(1)) }),
	of1("logcumsumexp", tall, func(x *tensor.Tensor) *tensor.Tensor { return x.LogCumSumExp(0) }),
	of1("softmax of rows", wide, func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(1) }),
	of1("softmax of columns", tall, func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(0) }),
	of1("log_softmax of rows", wide, func(x *tensor.Tensor) *tensor.Tensor { return x.LogSoftmax(1) }),
	of1("log_softmax of columns", tall, func(x *tensor.Tensor) *tensor.Tensor { return x.LogSoftmax(0) }),
}

var threadProducts = []threadRow{
	{"mm", [][]int{{150, 260}, {260, 190}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MM(x[1]) }},
	{"mm of half types", [][]int{{150, 260}, {260, 190}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].BFloat16().MM(x[1].BFloat16()) }},
	{"mm of integers", nil, func([]*tensor.Tensor) *tensor.Tensor { return scrambled(99, 130, 120).MM(scrambled(88, 120, 110)) }},
	{"bmm", [][]int{{9, 60, 70}, {9, 70, 50}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].BMM(x[1]) }},
	{"mv", [][]int{{700, 900}, {900}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MV(x[1]) }},
	{"dot", [][]int{{200_001}, {200_001}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Dot(x[1]) }},
	{"linear", [][]int{{64, 784}, {256, 784}, {256}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Linear(x[1], x[2]) }},
	{"linear and relu", [][]int{{64, 784}, {256, 784}, {256}}, func(x []*tensor.Tensor) *tensor.Tensor { return inner.LinearReLU(x[0], x[1], x[2]) }},
	{"addmm", [][]int{{190}, {150, 260}, {260, 190}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].AddMMScaled(x[1], x[2], 0.5, 2) }},
}

var threadIndexing = []threadRow{
	{"gather", [][]int{tall}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Gather(0, scrambled(3000, 2900, 67)) }},
	{"scatter_add", [][]int{tall, {2900, 67}}, func(x []*tensor.Tensor) *tensor.Tensor {
		return x[0].ScatterAdd(0, scrambled(50, 2900, 67), x[1])
	}},
	{"scatter", [][]int{tall, {2900, 67}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Scatter(0, scrambled(50, 2900, 67), x[1]) }},
	reducedOnThreads("sum"), reducedOnThreads("prod"), reducedOnThreads("mean"), reducedOnThreads("amax"), reducedOnThreads("amin"),
	{"index_copy", [][]int{tall, {4000, 67}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexCopy(0, scrambled(70, 4000), x[1]) }},
	{"index_copy of columns", [][]int{tall, {3000, 90}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexCopy(1, scrambled(67, 90), x[1]) }},
	{"index_put", [][]int{tall, {100_000}}, func(x []*tensor.Tensor) *tensor.Tensor {
		return x[0].IndexPut([]*tensor.Tensor{scrambled(90, 100_000), scrambled(67, 100_000)}, x[1])
	}},
	{"index_put that accumulates", [][]int{tall, {4000, 67}}, func(x []*tensor.Tensor) *tensor.Tensor {
		return x[0].IndexPut([]*tensor.Tensor{scrambled(90, 4000)}, x[1], tensor.Accumulate(true))
	}},
	{"index_select of rows", [][]int{tall}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexSelect(0, scrambled(500, 4000)) }},
	{"index_select of columns", [][]int{tall}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexSelect(1, scrambled(67, 90)) }},
	{"index", [][]int{tall}, func(x []*tensor.Tensor) *tensor.Tensor {
		return x[0].Index(scrambled(90, 100_000), scrambled(67, 100_000))
	}},
	{"index_add", [][]int{tall, {4000, 67}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexAdd(0, scrambled(70, 4000), x[1]) }},
	{"masked_select", [][]int{tall}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MaskedSelect(x[0].Detach().GtScalar(0.3)) }},
	of1("sort", wide, func(x *tensor.Tensor) *tensor.Tensor { v, _ := x.Sort(1); return v }),
	of1("sort of columns", tall, func(x *tensor.Tensor) *tensor.Tensor { v, _ := x.Sort(0, tensor.Descending(true)); return v }),
	of1("topk", wide, func(x *tensor.Tensor) *tensor.Tensor { v, _ := x.TopK(7, 1); return v }),
	{"searchsorted", nil, func([]*tensor.Tensor) *tensor.Tensor {
		return tensor.SearchSorted(tensor.Arange(0, 5000, 3), scrambled(5001, 70_001))
	}},
	{"searchsorted of lines", nil, func([]*tensor.Tensor) *tensor.Tensor {
		lines, _ := scrambled(900, 40, 700).Sort(1)
		return tensor.SearchSorted(lines, scrambled(900, 40, 2001), tensor.Right(true))
	}},
	of1("tril", []int{400, 500}, func(x *tensor.Tensor) *tensor.Tensor { return x.Tril(3) }),
	{"rotary_embedding", [][]int{{3, 40, 20, 64}, {40, 1, 32}}, func(x []*tensor.Tensor) *tensor.Tensor {
		return inner.Rotate(x[0], x[1].Detach().Cos(), x[1].Detach().Sin())
	}},
	of1("quantized_linear of int8", []int{3, 1000}, func(x *tensor.Tensor) *tensor.Tensor {
		w := scrambled(256, 700, 1000).SubScalar(128).To(dtype.Int8)
		return inner.QuantizedLinear(x, op.Quantized{Bits: 8}, w, tensor.Ones(700, 1), nil, nil)
	}),
	of1("triu", []int{400, 500}, func(x *tensor.Tensor) *tensor.Tensor { return x.Triu(-3) }),
	{"one_hot", nil, func([]*tensor.Tensor) *tensor.Tensor { return tensor.OneHot(scrambled(50, 5000), 50) }},
	of1("embedding", []int{500, 67}, func(x *tensor.Tensor) *tensor.Tensor {
		return tensor.Embedding(x, scrambled(300, 3000), tensor.PaddingIndex(5))
	}),
	of1("cat", tall, func(x *tensor.Tensor) *tensor.Tensor { return tensor.Cat([]*tensor.Tensor{x, x.MulScalar(2)}, 1) }),
	of1("transposed", []int{500, 400}, func(x *tensor.Tensor) *tensor.Tensor { return x.T().Contiguous() }),
	of1("to float64", tall, (*tensor.Tensor).Double),
	of1("to float16", tall, (*tensor.Tensor).Half),
}

// reducedOnThreads joins small factors by scatter_reduce.
func reducedOnThreads(reduce string) threadRow {
	return threadRow{"scatter_reduce " + reduce, [][]int{tall, {2900, 67}}, func(x []*tensor.Tensor) *tensor.Tensor {
		return x[0].ScatterReduce(0, scrambled(900, 2900, 67), x[1], reduce)
	}}
}

var threadLayers = []threadRow{
	{"attention", [][]int{{2, 4, 70, 16}, {2, 2, 90, 16}, {2, 2, 90, 16}}, func(x []*tensor.Tensor) *tensor.Tensor {
		return tensor.ScaledDotProductAttention(x[0], x[1], x[2], tensor.EnableGQA(true), tensor.IsCausal(true))
	}},
	{"conv2d", [][]int{{3, 11, 20, 23}, {9, 11, 3, 3}, {9}}, func(x []*tensor.Tensor) *tensor.Tensor {
		return x[0].Conv2D(x[1], x[2], tensor.Padding(1))
	}},
	{"conv2d and relu", [][]int{{3, 11, 20, 23}, {9, 11, 3, 3}, {9}}, func(x []*tensor.Tensor) *tensor.Tensor {
		return inner.Conv2DReLU(x[0], x[1], x[2], tensor.WindowOf(tensor.Padding(1)))
	}},
	{"conv2d with strides", [][]int{{4, 12, 30, 31}, {16, 6, 3, 5}}, func(x []*tensor.Tensor) *tensor.Tensor {
		return x[0].Conv2D(x[1], nil, tensor.Stride(2, 1), tensor.Padding(1, 2), tensor.Groups(2))
	}},
	of1("max_pool2d", []int{8, 12, 40, 41}, func(x *tensor.Tensor) *tensor.Tensor {
		return x.MaxPool2D(2)
	}),
	of1("max_pool2d of windows that overlap", []int{8, 12, 40, 41}, func(x *tensor.Tensor) *tensor.Tensor {
		return x.MaxPool2D(3, tensor.Stride(1, 2), tensor.Padding(1))
	}),
	of1("avg_pool2d", []int{8, 12, 40, 41}, func(x *tensor.Tensor) *tensor.Tensor {
		return x.AvgPool2D(3, tensor.KernelWidth(2), tensor.Stride(2), tensor.Padding(1))
	}),
	of1("interpolate", []int{8, 12, 20, 41}, func(x *tensor.Tensor) *tensor.Tensor { return x.Interpolate([]int{39, 60}, tensor.Bilinear) }),
	of1("adaptive_avg_pool2d", []int{8, 12, 40, 41}, func(x *tensor.Tensor) *tensor.Tensor { return x.AdaptiveAvgPool2D(7, 9) }),
	of1("adaptive_max_pool2d", []int{8, 12, 40, 41}, func(x *tensor.Tensor) *tensor.Tensor { return first(x.AdaptiveMaxPool2D(7, 9)) }),
	{"batch_norm", [][]int{{20, 24, 15, 14}, {24}, {24}}, func(x []*tensor.Tensor) *tensor.Tensor {
		return x[0].BatchNorm(x[1], x[2], nil, nil, tensor.Training(true), tensor.Momentum(0.1))
	}},
	{"group_norm", [][]int{{20, 24, 15, 14}, {24}, {24}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].GroupNorm(6, x[1], x[2]) }},
	{"layer_norm", [][]int{{300, 350}, {350}, {350}}, func(x []*tensor.Tensor) *tensor.Tensor {
		return x[0].LayerNorm([]int{350}, x[1], x[2])
	}},
	{"rms_norm", [][]int{{300, 350}, {350}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].RMSNorm([]int{350}, x[1]) }},
	of1("cross_entropy", []int{3000, 67}, func(x *tensor.Tensor) *tensor.Tensor {
		return tensor.CrossEntropy(x, scrambled(67, 3000))
	}),
	of1("cross_entropy of pixels", []int{8, 20, 30, 31}, func(x *tensor.Tensor) *tensor.Tensor {
		return tensor.CrossEntropy(x, scrambled(20, 8, 30, 31), tensor.LabelSmoothing(0.1))
	}),
	of1("nll_loss", tall, func(x *tensor.Tensor) *tensor.Tensor {
		return tensor.NLLLoss(x, scrambled(67, 3000), tensor.Weight(tensor.Linspace(0.1, 2, 67)))
	}),
	{"mse_loss", [][]int{{1<<17 + 5}, {1<<17 + 5}}, func(x []*tensor.Tensor) *tensor.Tensor { return tensor.MSELoss(x[0], x[1]) }},
	{"binary_cross_entropy_with_logits", [][]int{{1<<17 + 5}}, func(x []*tensor.Tensor) *tensor.Tensor {
		return tensor.BCEWithLogits(x[0], tensor.Linspace(0, 1, 1<<17+5))
	}},
	{"ctc_loss", [][]int{{40, 64, 30}}, func(x []*tensor.Tensor) *tensor.Tensor {
		inputs, labels := slices.Repeat([]int{40}, 64), slices.Repeat([]int{9}, 64)
		return tensor.CTCLoss(x[0].LogSoftmax(2), scrambled(29, 64, 9).AddScalar(1), inputs, labels)
	}},
	{"prelu", [][]int{tall, {67}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].PReLU(x[1]) }},
	of1("dropout", tall, func(x *tensor.Tensor) *tensor.Tensor {
		tensor.ManualSeed(3)
		return x.Dropout(0.4)
	}),
}

var threadStates = []threadRow{
	filled("fill_", func(x *tensor.Tensor) *tensor.Tensor { return x.FillInPlace(3) }),
	filled("bitwise_not", func(x *tensor.Tensor) *tensor.Tensor { return x.RandIntInPlace(0, 99).Long().BitwiseNot() }),
	filled("arange", func(*tensor.Tensor) *tensor.Tensor { return tensor.Arange(0, 100_000, 1) }),
	filled("linspace", func(*tensor.Tensor) *tensor.Tensor { return tensor.Linspace(-1, 2, 100_000) }),
	filled("uniform_", func(x *tensor.Tensor) *tensor.Tensor { return x.UniformInPlace(-1, 2) }),
	filled("normal_", func(x *tensor.Tensor) *tensor.Tensor { return x.NormalInPlace(1, 2) }),
	filled("exponential_", func(x *tensor.Tensor) *tensor.Tensor { return x.ExponentialInPlace(2) }),
	filled("bernoulli_", func(x *tensor.Tensor) *tensor.Tensor { return x.BernoulliInPlace(0.3) }),
	filled("bernoulli", func(x *tensor.Tensor) *tensor.Tensor { return tensor.Bernoulli(x.AddScalar(0.3)) }),
	filled("random_", func(x *tensor.Tensor) *tensor.Tensor { return x.RandIntInPlace(0, 99) }),
	filled("randperm", func(*tensor.Tensor) *tensor.Tensor { return tensor.RandPerm(100_000) }),
	step("sgd step", func(p, g, m, _ *tensor.Tensor) {
		sgdStep(p, g, m, op.SGD{LR: 0.5, Momentum: 0.9, WeightDecay: 0.1, Nesterov: true})
	}),
	step("adam step", func(p, g, m, v *tensor.Tensor) {
		adamStep(p, g, m, v.Square(), op.Adam{LR: 0.5, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, Step: 2, WeightDecay: 0.1})
	}),
}

// updateThreads are rows of the updates, whose states are positive.
func updateThreads() (rows []threadRow) {
	for _, r := range updateRows {
		rows = append(rows, filled(r.name, func(*tensor.Tensor) *tensor.Tensor {
			x := tensor.Randn(5, 100_000).Unbind(0)
			for i := range x[2:] {
				x[2+i] = x[2+i].Square()
			}
			return r.f(x[:len(r.in)])
		}))
	}
	return rows
}

// step is a row of an optimizer's step; its result is the parameter and its state.
func step(name string, f func(p, g, m, v *tensor.Tensor)) threadRow {
	return filled(name, func(*tensor.Tensor) *tensor.Tensor {
		x := tensor.Randn(4, 100_000)
		f(x.Select(0, 0), x.Select(0, 1), x.Select(0, 2), x.Select(0, 3))
		return x
	})
}

// TestThreadsKeepBits runs every op on one thread, on two and on seven, forward and backward, and compares bits. An op that
// no row runs is a failure. The race detector sees what seven threads do.
func TestThreadsKeepBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(7))
	defer tensor.SetNumThreads(0)
	ran := make(map[op.Op]bool)
	tensor.SpyOnCPU(t, func(c *backend.Call) { ran[c.Op] = true })
	for _, r := range allRows() {
		if r.ref != nil && !r.contiguousOnly {
			t.Run(r.name, r.checkThreads)
		}
	}
	for _, row := range threadRows {
		t.Run(row.name, row.check)
	}
	for _, o := range op.All() {
		if !ran[o] && !o.IsView() && !o.IsComposed() {
			t.Errorf("%s (%d) is run on several threads by no row", o, o)
		}
	}
}

func (row *threadRow) check(t *testing.T) {
	tensor.ManualSeed(4)
	x := make([]*tensor.Tensor, len(row.in))
	for i, shape := range row.in {
		x[i] = tensor.Randn(shape...)
	}
	r := opRow{name: row.name, f: row.f, in: make([]arg, len(x))}
	if r.watched(x) {
		return
	}
	tensor.SetNumThreads(1)
	want := r.outcome(x)
	for _, threads := range []int{2, 7} {
		tensor.SetNumThreads(threads)
		if at := want.differs(r.outcome(x)); at != "" {
			t.Errorf("%d threads: %s", threads, at)
		}
	}
}

// watched runs the row on seven threads where the race detector is on, and reports that it did: the bits are those without it.
func (r *opRow) watched(x []*tensor.Tensor) bool {
	if race.Enabled {
		tensor.SetNumThreads(7)
		r.outcome(x)
	}
	return race.Enabled
}

// checkThreads wants the same bits from one thread on contiguous memory and from several on strided.
func (r *opRow) checkThreads(t *testing.T) {
	dt := r.base()
	if slices.Contains(r.allowed(), dtype.Float32) {
		dt = dtype.Float32
	}
	x := r.reshaped(device.CPU, dt, r.withExtents([]int{3, 23000}))
	if r.watched(x) {
		return
	}
	tensor.SetNumThreads(1)
	want := r.outcome(x)
	tensor.SetNumThreads(7)
	if at := want.differs(r.outcome(x)); at != "" {
		t.Errorf("7 threads: %s", at)
	}
	tensor.SetNumThreads(2)
	for i := range x {
		x[i] = scattered(x[i], 2)
	}
	if at := want.differs(r.outcome(x)); at != "" {
		t.Errorf("2 threads on strided memory: %s", at)
	}
}
