package kern

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// A matrixFunc computes y, which is as large as the matrix x of rows × n elements, and p and q, which have rows + n
// elements, from x and w, likewise a matrix, and v, which has n elements.
type matrixFunc[T dtype.Float] struct {
	name string
	run  func(rows, n int, x, w, v, y, p, q []T)
}

// matrixFuncs take many rows, or columns, at once.
func matrixFuncs[T dtype.Float]() []matrixFunc[T] {
	extremes := func(find func(value []T, index []int64, src []T, outer, n, inner int) error, columns bool) func(rows, n int, x, w, v, y, p, q []T) {
		return func(rows, n int, x, _, _, _, p, q []T) {
			outer, length, inner, results := rows, n, 1, rows
			if columns {
				outer, length, inner, results = 1, rows, n, n
			}
			if length == 0 {
				return // there is no extreme of nothing
			}
			at := make([]int64, results)
			_ = find(p[:results], at, x, outer, length, inner)
			for i, k := range at {
				q[i] = T(k)
			}
		}
	}
	funcs := []matrixFunc[T]{
		{"Softmax", func(rows, n int, x, _, _, y, _, _ []T) { _ = Softmax(rows, n, 1, x, y) }},
		{"Softmax of columns", func(rows, n int, x, _, _, y, _, _ []T) { _ = Softmax(1, rows, n, x, y) }},
		{"LogSoftmax", func(rows, n int, x, _, _, y, _, _ []T) { _ = LogSoftmax(rows, n, 1, x, y) }},
		{"LogSoftmax of columns", func(rows, n int, x, _, _, y, _, _ []T) { _ = LogSoftmax(1, rows, n, x, y) }},
		{"SoftmaxBackward", func(rows, n int, x, w, _, y, _, _ []T) { _ = SoftmaxBackward(rows, n, 1, x, w, y) }},
		{"LogSoftmaxBackward", func(rows, n int, x, w, _, y, _, _ []T) { _ = LogSoftmaxBackward(rows, n, 1, x, w, y) }},
		{"sums of rows", func(rows, n int, x, _, _, _, p, _ []T) { reduced(Sum[T, float64](), p[:rows], x, rows, n, 1) }},
		{"sums of columns", func(rows, n int, x, _, _, _, p, _ []T) { reduced(Sum[T, float64](), p[:n], x, 1, rows, n) }},
		{"largest of rows", extremes(MaxMiddle[T], false)},
		{"largest of columns", extremes(MaxMiddle[T], true)},
		{"smallest of rows", extremes(MinMiddle[T], false)},
		{"smallest of columns", extremes(MinMiddle[T], true)},
		{"BatchNormMoments", func(rows, n int, x, _, _, _, p, q []T) {
			BatchNormMoments(ChannelShape{N: 1, C: rows, L: n}, x, 1e-5, p[:rows], q[:rows], nil)
		}},
		{"BatchNorm", func(rows, n int, x, w, _, y, _, _ []T) {
			if n > 3 {
				BatchNorm(ChannelShape{N: 1, C: rows, L: n}, x, w[:rows], w[rows:][:rows], w[2*rows:][:rows], w[3*rows:][:rows], y)
			}
		}},
		{"BatchNormBackward", func(rows, n int, x, w, v, y, p, q []T) {
			if n > 2 {
				BatchNormBackward(ChannelShape{N: 1, C: rows, L: n}, true, x, w, w[:rows], w[rows:][:rows], w[2*rows:][:rows], y, p[:rows], q[:rows])
			}
		}},
	}
	for _, affine := range []bool{false, true} {
		funcs = append(funcs, matrixFunc[T]{fmt.Sprint("LayerNorm affine ", affine), func(rows, n int, x, w, v, y, p, q []T) {
			weight, bias := v, w[:n]
			if !affine {
				weight, bias = nil, nil
			}
			LayerNorm(rows, n, x, nil, nil, weight, bias, 1e-5, y, p[:rows], q[:rows])
		}}, matrixFunc[T]{fmt.Sprint("LayerNormBackward affine ", affine), func(rows, n int, x, w, v, y, p, q []T) {
			weight, dweight, dbias := v, p[:n], q[:n]
			if !affine {
				weight, dweight, dbias = nil, nil, nil
			}
			mean, rstd := slices.Repeat([]T{0.25}, rows), slices.Repeat([]T{1.5}, rows)
			LayerNormBackward(rows, n, x, w, weight, mean, rstd, nil, y, dweight, dbias)
		}}, matrixFunc[T]{fmt.Sprint("RMSNorm affine ", affine), func(rows, n int, x, w, v, y, p, _ []T) {
			weight := v
			if !affine {
				weight = nil
			}
			LayerNorm(rows, n, x, nil, nil, weight, nil, 1e-5, y, nil, p[:rows])
		}}, matrixFunc[T]{fmt.Sprint("LayerNorm of a sum, affine ", affine), func(rows, n int, x, w, v, y, p, q []T) {
			weight := v
			if !affine {
				weight = nil
			}
			LayerNorm(rows, n, x, w, y, weight, nil, 1e-5, slices.Clone(y), p[:rows], q[:rows])
		}}, matrixFunc[T]{fmt.Sprint("GroupNormBackward affine ", affine), func(rows, n int, x, w, v, y, p, q []T) {
			weight := p[:1]
			if !affine {
				weight = nil
			}
			GroupNormBackward(ChannelShape{N: rows, C: 1, L: n}, 1, x, w, weight, slices.Repeat([]T{0.25}, rows), slices.Repeat([]T{1.5}, rows), y, q[:1], q[1:2], make([]float64, 2*rows))
		}})
	}
	return funcs
}

// checkMatrices compares the functions with themselves in Go, over rows of all lengths up to 200 beside guarded pages.
func checkMatrices[T dtype.Float](t *testing.T) {
	const rows = 5
	rng := rand.New(rand.NewPCG(41, 42))
	funcs := matrixFuncs[T]()
	for n := range 201 {
		draw := values[T]
		if n%2 == 0 {
			draw = finite[T] // special values hide others in a row
		}
		x, w, v := draw(rng, rows*n), draw(rng, rows*n), draw(rng, n)
		want := make([][3][]T, len(funcs))
		withoutAsm(func() {
			for i, f := range funcs {
				want[i] = [3][]T{make([]T, rows*n), make([]T, rows+n), make([]T, rows+n)}
				f.run(rows, n, x, w, v, want[i][0], want[i][1], want[i][2])
			}
		})
		eachLevel(t, func(t *testing.T) {
			for _, atEnd := range []bool{false, true} {
				x, w, v := guarded.Copy(t, x, atEnd), guarded.Copy(t, w, atEnd), guarded.Copy(t, v, atEnd)
				got := [3][]T{guarded.Slice[T](t, rows*n, atEnd), guarded.Slice[T](t, rows+n, atEnd), guarded.Slice[T](t, rows+n, atEnd)}
				for i, f := range funcs {
					for _, y := range got {
						clear(y)
					}
					f.run(rows, n, x, w, v, got[0], got[1], got[2])
					for k, y := range got {
						for j := range y {
							if !sameBits(y[j], want[i][k][j]) {
								t.Fatalf("%s of %d × %d, result %d, element %d: got %v, want %v", f.name, rows, n, k, j, y[j], want[i][k][j])
							}
						}
					}
				}
			}
		})
	}
}

func TestMatrices(t *testing.T) {
	t.Run("float32", checkMatrices[float32])
	t.Run("float64", checkMatrices[float64])
}
