package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
)

func TestScans(t *testing.T) {
	for _, s := range [][3]uint64{{1, 1, 1}, {5, 10, 1}, {9, 33, 1}, {2, 1500, 1}, {2, 5001, 1}, {3, 7, 40}, {1, 2300, 5}, {2, 70, 33}} {
		integerScans[int64](t, s)
		integerScans[int32](t, s)
		integerScans[uint8](t, s)
		floatScans[float32](t, s, 4e-7)
		floatScans[float64](t, s, 1e-12)
		extremeScans[float32](t, s)
		extremeScans[float64](t, s)
		extremeScans[int64](t, s)
		extremeScans[int32](t, s)
		extremeScans[uint8](t, s)
	}
}

// inEachForm launches kernels, one after the other, in each form that they have for a shape, in one part and, where runs are long, in
// three, and then calls check.
func inEachForm(t *testing.T, names []string, suffix string, s [3]uint64, operands func(m *machine) kernels.Scan, check func(form string)) {
	t.Helper()
	for _, rows := range []bool{false, true} {
		for _, parts := range []uint64{1, 3} {
			if rows && s[2] > 1 || parts > 1 && s[1] < 1000 {
				continue
			}
			m := &machine{t: t}
			p := operands(m)
			p.Outer, p.N, p.Inner, p.Parts, p.Part = s[0], s[1], s[2], parts, s[1]
			form := "_columns"
			g, _, _ := kernels.ScanGrid(s[0]*s[2], s[1], 1)
			g.Blocks[1] = uint32(parts)
			if rows {
				form = "_rows"
				g, _ = kernels.RowGrid(s[0]*parts, s[1])
			}
			for i, name := range names {
				if i > 0 { // the gradient of products takes up what was written
					p.Dy, p.Out = p.Out, p.Index
				}
				if parts > 1 {
					p.Part = s[1] / 512 * 256
					p.From, p.To = 0, put(m, make([]byte, int(s[0]*s[2]*parts)*kernels.AccumulatorBytes))
					launch(m, name+form+suffix, g, p)
					p.From, p.To = p.To, 0
				}
				launch(m, name+form+suffix, g, p)
			}
			check(fmt.Sprintf("%s%s%s of %v in %d parts", names[0], form, suffix, s, parts))
		}
	}
}

// integerScans wants exactly what the CPU computes.
func integerScans[T int64 | int32 | uint8](t *testing.T, s [3]uint64) {
	t.Helper()
	x := samples[T](int(s[0]*s[1]*s[2]), 1)
	for name, of := range map[string]func(x []T, y []int64){"cumsum": kern.CumSum[int64, T, int64], "cumprod": kern.CumProd[int64, T, int64]} {
		got, want := make([]int64, len(x)), make([]int64, len(x))
		_ = kern.MapRows(want, x, int(s[0]), int(s[1]), int(s[2]), func(_ int, row []T, y []int64) { of(row, y) })
		inEachForm(t, []string{name}, suffix[T](), s, func(m *machine) kernels.Scan {
			return kernels.Scan{In: put(m, x), Out: put(m, got)}
		}, func(form string) { compare(t, form, got, want) })
	}
}

// floatScans compares with what the CPU computes; tol is relative, or absolute below 1.
func floatScans[T dtype.Float](t *testing.T, s [3]uint64, tol float64) {
	t.Helper()
	x, dy := make([]T, s[0]*s[1]*s[2]), make([]T, s[0]*s[2])
	for i := range x {
		x[i] = T(1 + math.Sin(float64(i*i))/64)
	}
	for i := range dy {
		dy[i] = T(math.Cos(float64(i)))
	}
	for name, of := range map[string]func(at int, x, y []T){
		"cumsum":       func(_ int, x, y []T) { kern.CumSum[T, T, float64](x, y) },
		"cumprod":      func(_ int, x, y []T) { kern.CumProd[T, T, float64](x, y) },
		"cumsum_grad":  func(_ int, x, y []T) { kern.CumSumGrad(x, y) },
		"logcumsumexp": func(_ int, x, y []T) { kern.LogCumSumExp(x, y) },
		"prod_before":  func(at int, x, y []T) { kern.ProdGrad(dy[at], x, y) },
	} {
		names := []string{name}
		if name == "prod_before" {
			names = append(names, "prod_behind")
		}
		got, want := make([]T, len(x)), make([]T, len(x))
		kern.MapRows(want, x, int(s[0]), int(s[1]), int(s[2]), of)
		inEachForm(t, names, suffix[T](), s, func(m *machine) kernels.Scan {
			p := kernels.Scan{In: put(m, x), Out: put(m, got), Dy: put(m, dy)}
			if len(names) > 1 {
				p.Out, p.Index = put(m, make([]T, len(x))), p.Out
			}
			return p
		}, func(form string) { compareNearly(t, form, got, want, tol) })
	}
}

