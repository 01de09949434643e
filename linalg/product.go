package linalg

import (
	"fmt"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// MatrixPower returns the n-th power of each square matrix: the identity for n = 0, powers of the inverse for n < 0.
func MatrixPower(a *tensor.Tensor, n int) *tensor.Tensor {
	const name = "linalg.matrix_power"
	given("linalg_matrix_power", "input", 1, a)
	if a.Dim() < 2 {
		fail(name, tensor.ErrShape, name+": The input tensor A must have at least 2 dimensions.")
	}
	if rows, cols := a.Size(-2), a.Size(-1); rows != cols {
		fail(name, tensor.ErrShape, notSquare(name, rows, cols))
	}
	if n == 0 {
		one := tensor.Like(a).Eye(a.Size(-1))
		if a.RequiresGrad() { // its gradient is zero, but there
			return a.MaskedFill(tensor.Like(a).As(dtype.Bool).Ones(), 0).Add(one)
		}
		return one.Expand(a.Shape()...).Clone()
	}
	if n < 0 {
		a, n = Inv(a), -n
	}
	var power *tensor.Tensor
	for square := a; ; square = square.MatMul(square) {
		if n&1 == 1 {
			power = times(power, square)
		}
		if n >>= 1; n == 0 {
			return power
		}
	}
}

// times returns a·b, a copy of b where a is nil.
func times(a, b *tensor.Tensor) *tensor.Tensor {
	if a == nil {
		return b.Clone()
	}
	return a.MatMul(b)
}

func notSquare(name string, m, n int) string {
	return fmt.Sprintf("%s: A must be batches of square matrices, but they are %d by %d matrices", name, m, n)
}

// MultiDot returns the product of two matrices or more, in the order that takes the fewest multiplications. The first may be a vector, a
// row, and the last a vector, a column.
func MultiDot(ts ...*tensor.Tensor) *tensor.Tensor {
	const name = "multi_dot"
	if len(ts) < 2 {
		fail(name, tensor.ErrShape, fmt.Sprintf("multi_dot(): expected at least 2 tensors but got %d", len(ts)))
	}
	for i, x := range ts {
		if x == nil {
			fail(name, tensor.ErrValue, fmt.Sprintf("expected Tensor as element %d in argument 0, but got NoneType", i))
		}
	}
	factors := asMatrices(name, ts)
	extents := []int{factors[0].Size(0)}
	for i, x := range factors {
		if n := extents[i]; i > 0 && x.Size(0) != n {
			fail(name, tensor.ErrShape, fmt.Sprintf("multi_dot(): tensors %d and %d with shapes %v and %v cannot be multiplied",
				i-1, i, factors[i-1].Shape(), x.Shape()))
		}
		extents = append(extents, x.Size(1))
	}
	return inner.Autocasting("linalg_multi_dot", func(factors []*tensor.Tensor) []*tensor.Tensor {
		return []*tensor.Tensor{productOf(factors, extents, ts)}
	}, factors...)[0]
}

// productOf returns the product of factors by extents, without the axes that vectors among ts lack.
func productOf(factors []*tensor.Tensor, extents []int, ts []*tensor.Tensor) *tensor.Tensor {
	split := cheapest(extents)
	var product func(i, j int) *tensor.Tensor
	product = func(i, j int) *tensor.Tensor {
		if i == j {
			return factors[i]
		}
		at := split[i][j]
		return product(i, at).MatMul(product(at+1, j))
	}
	last := len(ts) - 1
	out := product(0, last)
	if ts[last].Dim() == 1 {
		out = out.SqueezeAxis(-1)
	}
	if ts[0].Dim() == 1 {
		out = out.SqueezeAxis(0)
	}
	return out
}

// asMatrices returns the factors of a product, a vector as the row with which it begins or the column with which it ends.
func asMatrices(name string, ts []*tensor.Tensor) []*tensor.Tensor {
	factors := slices.Clone(ts)
	for i, x := range ts {
		which := fmt.Sprintf("tensor %d must be 2D", i)
		switch i {
		case 0:
			which = "the first tensor must be 1D or 2D"
		case len(ts) - 1:
			which = "the last tensor must be 1D or 2D"
		}
		switch rank := x.Dim(); {
		case rank == 1 && i == 0:
			factors[i] = x.Unsqueeze(0)
		case rank == 1 && i == len(ts)-1:
			factors[i] = x.Unsqueeze(1)
		case rank != 2:
			fail(name, tensor.ErrShape, fmt.Sprintf("multi_dot(): %s but got %dD", which, rank))
		}
	}
	return factors
}

// cheapest returns for factors i to j, of which number i is [extents[i], extents[i+1]], behind which the last product is taken.
func cheapest(extents []int) [][]int {
	n := len(extents) - 1
	cost, split := make([][]float64, n), make([][]int, n)
	for i := range cost {
		cost[i], split[i] = make([]float64, n), make([]int, n)
	}
	for length := 2; length <= n; length++ {
		for i := 0; i+length <= n; i++ {
			j := i + length - 1
			for at := i; at < j; at++ {
				c := cost[i][at] + cost[at+1][j] + float64(extents[i])*float64(extents[at+1])*float64(extents[j+1])
				if at == i || c < cost[i][j] {
					cost[i][j], split[i][j] = c, at
				}
			}
		}
	}
	return split
}

// Cross returns the vector products of x and y along an axis of three elements. Other axes are broadcast.
func Cross(x, y *tensor.Tensor, axis int) *tensor.Tensor {
	const name = "linalg.cross"
	given("linalg_cross", "input", 1, x)
	given("linalg_cross", "other", 2, y)
	if x.Dim() != y.Dim() {
		fail(name, tensor.ErrShape, "linalg.cross: inputs must have the same number of dimensions.")
	}
	if m, n := x.Size(axis), y.Size(axis); m != 3 || n != 3 {
		fail(name, tensor.ErrShape, fmt.Sprintf("linalg.cross: inputs dimension %d must have length 3. Got %d and %d", axis, m, n))
	}
	turn := func(t *tensor.Tensor, by int) *tensor.Tensor { return t.Roll([]int{by}, axis) }
	return turn(x, -1).Mul(turn(y, 1)).Sub(turn(x, 1).Mul(turn(y, -1)))
}

// Vander returns the powers 0 to n-1 of each element of x, along a new last axis. It takes integers too, whose powers are int64.
func Vander(x *tensor.Tensor, n int) *tensor.Tensor {
	const name = "linalg.vander"
	given("linalg_vander", "x", 1, x)
	if n < 2 {
		fail(name, tensor.ErrValue, "N must be greater than 1.")
	}
	if x.DType() == dtype.Bool {
		fail(name, tensor.ErrDType, "linalg.vander supports floating point, complex, and integer tensors, but got Bool")
	}
	if !x.DType().IsFloat() {
		x = x.To(dtype.Int64)
	}
	if x.Dim() == 0 {
		x = x.Unsqueeze(-1)
	}
	powers := []*tensor.Tensor{tensor.OnesLike(x), x}
	for len(powers) < n {
		powers = append(powers, powers[len(powers)-1].Mul(x))
	}
	return tensor.Stack(powers, -1)
}
