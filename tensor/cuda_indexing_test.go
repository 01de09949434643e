package tensor_test

import (
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestManyIndexesMeet joins thousands of elements in few places, with the CPU's bits: any numbers where some tens meet, in the CPU's order, and where a thousand do, whose
// chunks are joined apart, numbers whose sums are exact in any order.
func TestManyIndexesMeet(t *testing.T) {
	devicetest.JudgesValues(t)
	t.Run("some tens", func(t *testing.T) {
		meet(t, func(i, place int) int { return place }, func(x *tensor.Tensor) *tensor.Tensor { return x.MulScalar(8) })
	})
	t.Run("a thousand", func(t *testing.T) {
		crowd := func(i, place int) int {
			if i%3 == 0 {
				return 7
			}
			return place
		}
		meet(t, crowd, (*tensor.Tensor).Sign)
	})
}

// meet compares ops that join on a GPU with those of the CPU, at places that the function chooses and of numbers that the other one makes of random ones.
func meet(t *testing.T, placed func(i, place int) int, numbers func(x *tensor.Tensor) *tensor.Tensor) {
	_, dev := gpus(t)
	r := rand.New(rand.NewPCG(1, 2))
	const count, places, width = 3001, 97, 5
	index, wide := make([]int64, count), make([]float32, count*width)
	for i := range index {
		index[i] = int64(placed(i, r.IntN(places)))
	}
	for i := range wide {
		wide[i] = float32(r.NormFloat64())
	}
	for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Int64} {
		at, rows := tensor.FromSlice(index), numbers(tensor.FromSlice(wide)).To(dt).Reshape(count, width)
		line, few, flat := rows.Select(1, 2).Contiguous(), tensor.Ones(places, width).To(dt), tensor.Ones(places).To(dt)
		for name, f := range map[string]func(on func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor{
			"index_add": func(on func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
				return on(few).IndexAdd(0, on(at), on(rows))
			},
			"index_add of columns": func(on func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
				return on(few).T().Contiguous().IndexAdd(1, on(at), on(rows).T())
			},
			"index_copy": func(on func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
				return on(few).IndexCopy(0, on(at), on(rows))
			},
			"scatter_add": func(on func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
				return on(flat).ScatterAdd(0, on(at), on(line))
			},
			"scatter": func(on func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
				return on(flat).Scatter(0, on(at), on(line))
			},
			"index_put": func(on func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
				return on(flat).IndexPut([]*tensor.Tensor{on(at)}, on(line), tensor.Accumulate(true))
			},
		} {
			got := f(func(x *tensor.Tensor) *tensor.Tensor { return x.To(dev) })
			want := f(func(x *tensor.Tensor) *tensor.Tensor { return x })
			if !sameBits(arrayOf(got), arrayOf(want)) {
				t.Errorf("%s of %v: got %v, want %v", name, dt, got, want)
			}
		}
	}
}
