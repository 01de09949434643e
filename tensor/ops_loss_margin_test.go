package tensor_test

import (
	"math"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// signs is a target of 1 and -1.
func signs(shape ...int) arg {
	return arg{shape: shape, values: []float64{1, -1, -1, 1, 1}, constant: true}
}

// reducing returns rows of a loss for each reduction: parts are the losses that it reduces.
func reducing(name string, f func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor, in []arg, parts func(x []array) array) (rows []opRow) {
	for _, c := range reductions {
		rows = append(rows, opRow{
			name: name + " " + c.how.String(),
			f:    func(x []*tensor.Tensor) *tensor.Tensor { return f(x, c.how) },
			in:   in,
			naive: func(x []array) array {
				if c.ref == nil {
					return parts(x)
				}
				return total(parts(x), c.ref)
			},
			scale: 64,

			moreTypes: true,
		})
	}
	return rows
}

// pairwise returns losses of elements that meet.
func pairwise(loss func(v []float64) float64) func(x []array) array {
	return func(x []array) array { return elementwise(loss, x) }
}

var (
	square   = []int{3, 4}
	chance   = arg{shape: square, lo: 0.05, hi: 0.95}
	fraction = arg{shape: square, lo: 0, hi: 1}
	positive = arg{shape: square, lo: 0.5, hi: 2}
)

// apart is an input that a kink at distance 1 of another, from -1 to 0, stays away from.
var apart = []arg{{shape: square, values: []float64{0, 0.3, 1.7, 2.4, -0.2}}, {shape: square, values: []float64{-0.8, -0.1, -0.55}}}

var pairLossRows = slices.Concat(
	reducing("smooth_l1_loss", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor { return tensor.SmoothL1Loss(x[0], x[1], r) },
		apart, pairwise(func(v []float64) float64 { return knee(v[0]-v[1], 1) })),
	reducing("huber_loss", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
		return tensor.HuberLoss(x[0], x[1], r, tensor.Delta(0.5))
	}, apart, pairwise(func(v []float64) float64 { return 0.5 * knee(v[0]-v[1], 0.5) })),
	reducing("kl_div", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor { return tensor.KLDiv(x[0], x[1], r) },
		[]arg{{shape: square}, chance}, pairwise(func(v []float64) float64 { return v[1] * (math.Log(v[1]) - v[0]) })),
	reducing("kl_div of logarithms", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
		return tensor.KLDiv(x[0], x[1], r, tensor.LogTarget(true))
	}, []arg{{shape: square}, {shape: square}}, pairwise(func(v []float64) float64 { return math.Exp(v[1]) * (v[1] - v[0]) })),
	reducing("poisson_nll_loss", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
		return tensor.PoissonNLLLoss(x[0], x[1], r)
	},
		[]arg{{shape: square}, fraction}, pairwise(func(v []float64) float64 { return math.Exp(v[0]) - v[0]*v[1] })),
	reducing("gaussian_nll_loss", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
		return tensor.GaussianNLLLoss(x[0], x[1], x[2], r)
	}, []arg{{shape: square}, {shape: square}, positive}, pairwise(func(v []float64) float64 {
		return (math.Log(v[2]) + (v[0]-v[1])*(v[0]-v[1])/v[2]) / 2
	})),
	reducing("soft_margin_loss", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
		return tensor.SoftMarginLoss(x[0], x[1], r)
	},
		[]arg{{shape: square}, signs(3, 4)}, pairwise(func(v []float64) float64 { return math.Log1p(math.Exp(-v[0] * v[1])) })),
	reducing("binary_cross_entropy", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
		return tensor.BCE(x[0], x[1], tensor.Weight(x[2]), r)
	}, []arg{chance, fraction, {shape: []int{4}, lo: 0.5, hi: 2, constant: true}}, pairwise(func(v []float64) float64 {
		return -v[2] * (v[1]*math.Log(v[0]) + (1-v[1])*math.Log(1-v[0]))
	})),
)

// knee is quadratic below beta and linear above.
func knee(d, beta float64) float64 {
	if d = math.Abs(d); d < beta {
		return d * d / (2 * beta)
	}
	return d - beta/2
}

