package tensor

import (
	"math"

	"cresset/dtype"
)

func randomErrors() []errorCase {
	ints := Place{}.As(dtype.Int64)
	leaf := Ones(2).SetRequiresGrad(true)
	return []errorCase{
		{text: "\"randperm\" not implemented for 'Bool'", kind: ErrKernel, do: func() { Place{}.As(dtype.Bool).RandPerm(4) }},
		{text: "value cannot be converted to type uint8_t without overflow", kind: ErrValue, do: func() { Place{}.As(dtype.Uint8).RandPerm(257) }},
		{golden: "rand int", kind: ErrDType, do: func() { ints.Rand(2) }},
		{golden: "randn int", kind: ErrDType, do: func() { ints.Randn(2) }},
		{golden: "randint empty", kind: ErrValue, do: func() { RandInt(0, 0, 2) }},
		{golden: "randint lo>hi", kind: ErrValue, do: func() { RandInt(5, 3, 2) }},
		{golden: "uniform", kind: ErrValue, do: func() { Empty(2).UniformInPlace(2, 1) }},
		{golden: "normal", kind: ErrValue, do: func() { Empty(2).NormalInPlace(0, -1) }},
		{golden: "bern", kind: ErrValue, do: func() { Empty(2).BernoulliInPlace(2) }},
		{golden: "drop p", kind: ErrValue, do: func() { Ones(2).Dropout(2) }},
		{golden: "F.drop", kind: ErrValue, do: func() { Ones(2).Dropout(2, Training(false)) }},

		{text: "from is out of bounds for float", kind: ErrValue,
			do: func() { Empty(2).UniformInPlace(math.NaN(), 1) }},
		{text: "to is out of bounds for c10::Half", kind: ErrValue,
			do: func() { halfs.Empty(2).UniformInPlace(0, 1e5) }},
		{text: "uniform_ expects to-from <= std::numeric_limits<Float>::max(), but found to=3e+38 and from=-3e+38 which result in to-from to exceed the limit", kind: ErrValue,
			do: func() { Empty(2).UniformInPlace(-3e38, 3e38) }},
		{text: "normal expects std >= 0.0, but found std nan", kind: ErrValue,
			do: func() { Empty(2).NormalInPlace(0, math.NaN()) }},
		{text: "bernoulli_ expects p to be in [0, 1], but got p=nan", kind: ErrValue,
			do: func() { Empty(2).BernoulliInPlace(math.NaN()) }},
		{text: `"bernoulli_tensor_cpu_p_" not implemented for 'Long'`, kind: ErrDType,
			do: func() { Bernoulli(ints.Ones(2)) }},
		{text: "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)", kind: ErrValue,
			do: func() { Bernoulli(Full([]int{2}, 1.5)) }},
		{text: "exponential_ expects lambda > 0.0, but found lambda=0", kind: ErrValue,
			do: func() { Empty(2).ExponentialInPlace(0) }},
		{text: "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you specified Long", kind: ErrDType,
			do: func() { ints.Empty(2).ExponentialInPlace(1) }},
		{text: "to - 1 is out of bounds for signed char", kind: ErrValue,
			do: func() { Place{}.As(dtype.Int8).RandInt(0, 1000, 2) }},
		{text: "n must be non-negative, got-1", kind: ErrValue,
			do: func() { RandPerm(-1) }},
		{text: "result type Float can't be cast to the desired output type Long", kind: ErrDType,
			do: func() { ints.Ones(2).Dropout(.5) }},
		{text: "a leaf Variable that requires grad is being used in an in-place operation.", kind: ErrAutograd,
			do: func() { leaf.UniformInPlace(0, 1) }},
		{text: "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.", kind: ErrShape,
			do: func() { Ones(1).Expand(3).UniformInPlace(0, 1) }},
		{text: "expected at most one generator, but got 2", kind: ErrValue,
			do: func() { Empty(2).UniformInPlace(0, 1, NewGenerator(0), NewGenerator(0)) }},
		{golden: "size neg", kind: ErrShape, do: func() { Rand(-1) }},
	}
}
