package selftest

import (
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// epsilons are the distances from 1 to the next number of a dtype; integers have none.
var epsilons = map[dtype.DType]float64{dtype.Float64: 0x1p-52, dtype.Float32: 0x1p-23, dtype.Float16: 0x1p-10, dtype.BFloat16: 0x1p-7}

// compare fails where what a GPU computed is not what the CPU computed: by more than so many roundings of the largest number, or at
// all where roundings is 0. NaN equals NaN.
func compare(got, want *tensor.Tensor, roundings float64) error {
	if got.DType() != want.DType() || !got.Shape().Equal(want.Shape()) {
		return fmt.Errorf("got %s%v, want %s%v", got.DType().Name(), got.Shape(), want.DType().Name(), want.Shape())
	}
	g, w := numbers(got), numbers(want)
	bound := roundings * epsilons[want.DType()] * largest(w)
	for i := range w {
		if !alike(g[i], w[i], bound) {
			return fmt.Errorf("element %d of %v: got %v, want %v within %.3g", i, want.Shape(), g[i], w[i], bound)
		}
	}
	return nil
}

// numbers returns the elements, exactly but for integers beyond 2**53.
func numbers(x *tensor.Tensor) []float64 { return tensor.Values[float64](x.CPU().Double()) }

// largest returns the largest finite magnitude.
func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		if v = math.Abs(v); v > most && !math.IsInf(v, 0) {
			most = v
		}
	}
	return most
}

// alike reports whether two numbers are the same, 0 and -0 apart, or at most bound apart.
func alike(got, want, bound float64) bool {
	switch {
	case math.IsNaN(want):
		return math.IsNaN(got)
	case got == want:
		return bound > 0 || math.Signbit(got) == math.Signbit(want)
	}
	return math.Abs(got-want) <= bound
}
