package tensor_test

import (
	"fmt"
	"math"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// reduction is a family of rows: a function of all elements, and one of those along axes.
type reduction struct {
	name    string
	all     func(x *tensor.Tensor) *tensor.Tensor                                     // nil where there is none
	axes    func(x *tensor.Tensor, axes []int, keep ...tensor.KeepDim) *tensor.Tensor // nil where there is none
	axis    func(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) *tensor.Tensor   // nil where there is none
	ref     func(v []float64) float64                                                 // of the elements in row-major order
	change  func(r *opRow)                                                            // what the rows have in common
	nothing string                                                                    // what is said where nothing is to be reduced; empty where that is allowed
}

func (c reduction) rows() (rows []opRow) {
	add := func(name string, f func(x *tensor.Tensor) *tensor.Tensor, axes []int, keep bool) {
		r := opRow{
			name:  name,
			f:     func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0]) },
			in:    []arg{{shape: []int{2, 3, 4}}},
			naive: func(x []array) array { return reduced(x[0], axes, keep, c.ref) },
			scale: 8,
		}
		r.empties(axes, keep, c.nothing)
		rows = append(rows, r.as(c.change))
	}
	if c.all != nil {
		add(c.name, c.all, nil, false)
	}
	for _, v := range []struct {
		axes []int
		keep bool
	}{{[]int{0}, false}, {[]int{1}, true}, {[]int{2}, false}, {[]int{2, 0}, false}, {[]int{0, 1, 2}, true}} {
		name := fmt.Sprintf("%s over %v keep %v", c.name, v.axes, v.keep)
		switch {
		case c.axes != nil:
			add(name, func(x *tensor.Tensor) *tensor.Tensor { return c.axes(x, v.axes, tensor.KeepDim(v.keep)) }, v.axes, v.keep)
		case c.axis != nil && len(v.axes) == 1:
			add(name, func(x *tensor.Tensor) *tensor.Tensor { return c.axis(x, v.axes[0], tensor.KeepDim(v.keep)) }, v.axes, v.keep)
		}
	}
	return rows
}

// empties adds inputs without elements, and one that has not the axes.
func (r *opRow) empties(axes []int, keep bool, refusal string) {
	for _, shape := range [][]int{{0, 3, 4}, {2, 0, 4}, {2, 3, 0}} {
		out := reducedShape(shape, axes, keep)
		gone := slices.ContainsFunc(axes, func(a int) bool { return shape[a] == 0 }) || len(axes) == 0
		if gone && refusal != "" {
			r.wrong = append(r.wrong, wrongCase{[][]int{shape}, nil, refusal})
			continue
		}
		r.empty = append(r.empty, emptyCase{[][]int{shape}, out})
	}
	if slices.Contains(axes, 2) {
		r.wrong = append(r.wrong, wrongCase{[][]int{{2, 3}}, tensor.ErrIndex, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"})
	}
}

func reducedShape(shape, axes []int, keep bool) []int {
	out := []int{}
	for i, d := range shape {
		switch {
		case len(axes) > 0 && !slices.Contains(axes, i):
			out = append(out, d)
		case keep:
			out = append(out, 1)
		}
	}
	return out
}

// reduced applies f to the elements along axes; nil ones are all.
func reduced(x array, axes []int, keep bool, f func(v []float64) float64) array {
	groups := make(map[string][]float64)
	var order []string
	each(x.shape, func(index []int) {
		key := slices.Clone(index)
		for i := range key {
			if axes == nil || slices.Contains(axes, i) {
				key[i] = 0
			}
		}
		k := fmt.Sprint(key)
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], *x.at(index...))
	})
	out := array{shape: reducedShape(x.shape, axes, keep)}
	for _, k := range order {
		out.v = append(out.v, f(groups[k]))
	}
	return out
}

func sumOf(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}

func meanOf(v []float64) float64 { return sumOf(v) / float64(len(v)) }

func productOf(v []float64) float64 {
	p := 1.0
	for _, x := range v {
		p *= x
	}
	return p
}

func varianceOf(v []float64) float64 {
	mean, sum := meanOf(v), 0.0
	for _, x := range v {
		sum += (x - mean) * (x - mean)
	}
	return sum / float64(len(v)-1)
}

func indexOf(best func(v []float64) float64) func(v []float64) float64 {
	return func(v []float64) float64 { return float64(slices.Index(v, best(v))) }
}

func normOf(p float64) func(v []float64) float64 {
	return func(v []float64) float64 {
		sum := 0.0
		for _, x := range v {
			sum += math.Pow(math.Abs(x), p)
		}
		return math.Pow(sum, 1/p)
	}
}

