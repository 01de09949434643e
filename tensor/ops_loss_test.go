package tensor_test

import (
	"fmt"
	"math"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// reductions names what a loss makes of its elements.
var reductions = []struct {
	how tensor.Reduction
	ref func(v []float64) float64 // nil: leaves them
}{{tensor.MeanReduction, meanOf}, {tensor.SumReduction, sumOf}, {tensor.NoReduction, nil}}

// pairLosses returns the rows of a loss of two inputs of one shape.
func pairLosses(name string, f func(x, y *tensor.Tensor, r ...tensor.Reduction) *tensor.Tensor, ref func(x, y float64) float64) (rows []opRow) {
	for _, c := range reductions {
		r := binary(fmt.Sprintf("%s %s", name, c.how), func(x, y *tensor.Tensor) *tensor.Tensor { return f(x, y, c.how) }, ref)
		r.scale = 8
		r.in[1].shape, r.empty = r.in[0].shape, r.empty[:1]
		r.wrong = append(r.wrong, wrongCase{[][]int{{3, 1}, {3}}, tensor.ErrShape, "Using a target size"})
		if c.ref != nil {
			elements := r.ref
			r.ref, r.naive = nil, func(x []array) array { return total(elementwise(elements, x), c.ref) }
			for i := range r.empty {
				r.empty[i].want = []int{}
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// absoluteLosses returns the rows of L1Loss, which takes integers where it has no mean to compute.
func absoluteLosses() []opRow {
	rows := pairLosses("l1_loss", tensor.L1Loss, func(x, y float64) float64 { return math.Abs(x - y) })
	for i := range rows {
		if reductions[i].how != tensor.MeanReduction {
			numbers(&rows[i])
		}
		if reductions[i].how == tensor.SumReduction {
			rows[i].result = toSum
		}
		// Differences of small unsigned integers wrap.
		rows[i].in[0].whole, rows[i].in[1].whole = [2]int{5, 9}, [2]int{0, 4}
	}
	return rows
}

// total makes all elements one.
func total(x array, f func(v []float64) float64) array { return array{[]int{}, []float64{f(x.v)}} }

// classLoss is -w[t]·x[t] for each row of log probabilities, with the weights for the mean.
func classLoss(x, target array, weight []float64) (losses, weights []float64) {
	for i, t := range target.v {
		w := 1.0
		if weight != nil {
			w = weight[int(t)]
		}
		losses, weights = append(losses, -w**x.at(i, int(t))), append(weights, w)
	}
	return losses, weights
}

// classes is the argument that names a class for each row.
func classes(n, count int) arg {
	return arg{shape: []int{n}, dtype: dtype.Int64, whole: [2]int{0, count - 1}}
}

// nllLosses returns the rows of NLLLoss with weights, and of CrossEntropy, which is NLLLoss of the log of the softmax.
func nllLosses() (rows []opRow) {
	for _, c := range reductions {
		mean := func(v, w []float64) array {
			switch c.how {
			case tensor.MeanReduction:
				return array{[]int{}, []float64{sumOf(v) / sumOf(w)}}
			case tensor.SumReduction:
				return array{[]int{}, []float64{sumOf(v)}}
			}
			return array{[]int{len(v)}, v}
		}
		rows = append(rows, opRow{
			name: fmt.Sprintf("nll_loss %s", c.how),
			f: func(x []*tensor.Tensor) *tensor.Tensor {
				return tensor.NLLLoss(x[0], x[1], tensor.Weight(x[2]), c.how)
			},
			in:    []arg{{shape: []int{5, 4}}, classes(5, 4), {shape: []int{4}, lo: 0.5, hi: 2, constant: true}},
			naive: func(x []array) array { return mean(classLoss(x[0], x[1], x[2].v)) },
			scale: 8,
			wrong: []wrongCase{
				{[][]int{{5, 4}, {4}, {4}}, tensor.ErrShape, "Expected input batch_size (5) to match target batch_size (4)."},
				{[][]int{{5, 4}, {5}, {3}}, tensor.ErrShape, "weight tensor should be defined either for all 4 classes or no classes"},
			},
		}, opRow{
			name: fmt.Sprintf("cross_entropy %s", c.how),
			f: func(x []*tensor.Tensor) *tensor.Tensor {
				return tensor.CrossEntropy(x[0], x[1], c.how)
			},
			in:    []arg{{shape: []int{5, 4}}, classes(5, 4)},
			naive: func(x []array) array { return mean(classLoss(logSoftmaxRows(x[0]), x[1], nil)) },
			scale: 8,
		})
	}
	return rows
}

func logSoftmaxRows(x array) array {
	out := array{x.shape, slices.Clone(x.v)}
	for i := range x.shape[0] {
		logSoftmaxOf(out.v[i*x.shape[1] : (i+1)*x.shape[1]])
	}
	return out
}

var lossRows = slices.Concat(
	pairLosses("mse_loss", tensor.MSELoss, func(x, y float64) float64 { return (x - y) * (x - y) }),
	absoluteLosses(),
	nllLosses(),
	[]opRow{
		{
			name: "nll_loss of positions",
			f: func(x []*tensor.Tensor) *tensor.Tensor {
				return tensor.NLLLoss(x[0], x[1], tensor.NoReduction)
			},
			in: []arg{{shape: []int{2, 3, 4}}, {shape: []int{2, 4}, dtype: dtype.Int64, whole: [2]int{0, 2}}},
			naive: func(x []array) array {
				out := newArray(2, 4)
				each(out.shape, func(at []int) { *out.at(at...) = -*x[0].at(at[0], int(*x[1].at(at...)), at[1]) })
				return out
			},
			wrong: []wrongCase{{[][]int{{2, 3, 4}, {2, 5}}, tensor.ErrShape, "Expected target size [2, 4], got"}},
		},
		{
			name: "cross_entropy smoothed",
			f: func(x []*tensor.Tensor) *tensor.Tensor {
				return tensor.CrossEntropy(x[0], x[1], tensor.LabelSmoothing(0.25))
			},
			in: []arg{{shape: []int{5, 4}}, classes(5, 4)},
			naive: func(x []array) array {
				p := logSoftmaxRows(x[0])
				losses, _ := classLoss(p, x[1], nil)
				return array{[]int{}, []float64{0.75*meanOf(losses) - 0.25*meanOf(p.v)}}
			},
			scale: 8,
		},
		{
			name: "cross_entropy of probabilities",
			f: func(x []*tensor.Tensor) *tensor.Tensor {
				return tensor.CrossEntropy(x[0], x[1])
			},
			in: []arg{{shape: []int{5, 4}}, {shape: []int{5, 4}, lo: 0, hi: 1}},
			naive: func(x []array) array {
				sum := 0.0
				for k, p := range logSoftmaxRows(x[0]).v {
					sum -= p * x[1].v[k]
				}
				return array{[]int{}, []float64{sum / 5}}
			},
			scale: 16,
		},
		{
			name: "bce_with_logits",
			f: func(x []*tensor.Tensor) *tensor.Tensor {
				return tensor.BCEWithLogits(x[0], x[1], tensor.Weight(x[2]), tensor.PosWeight(x[3]))
			},
			in: []arg{{shape: []int{3, 4}}, {shape: []int{3, 4}, lo: 0, hi: 1}, {shape: []int{3, 1}, lo: 0.5, hi: 2, constant: true}, {shape: []int{4}, lo: 0.5, hi: 2, constant: true}},
			naive: func(x []array) array {
				return total(elementwise(func(v []float64) float64 {
					p := sigmoid(v[0])
					return -v[2] * (v[3]*v[1]*math.Log(p) + (1-v[1])*math.Log(1-p))
				}, x), meanOf)
			},
			scale: 8,
			wrong: []wrongCase{{[][]int{{3, 4}, {4}, {3, 1}, {4}}, tensor.ErrValue, "must be the same as input size"}},
		},
		{
			name: "bce_with_logits none",
			f: func(x []*tensor.Tensor) *tensor.Tensor {
				return tensor.BCEWithLogits(x[0], x[1], tensor.NoReduction)
			},
			in: []arg{{shape: []int{3, 4}}, {shape: []int{3, 4}, lo: 0, hi: 1}},
			ref: func(v []float64) float64 {
				return (1-v[1])*v[0] + math.Log1p(math.Exp(-math.Abs(v[0]))) + max(-v[0], 0)
			},
			noSpecials: "the form that does not overflow is its own",
			scale:      8,
			empty:      []emptyCase{{[][]int{{0, 4}, {0, 4}}, []int{0, 4}}},
		},
	},
)
