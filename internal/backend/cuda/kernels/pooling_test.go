package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
)

func TestPools(t *testing.T) {
	for _, s := range []kern.PoolShape{
		{Planes: 3, H: 8, W: 6, R: 2, S: 2, StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1},
		{Planes: 2, H: 6, W: 16, R: 2, S: 2, StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1}, // lines of whole vectors
		{Planes: 2, H: 7, W: 8, R: 3, S: 4, StrideH: 2, StrideW: 1, PadH: 1, PadW: 2, DilationH: 1, DilationW: 1},
		{Planes: 2, H: 11, W: 13, R: 3, S: 2, StrideH: 1, StrideW: 2, PadH: 1, PadW: 1, DilationH: 2, DilationW: 3},
		{Planes: 2, H: 1, W: 9, R: 2, S: 2, StrideH: 1, StrideW: 1, PadH: 1, PadW: 1, DilationH: 3, DilationW: 1}, // padding alone
	} {
		s.OH = (s.H+2*s.PadH-s.DilationH*(s.R-1)-1)/s.StrideH + 1
		s.OW = (s.W+2*s.PadW-s.DilationW*(s.S-1)-1)/s.StrideW + 1
		for _, narrow := range []uint32{0, 1} {
			maxPool[float32](t, s, narrow)
			maxPool[float64](t, s, narrow)
			if s.DilationH == 1 && s.DilationW == 1 {
				averages[float32](t, s, false, narrow)
				averages[float64](t, s, false, narrow)
			}
		}
	}
	for _, size := range [][2]int{{3, 2}, {7, 8}, {5, 11}} {
		averages[float32](t, kern.PoolShape{Planes: 2, H: 7, W: 8, OH: size[0], OW: size[1]}, true, 0)
		averages[float32](t, kern.PoolShape{Planes: 2, H: 7, W: 8, OH: size[0], OW: size[1]}, true, 1)
	}
}

// maxPool wants the CPU's bits, of numbers among which are equal ones, infinite ones and NaN.
func maxPool[T dtype.Float](t *testing.T, s kern.PoolShape, narrow uint32) {
	t.Helper()
	x := ripple[T](s.Planes * s.H * s.W)
	for i := range x {
		x[i] = T(math.Round(float64(4 * x[i])))
	}
	x[len(x)-1], x[len(x)-2], x[2] = T(math.NaN()), T(math.NaN()), T(math.Inf(-1))
	dy := ripple[T](s.Planes * s.OH * s.OW)
	y, dx, index := make([]T, len(dy)), make([]T, len(x)), make([]int64, len(dy))
	kern.MaxPool2D(&s, x, y, index)
	kern.MaxPool2DBackward(&s, dy, index, dx)

	m, gotY, gotDx, gotIndex := &machine{t: t}, make([]T, len(y)), make([]T, len(x)), make([]int64, len(y))
	p := poolOf(&s)
	p.Strays = 1
	p.Out, p.In, p.Index = put(m, gotY), put(m, x), put(m, gotIndex)
	p.Narrow = narrow
	launch(m, "max_pool"+suffix[T](), kernels.Flat(uint64(len(y)), few), p)
	alone := p
	gotAlone := make([]T, len(y))
	alone.Out, alone.Index = put(m, gotAlone), 0
	launch(m, "max_pool"+suffix[T](), kernels.Flat(uint64(kernels.PooledTurns(&alone)), few), alone)
	p.Out, p.In = put(m, gotDx), put(m, dy)
	launch(m, "max_pool_grad"+suffix[T](), kernels.Flat(uint64(len(x)), few), p)
	name := fmt.Sprintf("max_pool%s of %+v, narrow %d", suffix[T](), s, narrow)
	compare(t, name, gotY, y)
	compare(t, name+", alone", gotAlone, y)
	compare(t, name+", index", gotIndex, index)
	compare(t, name+", gradient", gotDx, dx)
}

// averages wants the CPU's bits.
func averages[T dtype.Float](t *testing.T, s kern.PoolShape, adaptive bool, narrow uint32) {
	t.Helper()
	x, dy := ripple[T](s.Planes*s.H*s.W), ripple[T](s.Planes*s.OH*s.OW)
	for _, padding := range []bool{false, true} {
		y, dx := make([]T, len(dy)), make([]T, len(x))
		p := poolOf(&s)
		p.Narrow = narrow
		if padding {
			p.CountPadding = 1
		}
		if adaptive {
			p.Adaptive = 1
			kern.AdaptiveAvgPool2D(&s, x, y)
			kern.AdaptiveAvgPool2DBackward(&s, dy, dx)
		} else {
			kern.AvgPool2D(&s, kern.Counts{Padding: padding}, x, y)
			kern.AvgPool2DBackward(&s, kern.Counts{Padding: padding}, dy, dx)
		}
		m, gotY, gotDx := &machine{t: t}, make([]T, len(y)), make([]T, len(x))
		p.Out, p.In = put(m, gotY), put(m, x)
		launch(m, "avg_pool"+suffix[T](), kernels.Flat(uint64(len(y)), few), p)
		p.Out, p.In = put(m, gotDx), put(m, dy)
		launch(m, "avg_pool_grad"+suffix[T](), kernels.Flat(uint64(len(x)), few), p)
		name := fmt.Sprintf("avg_pool%s of %+v, padding counts: %v", suffix[T](), s, padding)
		compare(t, name, gotY, y)
		compare(t, name+", gradient", gotDx, dx)
	}
}

func poolOf(s *kern.PoolShape) kernels.Pool {
	return kernels.Pool{
		Planes: uint64(s.Planes), InSize: [2]int64{int64(s.H), int64(s.W)}, OutSize: [2]int64{int64(s.OH), int64(s.OW)},
		Kernel: [2]int64{int64(s.R), int64(s.S)}, Stride: [2]int64{int64(s.StrideH), int64(s.StrideW)},
		Padding: [2]int64{int64(s.PadH), int64(s.PadW)}, Dilation: [2]int64{int64(s.DilationH), int64(s.DilationW)},
	}
}