func logSumExpOf(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Exp(x)
	}
	return math.Log(sum)
}

func countOf(v []float64) (n float64) {
	for _, x := range v {
		if x != 0 {
			n++
		}
	}
	return n
}

func anyOf(v []float64) float64 { return min(countOf(v), 1) }

func allOf(v []float64) float64 {
	if countOf(v) == float64(len(v)) {
		return 1
	}
	return 0
}

// sums, floats and the like are what rows have in common.
func sums(r *opRow)    { r.dtypes, r.result = allTypes, toSum }
func floats(*opRow)    {}
func ordered(r *opRow) { r.dtypes = allTypes }
func indices(r *opRow) { r.dtypes, r.result, r.noGrad = numberTypes, toIndex, true }

func truths(r *opRow) {
	r.dtypes, r.noGrad = allTypes, true
	r.in[0].values = []float64{0, 1, 0, 0, 2, 0, 1}
	r.result = func(dt dtype.DType) dtype.DType {
		if dt == dtype.Uint8 {
			return dt
		}
		return dtype.Bool
	}
}

func maxOf(v []float64) float64 { return slices.Max(v) }
func minOf(v []float64) float64 { return slices.Min(v) }

func maxAxis(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) *tensor.Tensor {
	values, _ := x.MaxAxis(axis, keep...)
	return values
}

func minAxis(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) *tensor.Tensor {
	values, _ := x.MinAxis(axis, keep...)
	return values
}

func maxAt(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) *tensor.Tensor {
	_, at := x.MaxAxis(axis, keep...)
	return at
}

func minAt(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) *tensor.Tensor {
	_, at := x.MinAxis(axis, keep...)
	return at
}

func variance(x *tensor.Tensor, axes []int, keep ...tensor.KeepDim) *tensor.Tensor {
	return x.VarAxes(axes, keep[0])
}
func deviation(x *tensor.Tensor, axes []int, keep ...tensor.KeepDim) *tensor.Tensor {
	return x.StdAxes(axes, keep[0])
}

func norm(p float64) func(x *tensor.Tensor, axes []int, keep ...tensor.KeepDim) *tensor.Tensor {
	return func(x *tensor.Tensor, axes []int, keep ...tensor.KeepDim) *tensor.Tensor {
		return x.NormAxes(p, axes, keep...)
	}
}

var reductionRows = slices.Concat(
	reduction{"sum", (*tensor.Tensor).Sum, (*tensor.Tensor).SumAxes, nil, sumOf, sums, ""}.rows(),
	reduction{"mean", (*tensor.Tensor).Mean, (*tensor.Tensor).MeanAxes, nil, meanOf, floats, ""}.rows(),
	reduction{"prod", (*tensor.Tensor).Prod, nil, (*tensor.Tensor).ProdAxis, productOf, products, ""}.rows(),
	reduction{"var", (*tensor.Tensor).Var, variance, nil, varianceOf, floats, ""}.rows(),
	reduction{"std", (*tensor.Tensor).Std, deviation, nil, func(v []float64) float64 { return math.Sqrt(varianceOf(v)) }, floats, ""}.rows(),
	reduction{"norm", (*tensor.Tensor).Norm, norm(2), nil, normOf(2), floats, ""}.rows(),
	reduction{"1-norm", nil, norm(1), nil, normOf(1), kinkAtZero, ""}.rows(),
	reduction{"3-norm", nil, norm(3), nil, normOf(3), floats, ""}.rows(),
	reduction{"max", (*tensor.Tensor).Max, nil, maxAxis, maxOf, ordered, "Expected reduction dim"}.rows(),
	reduction{"min", (*tensor.Tensor).Min, nil, minAxis, minOf, ordered, "Expected reduction dim"}.rows(),
	reduction{"index of max", nil, nil, maxAt, indexOf(maxOf), everyIndex, "Expected reduction dim"}.rows(),
	reduction{"index of min", nil, nil, minAt, indexOf(minOf), everyIndex, "Expected reduction dim"}.rows(),
	reduction{"amax", nil, (*tensor.Tensor).AMax, nil, maxOf, ordered, "Expected reduction dim"}.rows(),
	reduction{"amin", nil, (*tensor.Tensor).AMin, nil, minOf, ordered, "Expected reduction dim"}.rows(),
	reduction{"argmax", (*tensor.Tensor).ArgMax, nil, (*tensor.Tensor).ArgMaxAxis, indexOf(maxOf), indices, "Expected reduction dim"}.rows(),
	reduction{"argmin", (*tensor.Tensor).ArgMin, nil, (*tensor.Tensor).ArgMinAxis, indexOf(minOf), indices, "Expected reduction dim"}.rows(),
	reduction{"least of aminmax", nil, leastOf, nil, minOf, ordered, "dim"}.rows(),
	reduction{"most of aminmax", nil, mostOf, nil, maxOf, ordered, "dim"}.rows(),
	reduction{"nansum", nil, (*tensor.Tensor).NaNSum, nil, sumOf, sums, ""}.rows(),
	reduction{"nanmean", nil, (*tensor.Tensor).NaNMean, nil, meanOf, floats, ""}.rows(),
	reduction{"var of var_mean", nil, varianceBeside, nil, varianceOf, floats, ""}.rows(),
	reduction{"mean of std_mean", nil, meanBeside, nil, meanOf, floats, ""}.rows(),
	reduction{"logsumexp", nil, (*tensor.Tensor).LogSumExp, nil, logSumExpOf, integersToo, ""}.rows(),
	reduction{"any", (*tensor.Tensor).Any, nil, (*tensor.Tensor).AnyAxis, anyOf, truths, ""}.rows(),
	reduction{"all", (*tensor.Tensor).All, nil, (*tensor.Tensor).AllAxis, allOf, truths, ""}.rows(),
	reduction{"count nonzero", (*tensor.Tensor).CountNonZero, countAxes, nil, countOf, counts, ""}.rows(),
	[]opRow{
		running("cumsum over 0", 0),
		running("cumsum over 1", 1),
		running("cumsum over -1", -1),
		alongAxis("softmax over 0", (*tensor.Tensor).Softmax, 0, softmaxOf),
		alongAxis("softmax over -1", (*tensor.Tensor).Softmax, -1, softmaxOf),
		alongAxis("log_softmax over 1", (*tensor.Tensor).LogSoftmax, 1, logSoftmaxOf),
		alongAxis("log_softmax over -1", (*tensor.Tensor).LogSoftmax, -1, logSoftmaxOf),
	},
)

