package tensor_test

import (
	"math"

	"cresset/dtype"
	"cresset/internal/op"
	"cresset/tensor"
)

// drawn returns the row of a function that fills a tensor with draws, always the same.
func drawn(name string, f func(x *tensor.Tensor) *tensor.Tensor, change func(r *opRow)) opRow {
	f = seeded(f)
	return opRow{
		name:           name,
		f:              func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0].Clone()) },
		inPlace:        func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0]) },
		in:             []arg{{shape: []int{3, 4}}},
		judge:          "TestDrawsArePyTorchs",
		perType:        true,
		contiguousOnly: true, // draws follow the order of memory
		draws:          true,
		empty:          []emptyCase{{[][]int{{0, 4}}, []int{0, 4}}},
	}.as(change)
}

func seeded(f func(x *tensor.Tensor) *tensor.Tensor) func(x *tensor.Tensor) *tensor.Tensor {
	return func(x *tensor.Tensor) *tensor.Tensor {
		tensor.ManualSeed(1)
		return f(x)
	}
}

// optimizer returns the row of a step that changes copies of its first input, a parameter, and of its third and later
// ones, the state, by the gradient, its second. The result is the parameter and the state, stacked.
func optimizer(name string, step func(p, g *tensor.Tensor, state []*tensor.Tensor), ref func(v []float64) []float64, states int) opRow {
	r := opRow{
		name: name,
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			changed := []*tensor.Tensor{x[0].Detach().Clone()}
			for _, s := range x[2:] {
				changed = append(changed, s.Detach().Clone())
			}
			step(changed[0], x[1].Detach(), changed[1:])
			return tensor.Stack(changed, 0)
		},
		in: []arg{{shape: []int{3, 4}}, {shape: []int{3, 4}}},
		naive: func(x []array) array {
			out, v := newArray(1+states, 3, 4), make([]float64, len(x))
			for k := range 12 {
				for i := range x {
					v[i] = x[i].v[k]
				}
				for i, changed := range ref(v) {
					out.v[12*i+k] = changed
				}
			}
			return out
		},
		noGrad: true,
		scale:  4,
		wrong:  []wrongCase{{[][]int{{3, 4}, {4}, {3, 4}, {3, 4}, {3, 4}}[:2+states], tensor.ErrShape, "does not fit a parameter of"}},
	}
	for range states {
		r.in = append(r.in, arg{shape: []int{3, 4}, lo: 0.1, hi: 2})
	}
	return r
}

