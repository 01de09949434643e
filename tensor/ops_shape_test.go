package tensor_test

import (
	"slices"

	"cresset/tensor"
)

// wrongOf adds the mistakes of one input.
func wrongOf(shape []int, kind error, text string) func(r *opRow) {
	return func(r *opRow) { r.wrong = append(r.wrong, wrongCase{[][]int{shape}, kind, text}) }
}

// emptyOf adds a case of one input without elements.
func emptyOf(in, want []int) func(r *opRow) {
	return func(r *opRow) { r.empty = append(r.empty, emptyCase{[][]int{in}, want}) }
}

var shapeRows = []opRow{
	rearranged("diagonal", []int{3, 2, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.Diagonal(1, 0, -1) }, []int{2, 3},
		func(i []int) []int { return []int{i[1], i[0], i[1] + 1} }).as(isView).as(emptyOf([]int{3, 0, 4}, []int{0, 3})).
		as(emptyOf([]int{0, 2, 4}, []int{2, 0})).as(wrongOf([]int{4}, tensor.ErrShape, "diagonal dimensions cannot be identical 0, -1")),
	rearranged("unfold", []int{2, 7}, func(x *tensor.Tensor) *tensor.Tensor { return x.Unfold(1, 3, 2) }, []int{2, 3, 3},
		func(i []int) []int { return []int{i[0], 2*i[1] + i[2]} }).as(isView).as(takesAPart).
		as(wrongOf([]int{2, 2}, tensor.ErrShape, "maximum size for tensor at dimension 1 is 2 but size is 3")).as(func(r *opRow) { r.scale = 4 }),
	rearranged("movedim", []int{2, 3, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.MoveAxis([]int{0, 1}, []int{-1, 0}) }, []int{3, 4, 2},
		func(i []int) []int { return []int{i[2], i[0], i[1]} }).as(isView),
	rearranged("tensor_split", []int{7, 2}, func(x *tensor.Tensor) *tensor.Tensor { return x.TensorSplit(3, 0)[1] }, []int{2, 2},
		func(i []int) []int { return []int{3 + i[0], i[1]} }).as(isView).as(takesAPart),
	rearranged("tensor_split at", []int{7, 2}, func(x *tensor.Tensor) *tensor.Tensor { return x.TensorSplitAt([]int{2, -3}, 0)[1] }, []int{2, 2},
		func(i []int) []int { return []int{2 + i[0], i[1]} }).as(isView).as(takesAPart),
	rearranged("broadcast_tensors", []int{3, 1}, func(x *tensor.Tensor) *tensor.Tensor {
		return tensor.BroadcastTensors(x, tensor.On(x.Device()).Ones(2))[0]
	}, []int{3, 2}, func(i []int) []int { return []int{i[0], 0} }).as(isView),

	rearranged("roll", []int{3, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.Roll([]int{1, -6}, 0, 1) }, []int{3, 4},
		func(i []int) []int { return []int{(i[0] + 2) % 3, (i[1] + 6) % 4} }).as(emptyOf([]int{0, 4}, []int{0, 4})).
		as(wrongOf([]int{4}, tensor.ErrIndex, "Dimension out of range")),
	rearranged("roll flat", []int{3, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.Roll([]int{5}) }, []int{3, 4},
		func(i []int) []int { k := (4*i[0] + i[1] + 7) % 12; return []int{k / 4, k % 4} }).as(emptyOf([]int{0, 4}, []int{0, 4})),
	rearranged("flip", []int{2, 3, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.Flip(0, -1) }, []int{2, 3, 4},
		func(i []int) []int { return []int{1 - i[0], i[1], 3 - i[2]} }).as(emptyOf([]int{2, 0, 4}, []int{2, 0, 4})).
		as(wrongOf([]int{4}, tensor.ErrValue, "dim 0 appears multiple times in the list of dims")),
	rearranged("flip nothing", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Flip() }, []int{2, 3}, func(i []int) []int { return i }),
	rearranged("fliplr", []int{2, 3}, (*tensor.Tensor).FlipLR, []int{2, 3}, func(i []int) []int { return []int{i[0], 2 - i[1]} }).
		as(wrongOf([]int{4}, tensor.ErrShape, "Input must be >= 2-d.")),
	rearranged("flipud", []int{2, 3}, (*tensor.Tensor).FlipUD, []int{2, 3}, func(i []int) []int { return []int{1 - i[0], i[1]} }).
		as(wrongOf([]int{}, tensor.ErrShape, "Input must be >= 1-d.")),
	rearranged("rot90", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Rot90(1, 0, 1) }, []int{3, 2},
		func(i []int) []int { return []int{i[1], 2 - i[0]} }).as(wrongOf([]int{4}, tensor.ErrShape, "expected total dims >= 2, but got total dims = 1")),
	rearranged("rot90 backwards", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Rot90(-5, 0, 1) }, []int{3, 2},
		func(i []int) []int { return []int{1 - i[1], i[0]} }),
	rearranged("rot90 twice", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Rot90(6, 0, 1) }, []int{2, 3},
		func(i []int) []int { return []int{1 - i[0], 2 - i[1]} }),

	rearranged("repeat", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Repeat(2, 1, 3) }, []int{2, 2, 9},
		func(i []int) []int { return []int{i[1], i[2] % 3} }).as(emptyOf([]int{2, 0}, []int{2, 2, 0})).
		as(wrongOf([]int{1, 1, 1, 1}, tensor.ErrShape, "Number of dimensions of repeat dims can not be smaller")).as(func(r *opRow) { r.scale = 8 }),
	rearranged("repeat never", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Repeat(2, 0) }, []int{4, 0}, nil),
	rearranged("tile", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Tile(2) }, []int{2, 6},
		func(i []int) []int { return []int{i[0], i[1] % 3} }).as(emptyOf([]int{2, 0}, []int{2, 0})),
	rearranged("repeat_interleave", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.RepeatInterleave(2, 1) }, []int{2, 6},
		func(i []int) []int { return []int{i[0], i[1] / 2} }).as(emptyOf([]int{2, 0}, []int{2, 0})),
	rearranged("repeat_interleave flat", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.RepeatInterleave(2) }, []int{12},
		func(i []int) []int { return []int{i[0] / 6, i[0] % 6 / 2} }),
	rearranged("repeat_interleave once", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.RepeatInterleave(1, 0) }, []int{2, 3},
		func(i []int) []int { return i }),
	{
		name:   "repeat_interleave by counts",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].RepeatInterleave(x[1], 0) },
		in:     []arg{{shape: []int{3, 2}}, places([]int{3}, 2, 0, 1)},
		dtypes: allTypes,
		naive: func(x []array) array {
			return array{[]int{3, 2}, slices.Concat(x[0].v[:2], x[0].v[:2], x[0].v[4:])}
		},
		wrong: []wrongCase{
			{[][]int{{3, 2}, {2}}, tensor.ErrShape, "repeats must have the same size as input along dim, but got repeats.size(0) = 2 and input.size(0) = 3"},
			{[][]int{{3, 2}, {1, 3}}, tensor.ErrShape, "repeats must be 0-dim or 1-dim tensor"},
		},
		empty: []emptyCase{{[][]int{{3, 0}, {3}}, []int{3, 0}}, {[][]int{{0, 2}, {0}}, []int{0, 2}}},
	},

	rearranged("diag_embed", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.DiagEmbed(-1, 0, 2) }, []int{4, 2, 4},
		func(i []int) []int {
			if i[0] != i[2]+1 {
				return nil
			}
			return []int{i[1], i[2]}
		}).as(emptyOf([]int{2, 0}, []int{1, 2, 1})),
	rearranged("diag of a vector", []int{3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Diag(1) }, []int{4, 4},
		func(i []int) []int {
			if i[1] != i[0]+1 {
				return nil
			}
			return []int{i[0]}
		}).as(wrongOf([]int{1, 1, 1}, tensor.ErrShape, "diag(): Supports 1D or 2D tensors. Got 3D")),
	rearranged("diag of a matrix", []int{3, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.Diag(-1) }, []int{2},
		func(i []int) []int { return []int{i[0] + 1, i[0]} }).as(emptyOf([]int{0, 4}, []int{0})),
	{
		name: "trace",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Trace() },
		in:   []arg{{shape: []int{3, 4}}},
		naive: func(x []array) array {
			return array{[]int{}, []float64{x[0].v[0] + x[0].v[5] + x[0].v[10]}}
		},
		dtypes: numberTypes,
		result: toSum,
		scale:  8,
		wrong:  []wrongCase{{[][]int{{3}}, tensor.ErrShape, "trace: expected a matrix, but got tensor with dim 1"}},
		empty:  []emptyCase{{[][]int{{0, 4}}, []int{}}},
	},
	{
		name:   "block_diag",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return tensor.BlockDiag(x...) },
		in:     []arg{{shape: []int{2, 2}}, {shape: []int{3}}, {shape: []int{}}},
		dtypes: allTypes,
		naive: func(x []array) array {
			y := newArray(4, 6)
			each(x[0].shape, func(i []int) { *y.at(i...) = *x[0].at(i...) })
			copy(y.v[2*6+2:], x[1].v)
			*y.at(3, 5) = x[2].v[0]
			return y
		},
		empty: []emptyCase{{[][]int{{0, 2}, {0}, {}}, []int{2, 3}}},
	},

	stacked("hstack", tensor.HStack, 1),
	stacked("vstack", tensor.VStack, 0),
	stacked("dstack", tensor.DStack, 2),
	{
		name:   "column_stack",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return tensor.ColumnStack(x...) },
		in:     []arg{{shape: []int{2}}, {shape: []int{2, 2}}},
		dtypes: allTypes,
		naive: func(x []array) array {
			a, b := x[0].v, x[1].v
			return array{[]int{2, 3}, []float64{a[0], b[0], b[1], a[1], b[2], b[3]}}
		},
	},
	{
		name:   "meshgrid",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return tensor.Meshgrid(x, "xy")[0] },
		in:     []arg{{shape: []int{3}}, {shape: []int{2}}},
		dtypes: allTypes,
		view:   true,
		naive:  func(x []array) array { return array{[]int{2, 3}, slices.Repeat(x[0].v, 2)} },
		wrong:  []wrongCase{{[][]int{{3, 1}, {2}}, tensor.ErrShape, "Expected 0D or 1D tensor"}},
		empty:  []emptyCase{{[][]int{{3}, {0}}, []int{0, 3}}},
	},
	{
		name:   "cartesian_prod",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return tensor.CartesianProd(x...) },
		in:     []arg{{shape: []int{2}}, {shape: []int{3}}},
		dtypes: allTypes,
		naive: func(x []array) array {
			y := newArray(6, 2)
			for k := range 6 {
				*y.at(k, 0), *y.at(k, 1) = x[0].v[k/3], x[1].v[k%3]
			}
			return y
		},
		wrong: []wrongCase{{[][]int{{2}, {3, 1}}, tensor.ErrShape, "Expect a 1D vector, but got shape [3, 1]"}},
		empty: []emptyCase{{[][]int{{2}, {0}}, []int{0, 2}}},
	},
	combined("combinations", false, [][]int{{0, 1}, {0, 2}, {1, 2}}),
	combined("combinations with replacement", true, [][]int{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}),
}

