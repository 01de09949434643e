package tensor_test

import (
	"math"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// ctcRows judge CTCLoss of the log softmax of [4, 2, 3], by all paths.
var ctcRows = forCTC(reducing("ctc_loss", func(x []*tensor.Tensor, r tensor.Reduction) *tensor.Tensor {
	return tensor.CTCLoss(x[0].LogSoftmax(2), x[1], []int{4, 3}, []int{2, 2}, r)
}, []arg{{shape: []int{4, 2, 3}}, {shape: []int{2, 2}, values: []float64{1, 2, 2, 2}, dtype: dtype.Int64}}, func(x []array) array {
	out := newArray(2)
	for item, times := range []int{4, 3} {
		p := newArray(times, 3)
		each(p.shape, func(i []int) { *p.at(i...) = *x[0].at(i[0], item, i[1]) })
		p, sum := logSoftmaxRows(p), 0.0
		each(slices.Repeat([]int{3}, times), func(path []int) {
			if slices.Equal(spelled(path), []int{int(*x[1].at(item, 0)), int(*x[1].at(item, 1))}) {
				chance := 0.0
				for t, class := range path {
					chance += *p.at(t, class)
				}
				sum += math.Exp(chance)
			}
		})
		out.v[item] = -math.Log(sum)
	}
	return out
}))

// forCTC notes what CTCLoss does not take, and that its mean is one of losses for each label.
func forCTC(rows []opRow) []opRow {
	for i := range rows {
		rows[i].dtypes = []dtype.DType{dtype.Float64, dtype.Float32}
		rows[i].noGPU = "an item's states follow each other"
		rows[i].moreTypes = false
		if elements := rows[i].naive; reductions[i].how == tensor.MeanReduction {
			rows[i].naive = func(x []array) array {
				mean := elements(x)
				mean.v[0] /= 2
				return mean
			}
		}
	}
	return rows
}

// spelled is what a path of classes stands for: repetitions are one, blanks, 0, are none.
func spelled(path []int) (labels []int) {
	for t, class := range path {
		if class != 0 && (t == 0 || path[t-1] != class) {
			labels = append(labels, class)
		}
	}
	return labels
}