// stateRows are what changes a tensor that stays.
var stateRows = []opRow{
	{
		name:           "copy_",
		f:              func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Clone().CopyInPlace(x[1]) },
		inPlace:        func(x []*tensor.Tensor) *tensor.Tensor { return x[0].CopyInPlace(x[1]) },
		in:             []arg{{shape: []int{2, 3, 4}}, {shape: []int{3, 1}}},
		ref:            func(v []float64) float64 { return v[1] },
		dtypes:         allTypes,
		severalDevices: "the source moves to where the destination is",
		empty:          []emptyCase{{[][]int{{0, 4}, {4}}, []int{0, 4}}},
		wrong: []wrongCase{
			{[][]int{{3}, {4}}, tensor.ErrShape, "The size of tensor a (3) must match the size of tensor b (4)"},
			{[][]int{{3}, {2, 3}}, tensor.ErrShape, "output with shape [3] doesn't match the broadcast shape [2, 3]"},
		},
	},
	unary("fill_", func(x *tensor.Tensor) *tensor.Tensor { return x.Clone().FillInPlace(1) }, func(float64) float64 { return 1 }).
		as(everyType).as(written(func(x *tensor.Tensor) *tensor.Tensor { return x.FillInPlace(1) })),
	unary("zero_", func(x *tensor.Tensor) *tensor.Tensor { return x.Clone().ZeroInPlace() }, func(float64) float64 { return 0 }).
		as(everyType).as(written((*tensor.Tensor).ZeroInPlace)),

	unary("unscale", func(x *tensor.Tensor) *tensor.Tensor { return unscaled(x.Detach().Clone(), 4) }, func(v float64) float64 { return v / 4 }).
		as(func(r *opRow) { r.noGrad = true }),

	drawn("uniform_", func(x *tensor.Tensor) *tensor.Tensor { return x.UniformInPlace(-1, 2) }, floats),
	drawn("normal_", func(x *tensor.Tensor) *tensor.Tensor { return x.NormalInPlace(1, 2) }, floats),
	drawn("exponential_", func(x *tensor.Tensor) *tensor.Tensor { return x.ExponentialInPlace(2) }, floats),
	drawn("bernoulli_", func(x *tensor.Tensor) *tensor.Tensor { return x.BernoulliInPlace(0.3) }, everyType),
	drawn("random_", func(x *tensor.Tensor) *tensor.Tensor { return x.RandIntInPlace(0, 2) }, everyType),
	unary("bernoulli", seeded(func(x *tensor.Tensor) *tensor.Tensor { return tensor.Bernoulli(x) }), nil).as(func(r *opRow) {
		r.ref, r.judge, r.in[0].hi, r.contiguousOnly = nil, "TestDrawsArePyTorchs", 1, true
		r.perType, r.draws = true, true
	}),

	optimizer("sgd step", func(p, g *tensor.Tensor, _ []*tensor.Tensor) {
		sgdStep(p, g, nil, op.SGD{LR: 0.5, WeightDecay: 0.25})
	}, func(v []float64) []float64 { return []float64{v[0] - 0.5*(v[1]+0.25*v[0])} }, 0),
	optimizer("sgd step with momentum", func(p, g *tensor.Tensor, state []*tensor.Tensor) {
		sgdStep(p, g, state[0], op.SGD{LR: 0.5, Momentum: 0.75, Dampening: 0.125})
	}, func(v []float64) []float64 {
		m := 0.75*v[2] + 0.875*v[1]
		return []float64{v[0] - 0.5*m, m}
	}, 1),
	optimizer("sgd step of Nesterov", func(p, g *tensor.Tensor, state []*tensor.Tensor) {
		sgdStep(p, g, state[0], op.SGD{LR: 0.5, Momentum: 0.75, Nesterov: true})
	}, func(v []float64) []float64 {
		m := 0.75*v[2] + v[1]
		return []float64{v[0] - 0.5*(v[1]+0.75*m), m}
	}, 1),
	optimizer("adam step", func(p, g *tensor.Tensor, state []*tensor.Tensor) {
		adamStep(p, g, state[0], state[1], op.Adam{LR: 0.5, Beta1: 0.5, Beta2: 0.75, Eps: 0.125, Step: 2})
	}, func(v []float64) []float64 { return adam(v[0], v[1], v[2], v[3]) }, 2),
	optimizer("adamw step", func(p, g *tensor.Tensor, state []*tensor.Tensor) {
		adamStep(p, g, state[0], state[1],
			op.Adam{LR: 0.5, Beta1: 0.5, Beta2: 0.75, Eps: 0.125, Step: 2, WeightDecay: 0.25, Decoupled: true})
	}, func(v []float64) []float64 { return adam(v[0]*(1-0.5*0.25), v[1], v[2], v[3]) }, 2),
}

func adam(p, g, mean, square float64) []float64 {
	mean, square = mean+0.5*(g-mean), 0.75*square+0.25*g*g
	return []float64{p - 0.5/(1-0.5*0.5)*mean/(math.Sqrt(square)/math.Sqrt(1-0.75*0.75)+0.125), mean, square}
}

// maker is an op without inputs.
type maker struct {
	name   string
	f      func(p tensor.Place) *tensor.Tensor
	dtypes []dtype.DType
	shape  []int
}

var makers = []maker{
	{"arange", func(p tensor.Place) *tensor.Tensor { return p.Arange(0, 5, 2) }, numberTypes, []int{3}},
	{"linspace", func(p tensor.Place) *tensor.Tensor { return p.Linspace(0, 8, 3) }, numberTypes, []int{3}},
	{"eye", func(p tensor.Place) *tensor.Tensor { return p.Eye(2, 3) }, allTypes, []int{2, 3}},
	{"zeros", func(p tensor.Place) *tensor.Tensor { return p.Zeros(2, 0) }, allTypes, []int{2, 0}},
	{"ones", func(p tensor.Place) *tensor.Tensor { return p.Ones(2, 1) }, allTypes, []int{2, 1}},
	{"full", func(p tensor.Place) *tensor.Tensor { return p.Full([]int{}, true) }, allTypes, []int{}},
	{"rand", func(p tensor.Place) *tensor.Tensor { return p.Rand(3) }, floatTypes, []int{3}},
	{"randn", func(p tensor.Place) *tensor.Tensor { return p.Randn(3, 1) }, floatTypes, []int{3, 1}},
	{"randint", func(p tensor.Place) *tensor.Tensor { return p.RandInt(0, 2, 3) }, allTypes, []int{3}},
	{"randperm", func(p tensor.Place) *tensor.Tensor { return p.RandPerm(4) }, numberTypes, []int{4}},
	{"tril_indices", func(p tensor.Place) *tensor.Tensor { return p.TrilIndices(2, 3, 0) }, []dtype.DType{dtype.Int64, dtype.Int32}, []int{2, 3}},
	{"triu_indices", func(p tensor.Place) *tensor.Tensor { return p.TriuIndices(2, 3, 0) }, []dtype.DType{dtype.Int64, dtype.Int32}, []int{2, 5}},
}