var marginLossRows = slices.Concat(
	reducing("cosine_embedding_loss", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
		return tensor.CosineEmbeddingLoss(x[0], x[1], x[2], r, tensor.Margin(-1))
	}, []arg{positive, {shape: square, lo: -2, hi: -0.5}, signs(3)}, func(x []array) array {
		out := newArray(3)
		for i := range out.v {
			dot, a, b := 0.0, 1e-12, 1e-12
			for j := range 4 {
				p, q := *x[0].at(i, j), *x[1].at(i, j)
				dot, a, b = dot+p*q, a+p*p, b+q*q
			}
			out.v[i] = 1 - dot/math.Sqrt(a*b)
			if x[2].v[i] < 0 {
				out.v[i] = max(0, 2-out.v[i])
			}
		}
		return out
	}),
	reducing("margin_ranking_loss", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
		return tensor.MarginRankingLoss(x[0], x[1], x[2], r, tensor.Margin(0.25))
	}, append(slices.Clone(apart), signs(3, 4)), pairwise(func(v []float64) float64 { return max(0, -v[2]*(v[0]-v[1])+0.25) })),
	reducing("hinge_embedding_loss", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
		return tensor.HingeEmbeddingLoss(x[0], x[1], r)
	},
		[]arg{{shape: square, away: []float64{1}}, signs(3, 4)}, pairwise(func(v []float64) float64 {
			if v[1] < 0 {
				return max(0, 1-v[0])
			}
			return v[0]
		})),
	reducing("triplet_margin_loss", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
		return tensor.TripletMarginLoss(x[0], x[1], x[2], r, tensor.Margin(8))
	}, []arg{{shape: square}, {shape: square}, {shape: square}}, func(x []array) array {
		out := newArray(3)
		for i := range out.v {
			near, far := 0.0, 0.0
			for j := range 4 {
				near += math.Pow(*x[0].at(i, j)-*x[1].at(i, j)+1e-6, 2)
				far += math.Pow(*x[0].at(i, j)-*x[2].at(i, j)+1e-6, 2)
			}
			out.v[i] = max(0, 8+math.Sqrt(near)-math.Sqrt(far))
		}
		return out
	}),
	reducing("multi_margin_loss", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
		return tensor.MultiMarginLoss(x[0], x[1], r, tensor.Weight(x[2]), tensor.P(2), tensor.Margin(8))
	}, []arg{{shape: square}, classes(3, 4), {shape: []int{4}, lo: 0.5, hi: 2, constant: true}}, func(x []array) array {
		out := newArray(3)
		each(square, func(i []int) {
			if t := int(x[1].v[i[0]]); i[1] != t {
				out.v[i[0]] += x[2].v[t] * math.Pow(max(0, 8-*x[0].at(i[0], t)+*x[0].at(i...)), 2) / 4
			}
		})
		return out
	}),
	reducing("multilabel_margin_loss", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
		return tensor.MultilabelMarginLoss(x[0], x[1], r)
	},
		[]arg{{shape: square, values: []float64{0, 0.3, 1.7, 2.4, -0.2}}, {shape: square, values: []float64{3, 0, -1, 1}, dtype: dtype.Int64}},
		func(x []array) array {
			out := newArray(3)
			for i := range out.v {
				for _, t := range []int{3, 0} {
					for _, j := range []int{1, 2} {
						out.v[i] += max(0, 1-*x[0].at(i, t)+*x[0].at(i, j)) / 4
					}
				}
			}
			return out
		}),
	reducing("multilabel_soft_margin_loss", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
		return tensor.MultilabelSoftMarginLoss(x[0], x[1], r)
	}, []arg{{shape: square}, fraction}, func(x []array) array {
		out := newArray(3)
		each(square, func(i []int) {
			p, t := sigmoid(*x[0].at(i...)), *x[1].at(i...)
			out.v[i[0]] -= (t*math.Log(p) + (1-t)*math.Log(1-p)) / 4
		})
		return out
	}),
)
