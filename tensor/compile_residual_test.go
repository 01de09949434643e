package tensor_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// TestCompiledNormsAddResiduals wants one launch for a sum and its norm, of an operand that a product may have made as a half, with the bits of the ops one
// by one; where something else reads the sum before the norm it is computed there.
func TestCompiledNormsAddResiduals(t *testing.T) {
	launches := countingLaunches(t, "a100")
	on := tensor.On(device.CUDA(0))
	for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16, dtype.Float16} {
		for _, width := range []int{24, 33, 2100} {
			x, y, weight, bias := on.Randn(5, width), on.Randn(5, width).To(dt), on.Randn(width), on.Randn(width)
			layer := func(sum *tensor.Tensor) *tensor.Tensor { return sum.LayerNorm([]int{width}, weight, bias, 1e-5) }
			rms := func(sum *tensor.Tensor) *tensor.Tensor { return sum.RMSNorm([]int{width}, weight, 1e-5) }
			for _, c := range []struct {
				name string
				f    func(in ...*tensor.Tensor) []*tensor.Tensor
				want int
			}{
				{"layer norm", func(in ...*tensor.Tensor) []*tensor.Tensor {
					sum := in[0].Add(in[1].Float())
					return []*tensor.Tensor{sum, layer(sum)}
				}, 1},
				{"RMS norm, the half first", func(in ...*tensor.Tensor) []*tensor.Tensor {
					sum := in[1].Float().Add(in[0])
					return []*tensor.Tensor{sum, rms(sum)}
				}, 1},
				{"a sum that nobody keeps", func(in ...*tensor.Tensor) []*tensor.Tensor {
					return []*tensor.Tensor{layer(in[0].Add(in[1].Float()))}
				}, 1},
				{"what an op has made", func(in ...*tensor.Tensor) []*tensor.Tensor {
					return []*tensor.Tensor{layer(in[0].Add(in[1].Tanh().Float()))}
				}, 2},
				{"a sum that is read before", func(in ...*tensor.Tensor) []*tensor.Tensor {
					sum := in[0].Add(in[1].Float())
					return []*tensor.Tensor{sum.Sigmoid(), layer(sum)}
				}, 2},
				{"an operand that is changed before", func(in ...*tensor.Tensor) []*tensor.Tensor {
					z := in[1].Clone()
					sum := in[0].Add(z.Float())
					z.MulInPlace(in[1])
					return []*tensor.Tensor{layer(sum), z}
				}, 2},
			} {
				compareCompiled(t, c.name+" of "+dt.String(), c.f, x, y)
				compiled := tensor.Compile(c.f)
				compiled(x, y)
				*launches = 0
				compiled(x, y)
				if *launches != c.want {
					t.Errorf("%s of %d and %s: %d launches, want %d", c.name, width, dt, *launches, c.want)
				}
			}
		}
	}
}
