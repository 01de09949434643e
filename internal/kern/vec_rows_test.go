package kern

import (
	"math"
	"slices"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// rowLoop is a function of a row, which may write to dst and returns numbers that follow there.
func rowLoop[T dtype.Number](name string, f func(dst, a, b, c []T) []float64) vectorLoop[T] {
	return vectorLoop[T]{name, func(dst, a, b, c []T) {
		n := len(dst)
		if n == 0 {
			return
		}
		for i, v := range f(dst, a[:n], b[:n], c[:n]) {
			dst[2*i%n] = T(v)
			dst[(2*i+1)%n] = T(v - float64(T(v)))
		}
	}}
}

// rowLoops has a row for each function of rows that vector loops help.
func rowLoops[T dtype.Float]() []vectorLoop[T] {
	loops := []vectorLoop[T]{
		rowLoop("sum64", func(_, a, _, _ []T) []float64 { return []float64{sum64(a)} }),
		rowLoop("dot64", func(_, a, b, _ []T) []float64 { return []float64{dot64(a, b)} }),
		rowLoop("deviations", func(_, a, _, _ []T) []float64 {
			d := deviationsFrom(a, 1.1)
			return []float64{d.sum, d.squares}
		}),
		rowLoop("moments", func(_, a, _, _ []T) []float64 {
			m := momentsOf(a)
			return []float64{m.mean, m.variance}
		}),
		rowLoop("moments far from zero", func(dst, a, _, _ []T) []float64 {
			for i, v := range a {
				dst[i] = 1000 + v
			}
			m := momentsOf(dst)
			return []float64{m.mean, m.variance}
		}),
		placeLoop[T](),
		rowLoop("LogSumExp", func(dst, a, b, _ []T) []float64 {
			LogSumExpGrad(b[0], LogSumExpRow(a), a, dst)
			return []float64{float64(LogSumExpRow(a))}
		}),
		rowLoop("NormRow", func(_, a, _, _ []T) []float64 {
			return []float64{
				float64(NormRow(a, 1)), float64(NormRow(a, 2)), float64(NormRow(a, 3)), float64(NormRow(a, math.Inf(1))), float64(NormRow(a, math.Inf(-1))),
			}
		}),
	}
	return slices.Concat(loops, extremeLoops[T](), columnLoops[T](), besideColumn[T](), normalizingLoops[T]())
}

// integerRowLoops has a row for each function of rows of integers.
func integerRowLoops[T dtype.Integer]() []vectorLoop[T] {
	return append(extremeLoops[T](), placeLoop[T]())
}

// reduced writes what a fold makes of src.
func reduced[D, S dtype.Number, T wide](f *Fold[S, T], dst []D, src []S, outer, n, inner int) {
	_ = f.Reduce(src, outer, n, inner, func(at int, accs []T) { Finish(dst[at:], accs, n) })
}

func placeLoop[T dtype.Number]() vectorLoop[T] {
	return rowLoop("places", func(_, a, _, _ []T) []float64 {
		a = a[:min(len(a), piece)]
		value, at, none := locate(a, a[len(a)/2], 0), []int64{0}, []int64{-1}
		if vec.Rows(vec.First, len(a), []T{123}, at, a) {
			none = at
		}
		return []float64{float64(value.at), float64(none[0])}
	})
}

func extremeLoops[T dtype.Number]() []vectorLoop[T] {
	return []vectorLoop[T]{
		rowLoop("MaxRow", func(_, a, _, _ []T) []float64 {
			v, at := MaxRow(a)
			return []float64{float64(v), float64(at)}
		}),
		rowLoop("MinRow", func(_, a, _, _ []T) []float64 {
			v, at := MinRow(a)
			return []float64{float64(v), float64(at)}
		}),
	}
}

// columnLoops see the operand as rows of up to 19 columns.
func columnLoops[T dtype.Number]() []vectorLoop[T] {
	matrix := func(name string, f func(dst, a []T, rows, columns int)) vectorLoop[T] {
		return rowLoop(name, func(dst, a, _, _ []T) []float64 {
			columns := min(len(a), 19)
			rows := len(a) / columns
			f(dst[:columns], a[:rows*columns], rows, columns)
			return nil
		})
	}
	extremes := func(find func(value []T, index []int64, src []T, outer, n, inner int) error) func(dst, a []T, rows, columns int) {
		return func(dst, a []T, rows, columns int) {
			index := make([]int64, columns)
			_ = find(dst, index, a, 1, rows, columns)
			for i, at := range index {
				if !sameBits(dst[i], a[int(at)*columns+i]) {
					panic("the index is another element's")
				}
				dst[i] += T(at)
			}
		}
	}
	return []vectorLoop[T]{
		matrix("Sum", func(dst, a []T, rows, columns int) {
			if isFloat[T]() {
				reduced(Sum[T, float64](), dst, a, 1, rows, columns)
			}
		}),
		matrix("largest of columns", func(dst, a []T, rows, columns int) { _ = MaxMiddle(dst, nil, a, 1, rows, columns) }),
		matrix("MaxMiddle", extremes(MaxMiddle[T])),
		matrix("MinMiddle", extremes(MinMiddle[T])),
	}
}

// besideColumn see the operand as rows of which each meets an element of a column.
func besideColumn[T dtype.Float]() (loops []vectorLoop[T]) {
	for name, f := range map[string]ColumnLoop[T]{"AddColumn": AddColumn[T], "SubColumn": SubColumn[T], "MulColumn": MulColumn[T], "DivColumn": DivColumn[T]} {
		loops = append(loops, binaryLoop(name, func(dst, a, b []T) {
			if n := min(len(dst), 19); n > 0 {
				rows := len(dst) / n
				f(dst[:rows*n], a[:rows*n], b[:rows], 1, n)
				f(dst[:rows/2*n], a[:rows/2*n], b, 2, n)
			}
		}))
	}
	return loops
}

func normalizingLoops[T dtype.Float]() []vectorLoop[T] {
	loops := []vectorLoop[T]{
		unaryLoop("Softmax", func(dst, a []T) { _ = Softmax(1, len(dst), 1, a, dst) }),
		unaryLoop("LogSoftmax", func(dst, a []T) { _ = LogSoftmax(1, len(dst), 1, a, dst) }),
		rowLoop("CrossEntropyBackward", func(dst, a, _, _ []T) []float64 {
			var shifts [2]T
			_ = SoftmaxShifts(1, len(a), 1, a, shifts[:])
			scaledSoftmax(a, dst, []T{shifts[0], shifts[1], 0.3})
			return nil
		}),
		binaryLoop("SoftmaxBackward", func(dst, a, b []T) { _ = SoftmaxBackward(1, len(dst), 1, a, b, dst) }),
		binaryLoop("LogSoftmaxBackward", func(dst, a, b []T) { _ = LogSoftmaxBackward(1, len(dst), 1, a, b, dst) }),
	}
	for _, l := range []struct {
		name           string
		weighted, bias bool
	}{{"", false, false}, {" weight", true, false}, {" bias", false, true}, {" affine", true, true}} {
		loops = append(loops, rowLoop("LayerNorm"+l.name, func(dst, a, b, c []T) []float64 {
			if !l.weighted {
				b = nil
			}
			if !l.bias {
				c = nil
			}
			var mean, rstd [1]T
			LayerNorm(1, len(dst), a, nil, nil, b, c, 1e-5, dst, mean[:], rstd[:])
			return nil
		}))
	}
	return append(loops,
		unaryLoop("BatchNorm", func(dst, a []T) {
			BatchNorm(ChannelShape{N: 1, C: 1, L: len(dst)}, a, []T{0.7}, []T{1.3}, []T{0.9}, []T{0.1}, dst)
		}),
		rowLoop("LayerNormBackward", func(dst, a, b, _ []T) []float64 {
			layerNormBackwardRow(a, b, nil, 0.7, 1.3, true, nil, dst)
			return nil
		}),
		rowLoop("LayerNormBackward weight", func(dst, a, b, c []T) []float64 {
			layerNormBackwardRow(a, b, c, 0.7, 1.3, true, nil, dst)
			return nil
		}),
		rowLoop("LayerNormBackward onto", func(dst, a, b, c []T) []float64 {
			layerNormBackwardRow(a, b, nil, 0.7, 1.3, true, c, dst)
			return nil
		}),
		rowLoop("LayerNormBackward weight onto", func(dst, a, b, c []T) []float64 {
			layerNormBackwardRow(a, b, c, 0.7, 1.3, true, a, dst)
			return nil
		}),
		rowLoop("RMSNorm", func(dst, a, b, _ []T) []float64 {
			LayerNorm(1, len(dst), a, nil, nil, b, nil, 1e-5, dst, nil, make([]T, 1))
			return nil
		}),
		rowLoop("GroupNormBackward", func(dst, a, b, _ []T) []float64 {
			groupNormBackwardChannel(&[5]T{0.9, 0.7, 1.3, 0.2, -0.4}, a, b, dst)
			return nil
		}))
}

// isFloat reports whether T keeps fractions.
func isFloat[T dtype.Number]() bool {
	half := 0.5
	return T(half) != 0
}