// extremeScans wants the CPU's elements and places, among equal ones and NaN.
func extremeScans[T dtype.Number](t *testing.T, s [3]uint64) {
	t.Helper()
	x := make([]T, s[0]*s[1]*s[2])
	for i := range x {
		x[i] = T(20 + 20*math.Sin(float64(i*i)))
	}
	if nan := math.NaN(); dtype.Of[T]().IsFloat() {
		x[len(x)/2], x[len(x)-1] = T(nan), T(nan)
	}
	n := int(s[1] * s[2])
	for name, of := range map[string]func(y []T, at []int64, x []T, inner, lo, hi int){"cummax": kern.CumMax[T], "cummin": kern.CumMin[T]} {
		got, want, at, index := make([]T, len(x)), make([]T, len(x)), make([]int64, len(x)), make([]int64, len(x))
		for o := 0; o < len(x); o += n {
			of(want[o:o+n], index[o:o+n], x[o:o+n], int(s[2]), 0, int(s[2]))
		}
		inEachForm(t, []string{name}, suffix[T](), s, func(m *machine) kernels.Scan {
			return kernels.Scan{In: put(m, x), Out: put(m, got), Index: put(m, at)}
		}, func(form string) {
			compare(t, form, got, want)
			compare(t, form+", places", at, index)
		})
	}
}

// TestLogarithmsOfRunningSums passes over what is infinite, not a number, or far from the others.
func TestLogarithmsOfRunningSums(t *testing.T) {
	inf, x := math.Inf(1), make([]float64, 2000)
	for i := range x {
		x[i] = -900 * math.Cos(float64(i*i))
	}
	copy(x, []float64{-inf, -inf, -1000, 0, -inf, 700, 1000})
	x[1500], x[1501], x[1503], x[1900] = inf, inf, -inf, math.NaN()
	got, want := make([]float64, len(x)), make([]float64, len(x))
	kern.LogCumSumExp(x, want)
	inEachForm(t, []string{"logcumsumexp"}, "_f64", [3]uint64{1, 2000, 1}, func(m *machine) kernels.Scan {
		return kernels.Scan{In: put(m, x), Out: put(m, got)}
	}, func(form string) { compareNearly(t, form, got, want, 1e-13) })
}

// TestGradientsOfProductsOfAllSizes passes over products that two float32 do not hold, zeros and what is not finite.
func TestGradientsOfProductsOfAllSizes(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for name, c := range map[string]struct {
		dy     float32
		change map[int]float32
	}{
		"a zero": {2, map[int]float32{7: 0}}, "two zeros": {2, map[int]float32{7: 0, 30: 0}}, "infinite": {2, map[int]float32{9: inf}}, "no number": {2, map[int]float32{9: nan}},
		"too small between": {2, map[int]float32{3: 1e-30, 4: 1e-30, 20: 1e30, 21: 1e30}}, "too large between": {2, map[int]float32{3: 1e30, 4: 1e-25, 20: 1e30, 21: 1e-30}},
		"too large": {2, map[int]float32{3: 1e30, 4: 1e30}}, "an infinite dy": {inf, nil}, "a large dy": {3e38, map[int]float32{3: 4}},
	} {
		x, got, want := make([]float32, 40), make([]float32, 40), make([]float32, 40)
		for i := range x {
			x[i] = float32(1 + math.Sin(float64(i*i))/64)
		}
		for i, v := range c.change {
			x[i] = v
		}
		kern.ProdGrad(c.dy, x, want)
		inEachForm(t, []string{"prod_before", "prod_behind"}, "_f32", [3]uint64{1, 40, 1}, func(m *machine) kernels.Scan {
			return kernels.Scan{In: put(m, x), Out: put(m, make([]float32, 40)), Dy: put(m, []float32{c.dy}), Index: put(m, got)}
		}, func(form string) { compareNearly(t, name+": "+form, got, want, 0x1p-23) })
	}
}
