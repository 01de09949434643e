package tensor

import (
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// BinCountOption is an option of BinCount: CountWeights or MinLength.
type BinCountOption interface{ binCountOption() }

// CountWeights makes BinCount add the weight of each element, a vector of its length, instead of one.
func CountWeights(w *Tensor) BinCountOption { return countWeights{w} }

type countWeights struct{ tensor *Tensor }

// MinLength is the least length of BinCount's result, 0 unless given.
type MinLength int

func (countWeights) binCountOption() {}
func (MinLength) binCountOption()    {}

// BinCount returns how often each number from 0 to the largest occurs in x, a vector of integers that are not negative, as int64;
// with CountWeights the sums of their weights, as float32 where these are that and else as float64. It waits for the device,
// because the shape depends on the data. It records no gradient.
func (x *Tensor) BinCount(opts ...BinCountOption) *Tensor {
	const name = "bincount"
	refuseNil(name, "input", 1, x)
	if x.dtype.IsFloat() || x.dtype == dtype.Bool {
		fail(name, ErrKernel, noKernel("bincount_cpu", x.dtype, x), x)
	}
	var weights *Tensor
	length := 0
	for _, opt := range opts {
		switch o := opt.(type) {
		case countWeights:
			weights = o.tensor
		case MinLength:
			length = int(o)
		}
	}
	if length < 0 {
		fail(name, ErrValue, "minlength should be >= 0", x)
	}
	n := x.layout.Size()
	if n > 0 {
		least, most := x.Detach().AMinMax(nil)
		if x.layout.Rank() != 1 || hostSlice[int64](least)[0] < 0 {
			fail(name, ErrValue, "bincount only supports 1-d non-negative integral inputs.", x)
		}
		length = max(length, int(hostSlice[int64](most)[0])+1)
	}
	if weights != nil && (weights.layout.Rank() != 1 || weights.layout.Size() != n) {
		fail(name, ErrShape, "weights should be 1-d and have the same length as input", x, weights)
	}
	if n == 0 {
		return x.zerosAs(dtype.Int64, Shape{length}) // as PyTorch, whatever the weights are
	}
	return x.Detach().counted(length, weights)
}

// counted adds the weights, or ones, of the elements of x, a vector, to as many bins.
func (x *Tensor) counted(bins int, weights *Tensor) *Tensor {
	dt := dtype.Int64
	if weights != nil {
		x.sameIndexDevice("bincount", "wrapper_CUDA_bincount", "weights", weights)
		if dt = dtype.Float64; weights.dtype == dtype.Float32 {
			dt = weights.dtype
		}
		weights = weights.Detach().cast(dt)
	} else {
		weights = x.like(op.Fill, dt).fill(backend.Scalar{I: 1, Kind: backend.IntScalar})
	}
	out := x.zerosAs(dt, Shape{bins})
	if x.layout.Size() > 0 {
		launch(op.IndexAdd, dt, op.Axis{}, []*Tensor{out}, []*Tensor{x.cast(dtype.Int64), weights})
	}
	return out
}

// Histc returns how many elements of x lie in each of some bins of equal width between low and high, which belongs to the last;
// those outside do not count. Where low and high are equal they are the least and the largest element. It waits for the device and
// records no gradient. It panics for integers.
func (x *Tensor) Histc(bins int, low, high float64) *Tensor {
	const name = "histc"
	refuseNil(name, "input", 1, x)
	kernel := "histogram_cpu"
	if x.dtype == dtype.Bool && !x.IsCUDA() {
		kernel = "linspace_cpu"
	}
	refuseIntegers(name, kernel, x)
	if bins <= 0 {
		fail(name, ErrValue, fmt.Sprintf("torch.histogram(): bins must be > 0, but got %d for dimension 0", bins), x)
	}
	x = x.Detach().Reshape(-1)
	if low == high && x.layout.Size() > 0 {
		least, most := x.AMinMax(nil)
		low, high = hostSlice[float64](least)[0], hostSlice[float64](most)[0]
	}
	if low == high {
		low, high = low-1, high+1
	}
	if math.IsInf(low, 0) || math.IsInf(high, 0) || math.IsNaN(low) || math.IsNaN(high) {
		fail(name, ErrValue, fmt.Sprintf("torch.histc: range of [%v, %v] is not finite", low, high), x)
	}
	if low > high {
		fail(name, ErrValue, "torch.histc: max must be larger than min", x)
	}
	inside := x.MaskedSelect(x.GeScalar(low).LogicalAnd(x.LeScalar(high)))
	at := inside.SubScalar(low).MulScalar(bins).DivScalar(high-low).cast(dtype.Int64).Clamp(nil, bins-1)
	return at.counted(bins, nil).cast(x.dtype)
}
