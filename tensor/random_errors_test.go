package tensor

import (
	"errors"
	"math"
	"testing"

	"cresset/dtype"
)

func TestRandomRefuses(t *testing.T) {
	ints := Place{}.As(dtype.Int64)
	leaf := Ones(2).SetRequiresGrad(true)
	tests := []struct {
		name string // keys of goldens/errors_torch26_cpu.txt come first
		call func()
		kind error
		want string
	}{
		{"rand int", func() { ints.Rand(2) }, ErrDType, `"check_uniform_bounds" not implemented for 'Long'`},
		{"randn int", func() { ints.Randn(2) }, ErrDType, `"normal_kernel_cpu" not implemented for 'Long'`},
		{"randint empty", func() { RandInt(0, 0, 2) }, ErrValue, "random_ expects 'from' to be less than 'to', but got from=0 >= to=0"},
		{"randint lo>hi", func() { RandInt(5, 3, 2) }, ErrValue, "random_ expects 'from' to be less than 'to', but got from=5 >= to=3"},
		{"uniform", func() { Empty(2).UniformInPlace(2, 1) }, ErrValue, "uniform_ expects to return a [from, to) range, but found from=2 > to=1"},
		{"normal", func() { Empty(2).NormalInPlace(0, -1) }, ErrValue, "normal expects std >= 0.0, but found std -1"},
		{"bern", func() { Empty(2).BernoulliInPlace(2) }, ErrValue, "bernoulli_ expects p to be in [0, 1], but got p=2"},
		{"drop p", func() { Ones(2).Dropout(2, true) }, ErrValue, "dropout probability has to be between 0 and 1, but got 2"},
		{"F.drop", func() { Ones(2).Dropout(2, false) }, ErrValue, "dropout probability has to be between 0 and 1, but got 2"},

		{"uniform nan", func() { Empty(2).UniformInPlace(math.NaN(), 1) }, ErrValue, "from is out of bounds for float"},
		{"uniform half", func() { halfs.Empty(2).UniformInPlace(0, 1e5) }, ErrValue, "to is out of bounds for c10::Half"},
		{"uniform wide", func() { Empty(2).UniformInPlace(-3e38, 3e38) }, ErrValue, "uniform_ expects to-from <= std::numeric_limits<Float>::max(), but found to=3e+38 and from=-3e+38 which result in to-from to exceed the limit"},
		{"normal nan", func() { Empty(2).NormalInPlace(0, math.NaN()) }, ErrValue, "normal expects std >= 0.0, but found std nan"},
		{"bern nan", func() { Empty(2).BernoulliInPlace(math.NaN()) }, ErrValue, "bernoulli_ expects p to be in [0, 1], but got p=nan"},
		{"bernoulli int", func() { Bernoulli(ints.Ones(2)) }, ErrDType, `"bernoulli_tensor_cpu_p_" not implemented for 'Long'`},
		{"bernoulli range", func() { Bernoulli(Full([]int{2}, 1.5)) }, ErrValue, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"},
		{"exponential", func() { Empty(2).ExponentialInPlace(0) }, ErrValue, "exponential_ expects lambda > 0.0, but found lambda=0"},
		{"exponential int", func() { ints.Empty(2).ExponentialInPlace(1) }, ErrDType, "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you specified Long"},
		{"randint narrow", func() { Place{}.As(dtype.Int8).RandInt(0, 1000, 2) }, ErrValue, "to - 1 is out of bounds for signed char"},
		{"randperm", func() { RandPerm(-1) }, ErrValue, "n must be non-negative, got-1"},
		{"dropout int", func() { ints.Ones(2).Dropout(.5, true) }, ErrDType, "result type Float can't be cast to the desired output type Long"},
		{"leaf", func() { leaf.UniformInPlace(0, 1) }, ErrAutograd, "a leaf Variable that requires grad is being used in an in-place operation."},
		{"expanded", func() { Ones(1).Expand(3).UniformInPlace(0, 1) }, ErrValue, "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation."},
		{"two generators", func() { Empty(2).UniformInPlace(0, 1, NewGenerator(0), NewGenerator(0)) }, ErrValue, "expected at most one generator, but got 2"},
		{"size neg", func() { Rand(-1) }, ErrShape, "Trying to create tensor with negative dimension -1: [-1]"},
	}
	for _, tt := range tests {
		err := Try(tt.call)
		if err == nil || err.Error() != tt.want || !errors.Is(err, tt.kind) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}
