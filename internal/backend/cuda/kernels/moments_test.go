package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
)

func TestMoments(t *testing.T) {
	moments[float32](t, 4e-7)
	moments[float64](t, 1e-13)
}

// moments compares with the CPU's; tol is relative, or absolute below 1.
func moments[T dtype.Float](t *testing.T, tol float64) {
	for _, s := range [][3]uint64{{4, 10, 1}, {2, 1500, 1}, {3, 7, 4}} {
		n, results := int(s[0]*s[1]*s[2]), int(s[0]*s[2])
		x, dy := make([]T, n), make([]T, results)
		for i := range x {
			x[i] = T(3 * math.Sin(float64(i*i)))
		}
		x[1] = 0
		for i := range dy {
			dy[i] = T(math.Cos(float64(i)))
		}
		for _, c := range []struct {
			row string
			x   float64
			of  func(row []T) T
		}{
			{"var", 1, func(row []T) T { return kern.VarRow(row, 1) }},
			{"std", 0, func(row []T) T { return kern.StdRow(row, 0) }},
			{"log_sum_exp", 0, kern.LogSumExpRow[T]},
			{"norm", 2, func(row []T) T { return kern.NormRow(row, 2) }},
			{"norm", 1, func(row []T) T { return kern.NormRow(row, 1) }},
			{"norm", 0, func(row []T) T { return kern.NormRow(row, 0) }},
			{"norm", 3, func(row []T) T { return kern.NormRow(row, 3) }},
			{"norm", math.Inf(1), func(row []T) T { return kern.NormRow(row, math.Inf(1)) }},
			{"norm", math.Inf(-1), func(row []T) T { return kern.NormRow(row, math.Inf(-1)) }},
		} {
			m, got, y := &machine{t: t}, make([]T, results), make([]T, results)
			kern.Reduce(y, x, int(s[0]), int(s[1]), int(s[2]), c.of)
			p := kernels.Runs{Outer: s[0], N: s[1], Inner: s[2], Out: put(m, got), In: put(m, x), Dy: put(m, dy), Y: put(m, y), X: c.x}
			g, _ := kernels.RowGrid(s[0]*s[2], s[1])
			launch(m, c.row+suffix[T](), g, p)
			compareNearly(t, fmt.Sprintf("%s %v of %v", c.row+suffix[T](), c.x, s), got, y, tol)

			dx, want := make([]T, n), make([]T, n)
			kern.MapRows(want, x, int(s[0]), int(s[1]), int(s[2]), func(at int, row, dx []T) { momentGrad(c.row, c.x, dy[at], y[at], row, dx) })
			p.Out = put(m, dx)
			launch(m, c.row+"_grad"+suffix[T](), g, p)
			compareNearly(t, fmt.Sprintf("%s_grad %v of %v", c.row+suffix[T](), c.x, s), dx, want, tol)
		}
		shares(t, s, x, dy)
	}
}

func momentGrad[T dtype.Float](row string, p float64, dy, y T, x, dx []T) {
	switch row {
	case "var":
		kern.VarGrad(dy, x, dx, p)
	case "std":
		kern.StdGrad(dy, y, x, dx, p)
	case "norm":
		kern.NormGrad(dy, y, x, dx, p)
	default:
		kern.LogSumExpGrad(dy, y, x, dx)
	}
}

func shares[T dtype.Float](t *testing.T, s [3]uint64, x, dy []T) {
	t.Helper()
	outer, n, inner := int(s[0]), int(s[1]), int(s[2])
	x[2*inner] = 3 // twice the largest
	x[3*inner] = 3
	largest := make([]T, len(dy))
	kern.MaxMiddle(largest, nil, x, outer, n, inner)
	m, got, want := &machine{t: t}, make([]T, len(x)), make([]T, len(x))
	p := kernels.Runs{Outer: s[0], N: s[1], Inner: s[2], Out: put(m, got), In: put(m, x), Dy: put(m, dy), Y: put(m, largest)}
	g, _ := kernels.RowGrid(s[0]*s[2], s[1])
	kern.MapRows(want, x, outer, n, inner, func(at int, row, dx []T) { kern.ShareGrad(dy[at], largest[at], row, dx) })
	launch(m, "share_grad"+suffix[T](), g, p)
	compare(t, "share_grad", got, want)
}

func compareNearly[T dtype.Float](t *testing.T, name string, got, want []T, tol float64) {
	t.Helper()
	for i, v := range want {
		if e := math.Abs(float64(got[i] - v)); !(e <= tol*max(1, math.Abs(float64(v)))) && !same(got[i], v) {
			t.Errorf("%s: element %d: got %v, want %v", name, i, got[i], v)
			return
		}
	}
}

func TestPick(t *testing.T) {
	m := &machine{t: t}
	index, dy, dx := []int64{2, 0, 1, 1}, []float32{5, 6, 7, 8}, make([]float32, 12)
	p := kernels.Runs{Outer: 2, N: 3, Inner: 2, Out: put(m, dx), Dy: put(m, dy), Index: put(m, index)}
	launch(m, "pick_b32", kernels.Flat(12, few), p)
	compare(t, "pick", dx, []float32{0, 6, 0, 0, 5, 0, 0, 0, 7, 8, 0, 0})

	hot := make([]int64, 12)
	p = kernels.Runs{Outer: 4, N: 3, Inner: 1, Out: put(m, hot), Index: p.Index}
	launch(m, "pick_b64", kernels.Flat(12, few), p)
	compare(t, "one hot", hot, []int64{0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0})
}

func TestRavel(t *testing.T) {
	m := &machine{t: t}
	at, index, fault := []int64{1, 2, 3, 4}, []int64{0, -1, 4, 5}, make([]kernels.Fault, 1)
	to := put(m, at)
	launch(m, "ravel_i64", kernels.Flat(4, few), kernels.Elementwise{N: 4, Out: to, In: [3]uint64{to, put(m, index)}, Scalars: [2]uint64{5},
		Report: kernels.Report{Word: put(m, fault), Tag: 8}})
	compare(t, "ravel", at, []int64{5, 14, 19, 4})
	if want := (kernels.Fault{Code: kernels.IndexFault, Tag: 8, Index: 5, Extent: 5, At: 3}); fault[0] != want {
		t.Errorf("got %+v, want %+v", fault[0], want)
	}
}
