package linalg

import "cresset/tensor"

// MatrixExp returns Σ aᵏ/k! of each square matrix.
//
// A matrix is divided by a power of two until its 1-norm is so small that the terms up to a¹⁶ are enough, and the sum is squared as often.
func MatrixExp(a *tensor.Tensor) *tensor.Tensor {
	const name = "linalg.matrix_exp"
	given("linalg_matrix_exp", "input", 1, a)
	if a.Dim() < 2 {
		fail(name, tensor.ErrShape, name+": The input tensor A must have at least 2 dimensions.")
	}
	if m, n := a.Size(-2), a.Size(-1); m != n {
		fail(name, tensor.ErrShape, notSquare(name, m, n))
	}
	if !a.DType().IsFloat() {
		fail(name, tensor.ErrDType, name+": Expected a floating point or complex tensor as input. Got "+a.DType().ScalarName())
	}
	if a.NumEl() == 0 {
		return a.Clone()
	}
	return inner.Autocasting("linalg_matrix_exp", func(t []*tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{exponential(t[0])} }, a)[0]
}

// exponential is MatrixExp of matrices that have elements.
func exponential(a *tensor.Tensor) *tensor.Tensor {
	const small = 0.78
	norms := MatrixNorm(a.Detach(), P(1), nil, true)
	squarings := norms.DivScalar(small).Log2().Ceil().NaNToNum(tensor.PosInf(0)).Clamp(0, nil)
	sum := shortExp(a.Mul(squarings.Neg().Exp2()))
	for done := range int(squarings.Max().Float64()) {
		sum = tensor.Where(squarings.GtScalar(done), sum.MatMul(sum), sum)
	}
	return sum
}

// shortExp returns the terms of e**a up to a¹⁶, in six products: a polynomial in a⁴ whose coefficients are polynomials of degree 3.
func shortExp(a *tensor.Tensor) *tensor.Tensor {
	one := tensor.Like(a).Eye(a.Size(-1))
	a2 := a.MatMul(a)
	a3, a4 := a2.MatMul(a), a2.MatMul(a2)
	factor := 1.0 // 1/k!
	var coefficients []float64
	for k := range 17 {
		coefficients = append(coefficients, factor)
		factor /= float64(k + 1)
	}
	sum := a4.MulScalar(coefficients[16])
	for k := 12; k >= 0; k -= 4 {
		c := coefficients[k:]
		cubic := one.MulScalar(c[0]).Add(a.MulScalar(c[1])).Add(a2.MulScalar(c[2])).Add(a3.MulScalar(c[3]))
		if sum = sum.Add(cubic); k > 0 {
			sum = sum.MatMul(a4)
		}
	}
	return sum
}
