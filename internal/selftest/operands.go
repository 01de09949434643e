package selftest

import (
	"math"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// special are numbers at which functions of floats have their corners.
var special = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, -2, 3, 88, -88, 104, -104, 1e-8, -1e-8, 1e-38, 1e-45, 3e38, -3e38, 65504, 70000,
	math.Pi, -math.Pi, 1e5, math.Inf(1), math.Inf(-1), math.NaN()}

// values returns n elements on the CPU, the same for the same seed: for floats, normal ones of several sizes with special ones among
// them; for integers, from -20 to 20, or from 0 where they have no sign.
func values(dt dtype.DType, n int, seed int64) *tensor.Tensor {
	g := tensor.NewGenerator(seed)
	if !dt.IsFloat() {
		low := -20
		switch dt {
		case dtype.Bool:
			return tensor.Empty(n).UniformInPlace(0, 1, g).GtScalar(0.5)
		case dtype.Uint8:
			low = 0
		}
		return tensor.On(device.CPU).As(dtype.Int64).Empty(n).RandIntInPlace(low, 21, g).To(dt)
	}
	x := tensor.Empty(n).NormalInPlace(0, 1, g).Double()
	elements := tensor.Data[float64](x)
	for i := range elements {
		switch i % 8 {
		case 5:
			elements[i] *= 30
		case 6:
			elements[i] *= 1e-3
		case 7:
			elements[i] = special[(i/8+int(seed)*5)%len(special)]
		}
	}
	return x.To(dt)
}

// normal returns normal elements of a shape, on the CPU; integers are from 0 to 9.
func normal(dt dtype.DType, seed int64, shape ...int) *tensor.Tensor {
	g := tensor.NewGenerator(seed)
	if !dt.IsFloat() {
		return tensor.Empty(shape...).UniformInPlace(0, 10, g).To(dt)
	}
	return tensor.Empty(shape...).NormalInPlace(0, 1, g).To(dt)
}
