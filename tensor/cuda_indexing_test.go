package tensor_test

import (
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/tensor"
)

// TestManyIndexesMeet joins thousands of elements in few places, as the CPU does: with its bits, and in its order.
func TestManyIndexesMeet(t *testing.T) {
	_, dev := gpus(t)
	r := rand.New(rand.NewPCG(1, 2))
	const count, places, width = 3001, 37, 5
	index, wide := make([]int64, count), make([]float32, count*width)
	for i := range index {
		index[i] = int64(r.IntN(places))
		if i%3 == 0 {
			index[i] = 7
		}
	}
	for i := range wide {
		wide[i] = float32(r.NormFloat64())
	}
	for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Int64} {
		at, rows := tensor.FromSlice(index), tensor.FromSlice(wide).MulScalar(8).To(dt).Reshape(count, width)
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
