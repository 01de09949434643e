package kernels_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
)

// reduce runs a reduction of a contiguous [outer][n][inner] in one launch, by columns or by rows.
func reduce(m *machine, kernel string, columns bool, outer, n, inner uint64, p kernels.Reduction) {
	m.t.Helper()
	p.Outer, p.N, p.Inner, p.Parts = outer, n, inner, 1
	p.Strides = [3]int64{int64(n * inner), int64(inner), 1}
	if columns {
		g, _ := kernels.ColumnGrid(outer*inner, 1)
		launch(m, kernel, g, p)
		return
	}
	g, _ := kernels.RowGrid(outer*inner, n)
	launch(m, kernel, g, p)
}

var shapes = [][3]uint64{{1, 1, 1}, {3, 0, 2}, {5, 10, 1}, {9, 33, 1}, {2, 1500, 1}, {3, 7, 40}, {1, 100, 5}}

func TestReductions(t *testing.T) {
	reductions[float32](t)
	reductions[float64](t)
	reductions[int64](t)
	reductions[int32](t)
	reductions[uint8](t)
}

func reductions[T dtype.Number](t *testing.T) {
	for _, s := range shapes {
		reduction(t, "count_nonzero", s, kern.CountNonZero[T, int64]().Row)
		reduction(t, "any", s, func(row []T) bool { return slices.ContainsFunc(row, func(v T) bool { return v != 0 }) })
		reduction(t, "all", s, func(row []T) bool { return !slices.Contains(row, 0) })
		if s[1] > 0 {
			extreme(t, "max", s, kern.MaxMiddle[T])
			extreme(t, "min", s, kern.MinMiddle[T])
		}
	}
}

// reduction wants exactly what the CPU's function of a row gives.
func reduction[D dtype.Element, T dtype.Number](t *testing.T, row string, s [3]uint64, of func(row []T) D) {
	t.Helper()
	x := samples[T](int(s[0]*s[1]*s[2]), 1)
	for i := range x {
		if s[0] == 5 && i%20 < 10 { // rows of zeros and rows without
			x[i] = 0
		} else if x[i] == 0 {
			x[i] = 1
		}
	}
	want := make([]D, s[0]*s[2])
	kern.Reduce(want, x, int(s[0]), int(s[1]), int(s[2]), of)
	for _, columns := range []bool{false, true} {
		m, got := &machine{t: t}, make([]D, len(want))
		name := kernelOf[T](row, columns)
		reduce(m, name, columns, s[0], s[1], s[2], kernels.Reduction{In: put(m, x), Out: put(m, got), Total: s[1]})
		compare(t, fmt.Sprintf("%s of %v", name, s), got, want)
	}
}

func kernelOf[T dtype.Element](row string, columns bool) string {
	if columns {
		row += "_columns"
	}
	return row + suffix[T]()
}

// extreme wants the elements and their indexes; rows have equal elements and some have NaN.
func extreme[T dtype.Number](t *testing.T, row string, s [3]uint64, of func(value []T, index []int64, src []T, outer, n, inner int) error) {
	t.Helper()
	x := samples[T](int(s[0]*s[1]*s[2]), 1)
	for i := range x {
		if half := T(i) / 2; i%7 > 2 || x[i] != x[i] && half*2 == T(i) {
			x[i] = half
		}
	}
	want, index := make([]T, s[0]*s[2]), make([]int64, s[0]*s[2])
	of(want, index, x, int(s[0]), int(s[1]), int(s[2]))
	for _, columns := range []bool{false, true} {
		m, got, at := &machine{t: t}, make([]T, len(want)), make([]int64, len(want))
		name := kernelOf[T](row, columns)
		p := kernels.Reduction{In: put(m, x), Out: put(m, got), Index: put(m, at)}
		reduce(m, name, columns, s[0], s[1], s[2], p)
		compare(t, fmt.Sprintf("%s of %v", name, s), got, want)
		compare(t, fmt.Sprintf("index of %s of %v", name, s), at, index)

		clear(at)
		p.Out = 0
		reduce(m, name, columns, s[0], s[1], s[2], p)
		compare(t, fmt.Sprintf("%s of %v, index alone", name, s), at, index)
	}
}

// TestSums wants sums, means and products within an ulp or so of float64's, since they are taken in it.
func TestSums(t *testing.T) {
	for _, s := range shapes {
		x, wide := make([]float32, s[0]*s[1]*s[2]), make([]float64, s[0]*s[1]*s[2])
		for i := range x {
			x[i] = float32(math.Sin(float64(i))) + 1.0/3
			wide[i] = float64(x[i])
		}
		sum, product := make([]float64, s[0]*s[2]), make([]float32, s[0]*s[2])
		kern.Reduce(sum, wide, int(s[0]), int(s[1]), int(s[2]), kern.Sum[float64, float64]().Row)
		kern.Reduce(product, x, int(s[0]), int(s[1]), int(s[2]), func(row []float32) float32 { return float32(kern.Prod[float32, float64]().Row(row)) })
		for _, columns := range []bool{false, true} {
			m, got, mean, prod := &machine{t: t}, make([]float32, len(sum)), make([]float32, len(sum)), make([]float32, len(sum))
			in := put(m, x)
			reduce(m, kernelOf[float32]("sum", columns), columns, s[0], s[1], s[2], kernels.Reduction{In: in, Out: put(m, got)})
			reduce(m, kernelOf[float32]("mean", columns), columns, s[0], s[1], s[2], kernels.Reduction{In: in, Out: put(m, mean), Total: s[1]})
			reduce(m, kernelOf[float32]("prod", columns), columns, s[0], s[1], s[2], kernels.Reduction{In: in, Out: put(m, prod)})
			for i := range sum {
				near(t, fmt.Sprintf("sum of %v", s), float64(got[i]), sum[i], 1.2e-7)
				near(t, fmt.Sprintf("mean of %v", s), float64(mean[i]), sum[i]/float64(s[1]), 1.8e-7)
				near(t, fmt.Sprintf("product of %v", s), float64(prod[i]), float64(product[i]), 1.2e-7)
			}
		}
	}
}