// stacked returns the row of a function that joins two tensors of shape [2, 3, 1] along an axis.
func stacked(name string, f func(ts ...*tensor.Tensor) *tensor.Tensor, axis int) opRow {
	shape := []int{2, 3, 1}
	return opRow{
		name:   name,
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return f(x...) },
		in:     []arg{{shape: shape}, {shape: shape}},
		dtypes: allTypes,
		naive: func(x []array) array {
			wide := slices.Clone(shape)
			wide[axis] *= 2
			y := newArray(wide...)
			each(wide, func(i []int) {
				from := slices.Clone(i)
				from[axis] %= shape[axis]
				*y.at(i...) = *x[i[axis]/shape[axis]].at(from...)
			})
			return y
		},
	}
}

// combined returns the row of the pairs of three elements.
func combined(name string, again tensor.WithReplacement, pairs [][]int) opRow {
	return rearranged(name, []int{3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Combinations(2, again) }, []int{len(pairs), 2},
		func(i []int) []int { return []int{pairs[i[0]][i[1]]} }).as(emptyOf([]int{0}, []int{0, 2})).
		as(wrongOf([]int{3, 1}, tensor.ErrShape, "Expect a 1D vector, but got shape [3, 1]")).as(func(r *opRow) { r.scale = 8 })
}