func products(r *opRow) {
	sums(r)
	r.in[0].whole, r.roundings = [2]int{1, 3}, 32
}

func kinkAtZero(r *opRow)  { r.in[0].away = []float64{0} }
func everyIndex(r *opRow)  { r.dtypes, r.result, r.noGrad = allTypes, toIndex, true }
func integersToo(r *opRow) { r.dtypes, r.result = allTypes, toFloat }

func counts(r *opRow) {
	everyIndex(r)
	r.in[0].values = []float64{0, 1, 0, 0, 2, 0, 1}
}

func countAxes(x *tensor.Tensor, axes []int, keep ...tensor.KeepDim) *tensor.Tensor {
	y := x.CountNonZeroAxes(axes...)
	if keep[0] {
		y = y.Reshape(reducedShape(x.Shape(), axes, true)...)
	}
	return y
}

// alongAxis returns the row of a function that turns each line along an axis into another.
func alongAxis(name string, f func(x *tensor.Tensor, axis int) *tensor.Tensor, axis int, ref func(line []float64)) opRow {
	return opRow{
		name: name,
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], axis) },
		in:   []arg{{shape: []int{2, 3, 4}}},
		naive: func(x []array) array {
			out := newArray(x[0].shape...)
			at := (axis + 3) % 3
			each(reducedShape(out.shape, []int{at}, true), func(index []int) {
				line := make([]float64, out.shape[at])
				for i := range line {
					index[at] = i
					line[i] = *x[0].at(index...)
				}
				ref(line)
				for i := range line {
					index[at] = i
					*out.at(index...) = line[i]
				}
				index[at] = 0
			})
			return out
		},
		scale: 8,
		empty: []emptyCase{{[][]int{{0, 3, 4}}, []int{0, 3, 4}}, {[][]int{{2, 0, 4}}, []int{2, 0, 4}}, {[][]int{{2, 3, 0}}, []int{2, 3, 0}}},
	}
}

func running(name string, axis int) opRow {
	return alongAxis(name, (*tensor.Tensor).CumSum, axis, func(line []float64) {
		for i := 1; i < len(line); i++ {
			line[i] += line[i-1]
		}
	}).as(sums)
}

func softmaxOf(line []float64) {
	logSoftmaxOf(line)
	for i := range line {
		line[i] = math.Exp(line[i])
	}
}

func logSoftmaxOf(line []float64) {
	total := logSumExpOf(line)
	for i := range line {
		line[i] -= total
	}
}