// near wants a relative error of no more than tol.
func near(t *testing.T, name string, got, want, tol float64) {
	t.Helper()
	if got != want && !(got != got && want != want) && !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

// TestParts reduces a run in parts, whose accumulators a second launch joins.
func TestParts(t *testing.T) {
	const n, parts = 70001, 5
	m := &machine{t: t}
	x, space, got, at, sum := samples[int32](n, 3), make([]byte, parts*kernels.AccumulatorBytes), make([]int32, 1), make([]int64, 1), make([]int64, 1)
	in, acc := put(m, x), put(m, space)
	inParts := func(kernel string, p kernels.Reduction) {
		p.Outer, p.N, p.Inner, p.Parts, p.Part, p.Strides = 1, n, 1, parts, 16<<10, [3]int64{n, 1, 1}
		p.In, p.To = in, acc
		g, _ := kernels.RowGrid(parts, n/parts)
		launch(m, kernel, g, p)
		p.N, p.Parts, p.From, p.To = parts, 1, acc, 0
		g, _ = kernels.RowGrid(1, parts)
		launch(m, kernel, g, p)
	}
	inParts("max_i32", kernels.Reduction{Out: put(m, got), Index: put(m, at)})
	want, index := kern.MaxRow(x)
	if got[0] != want || at[0] != index {
		t.Errorf("max: got %d at %d, want %d at %d", got[0], at[0], want, index)
	}
	inParts("sum_i32", kernels.Reduction{Out: put(m, sum)})
	if want := kern.Sum[int32, int64]().Row(x); sum[0] != want {
		t.Errorf("sum: got %d, want %d", sum[0], want)
	}
}

// TestPartsFillAWave: of the 864 blocks that an A100 runs at once parts make no more, or nearly twice as many; results that are as many have none.
func TestPartsFillAWave(t *testing.T) {
	for _, c := range []struct {
		results, n uint64
		columns    bool
		parts      uint64
	}{
		{4096, 32768, true, 6}, {27648, 1e5, true, 1}, {28000, 1e5, true, 1}, {1, 1e7, false, 814}, {1, 1e8, false, 842}, {1, 4000, false, 1}, {600, 1e6, false, 2}, {864, 1e6, false, 1},
	} {
		parts, part := kernels.Parts(c.results, c.n, c.columns, 108)
		if parts != c.parts || part*parts < c.n || part*(parts-1) >= c.n {
			t.Errorf("%+v: got %d parts of %d", c, parts, part)
		}
	}
}

func TestSoftmax(t *testing.T) {
	softmax[float32](t, 3e-7)
	softmax[float64](t, 1e-15)
}

// softmax compares with the CPU's; tol is of the largest result of a run.
func softmax[T dtype.Float](t *testing.T, tol float64) {
	for _, s := range [][3]uint64{{5, 10, 1}, {9, 33, 1}, {33, 128, 1}, {3, 1000, 1}, {2, 1500, 1}, {2, 9001, 1}, {3, 7, 4}, {2, 70, 40}} {
		n := int(s[0] * s[1] * s[2])
		x, dy := make([]T, n), make([]T, n)
		for i := range x {
			x[i], dy[i] = T(5*math.Sin(float64(i*i))), T(math.Cos(float64(3*i)))
		}
		soft, log, want := make([]T, n), make([]T, n), make([]T, n)
		outer, axis, inner := int(s[0]), int(s[1]), int(s[2])
		kern.Softmax(outer, axis, inner, x, soft)
		kern.LogSoftmax(outer, axis, inner, x, log)
		for _, c := range []struct {
			row  string
			y    []T
			want func()
		}{
			{"softmax", nil, func() { copy(want, soft) }},
			{"log_softmax", nil, func() { copy(want, log) }},
			{"softmax_grad", soft, func() { kern.SoftmaxBackward(outer, axis, inner, dy, soft, want) }},
			{"log_softmax_grad", log, func() { kern.LogSoftmaxBackward(outer, axis, inner, dy, log, want) }},
		} {
			c.want()
			m, got := &machine{t: t}, make([]T, n)
			p := kernels.Softmax{Outer: s[0], N: s[1], Inner: s[2], Out: put(m, got), In: put(m, x), Dy: put(m, dy)}
			if c.y != nil {
				p.Y = put(m, c.y)
			}
			name := c.row + suffix[T]()
			g, _ := kernels.HeldGrid(s[0], s[1]*2)
			if s[2] > 1 {
				name = c.row + "_columns" + suffix[T]()
				g, _ = kernels.ColumnGrid(s[0]*s[2], 1)
			}
			launch(m, name, g, p)
			for i := range want {
				if e := math.Abs(float64(got[i] - want[i])); !(e <= tol*max(1, math.Abs(float64(want[i])))) {
					t.Errorf("%s of %v: element %d: got %v, want %v", c.row+suffix[T](), s, i, got[i], want[i])
					break
				}
			}
		}
	}
}
