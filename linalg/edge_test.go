package linalg_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/linalg"
	"cresset/tensor"
)

// mistakes are what the recorded ones, which package conformance makes, leave out.
var mistakes = []struct {
	kind error
	text string
	do   func()
}{
	{tensor.ErrShape, "linalg.inv: The input tensor A must have at least 2 dimensions.", func() { linalg.Inv(tensor.Ones(3)) }},
	{tensor.ErrKernel, `"lu_cpu" not implemented for 'Half'`, func() { linalg.Det(tensor.Ones(3, 3).Half()) }},
	{tensor.ErrKernel, "linalg.inv: Low precision dtypes not supported. Got BFloat16", func() { linalg.Inv(tensor.Ones(3, 3).BFloat16()) }},
	{tensor.ErrKernel, "linalg.slogdet: Low precision dtypes not supported. Got Half", func() { linalg.SlogDet(tensor.Ones(3, 3).Half()) }},
	{tensor.ErrDType, "linalg.svd: Expected a floating point or complex tensor as input. Got Long", func() { linalg.SVDVals(tensor.Ones(3, 3).Long()) }},
	{tensor.ErrShape, "linalg.cond(ord=inf): A must be batches of square matrices, but they are 2 by 3 matrices", func() { linalg.Cond(tensor.Ones(2, 3), linalg.P(math.Inf(1))) }},
	{tensor.ErrShape, "linalg.cond(ord=nuc): A must be batches of square matrices, but they are 3 by 2 matrices", func() { linalg.Cond(tensor.Ones(1, 3, 2), linalg.Nuc) }},
	{tensor.ErrValue, "torch.linalg.solve: (Batch element 1): The solver failed because the input matrix is singular.", func() {
		linalg.Solve(tensor.Stack([]*tensor.Tensor{tensor.Eye(2), tensor.Ones(2, 2)}, 0), tensor.Ones(2))
	}},
	{tensor.ErrShape, "linalg.solve: Incompatible shapes of A and B for the equation XA = B (3x3 and 3x2)", func() {
		linalg.Solve(tensor.Eye(3), tensor.Ones(3, 2), linalg.Left(false))
	}},
	{tensor.ErrShape, "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)", func() {
		linalg.Solve(tensor.Eye(3), tensor.Ones(3), linalg.Left(false))
	}},
	{tensor.ErrDType, "linalg.solve_triangular: Expected A and B to have the same dtype, but found A of type Float and B of type Double instead", func() {
		linalg.SolveTriangular(tensor.Eye(3), tensor.Ones(3, 2).Double())
	}},
	{tensor.ErrShape, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0", func() {
		linalg.SolveTriangular(tensor.Ones(2, 3, 3), tensor.Ones(3, 3, 3))
	}},
	{tensor.ErrAutograd, "The QR decomposition is not differentiable when mode='complete' and nrows > ncols", func() {
		_, r := linalg.QR(tensor.Ones(3, 2).SetRequiresGrad(true), linalg.Complete)
		r.Sum().Backward()
	}},
	{tensor.ErrAutograd, "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, mode='reduced') if you are going to require gradients", func() {
		_, r := linalg.QR(tensor.Ones(3, 2).SetRequiresGrad(true), linalg.R)
		r.Sum().Backward()
	}},
	{tensor.ErrValue, "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values.", func() {
		linalg.SVD(tensor.Full([]int{3, 2}, math.Inf(1)))
	}},
	{tensor.ErrValue, "linalg.eigh: (Batch element 0): The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues (error code: 2).", func() {
		linalg.Eigh(tensor.Full([]int{1, 2, 2}, math.NaN()))
	}},
	{tensor.ErrShape, "linalg.norm: If dim is specified, it must be of length 1 or 2. Got [0 1 2]", func() { linalg.Norm(tensor.Ones(2, 2, 2), nil, []int{0, 1, 2}) }},
	{tensor.ErrShape, "linalg.matrix_norm: dims must be different. Got (1, 1)", func() { linalg.MatrixNorm(tensor.Ones(2, 2), nil, []int{1, -1}) }},
	{tensor.ErrIndex, "Dimension out of range (expected to be in range of [-2, 1], but got 2)", func() { linalg.MatrixNorm(tensor.Ones(2, 2), nil, []int{0, 2}) }},
	{tensor.ErrValue, "linalg.matrix_norm: Order 3 not supported.", func() { linalg.MatrixNorm(tensor.Ones(2, 2), linalg.P(3), nil) }},
	{tensor.ErrShape, "multi_dot(): expected at least 2 tensors but got 1", func() { linalg.MultiDot(tensor.Ones(2, 2)) }},
	{tensor.ErrShape, "multi_dot(): tensor 1 must be 2D but got 1D", func() { linalg.MultiDot(tensor.Ones(2, 2), tensor.Ones(2), tensor.Ones(2)) }},
	{tensor.ErrShape, "linalg.cross: inputs dimension -1 must have length 3. Got 3 and 2", func() { linalg.Cross(tensor.Ones(3), tensor.Ones(2), -1) }},
	{tensor.ErrValue, "N must be greater than 1.", func() { linalg.Vander(tensor.Ones(3), 1) }},
	{tensor.ErrShape, "torch.linalg.lstsq: input.size(-2) should match other.size(-2)", func() { linalg.LstSq(tensor.Ones(3, 2), tensor.Ones(2)) }},
	{tensor.ErrValue, "linalg.qr(): argument 'A' (position 1) must be Tensor, not NoneType", func() { linalg.QR(nil) }},
}

func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		if err := tensor.Try(m.do); !errors.Is(err, m.kind) || err.Error() != m.text {
			t.Errorf("got %v\nwant %s", err, m.text)
		}
	}
}

// TestSingular: matrices without an inverse have values where these are defined.
func TestSingular(t *testing.T) {
	a := tensor.Of([][]float64{{1, 2}, {2, 4}})
	if det := linalg.Det(a).Float64(); det != 0 {
		t.Errorf("the determinant is %v", det)
	}
	sign, logAbs := linalg.SlogDet(a)
	if sign.Float64() != 0 || !math.IsInf(logAbs.Float64(), -1) {
		t.Errorf("sign %v and logarithm %v", sign, logAbs)
	}
	if rank := linalg.MatrixRank(a).Float64(); rank != 1 {
		t.Errorf("the rank is %v", rank)
	}
	if rank := linalg.MatrixRank(a, linalg.Hermitian(true), linalg.ATol(6)).Float64(); rank != 0 {
		t.Errorf("beyond 6 the rank is %v", rank)
	}
	for _, ord := range []linalg.Order{linalg.P(1), linalg.P(math.Inf(-1)), linalg.Fro, linalg.Nuc} {
		if cond := linalg.Cond(a, ord).Float64(); !math.IsInf(cond, 1) {
			t.Errorf("the condition of order %v is %v", ord, cond)
		}
	}
	_, _, u := linalg.LU(tensor.Zeros(3, 3))
	if u.Sum().Float64() != 0 {
		t.Errorf("zeros have an upper triangle %v", u)
	}
	if d := linalg.LogDet(tensor.Of([][]float64{{0, 1}, {1, 0}})).Float64(); !math.IsNaN(d) {
		t.Errorf("the logarithm of -1 is %v", d)
	}
}

// TestNothing: matrices without elements have norms of 0, and gradients.
func TestNothing(t *testing.T) {
	a := tensor.Zeros(2, 3, 0)
	for _, ord := range []linalg.Order{linalg.P(1), linalg.P(2), linalg.P(math.Inf(1)), linalg.P(math.Inf(-1)), linalg.Fro, linalg.Nuc} {
		if got := linalg.MatrixNorm(a, ord, nil); !got.Equal(tensor.Zeros(2)) {
			t.Errorf("the norms of order %v are %v", ord, got)
		}
	}
	a.SetRequiresGrad(true)
	linalg.Pinv(a).Sum().Backward()
	if got := a.Grad(); got == nil || !got.Shape().Equal(a.Shape()) {
		t.Errorf("the gradient of a pseudoinverse is %v", got)
	}
}

// TestIllConditioned: a Hilbert matrix has a condition that float64 cannot hold, and yet each factorization is of it.
func TestIllConditioned(t *testing.T) {
	i := tensor.Arange(1, 15, 1).Double()
	a := i.Unsqueeze(1).Add(i).SubScalar(1).Reciprocal()
	u, s, vh := linalg.SVD(a)
	wantNear(t, "u·s·vh", u.Mul(s).MatMul(vh), a, 1e-14)
	if cond := linalg.Cond(a, nil).Float64(); !(cond > 1e16) {
		t.Errorf("the condition is %v", cond)
	}
	q, r := linalg.QR(a)
	wantNear(t, "q·r", q.MatMul(r), a, 1e-14)
	p, l, upper := linalg.LU(a)
	wantNear(t, "p·l·u", p.MatMul(l).MatMul(upper), a, 1e-14)
}

// TestExtremes: elements near the ends of the range overflow no square on the way.
func TestExtremes(t *testing.T) {
	base := tensor.Of([][]float64{{4, 1, 0}, {1, 3, 2}, {0, 2, 5}})
	_, want, _ := linalg.SVD(base)
	for _, scale := range []float64{0x1p1000, 0x1p-1000} {
		a := base.MulScalar(scale)
		wantNear(t, "singular values", linalg.SVDVals(a).DivScalar(scale), want, 1e-14)
		values, _ := want.Sort(-1)
		wantNear(t, "eigenvalues", linalg.EigvalsH(a).DivScalar(scale), values, 1e-14)
		q, r := linalg.QR(a)
		wantNear(t, "q·r", q.MatMul(r).DivScalar(scale), base, 1e-14)
	}
}

// TestNaN: what is not a number ends every computation, by an error or by NaN.
func TestNaN(t *testing.T) {
	for _, n := range []int{1, 3, 40} {
		a := tensor.Full([]int{n, n}, math.NaN()).Double()
		for name, f := range map[string]func(){
			"lu": func() { linalg.LU(a) }, "qr": func() { linalg.QR(a) }, "svd": func() { linalg.SVD(a) }, "eigh": func() { linalg.Eigh(a) },
			"cholesky": func() { linalg.Cholesky(a) }, "inv": func() { linalg.Inv(a) }, "det": func() { linalg.Det(a) },
		} {
			if err := tensor.Try(f); err != nil && !errors.Is(err, tensor.ErrValue) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if det := linalg.Det(a).Float64(); !math.IsNaN(det) {
			t.Errorf("the determinant is %v", det)
		}
	}
}

// TestNoKernelOnGPUs: what factors matrices says that GPUs cannot, and what is made of products runs there.
func TestNoKernelOnGPUs(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		if dev.IsCPU() {
			return
		}
		a := tensor.On(dev).Eye(3)
		for name, f := range map[string]func(){
			"cholesky": func() { linalg.Cholesky(a) }, "solve": func() { linalg.Solve(a, a) }, "det": func() { linalg.Det(a) },
			"svd": func() { linalg.SVD(a) }, "eigh": func() { linalg.EigvalsH(a) }, "qr": func() { linalg.QR(a) },
		} {
			if err := tensor.Try(f); !errors.Is(err, tensor.ErrKernel) || !strings.Contains(err.Error(), "not implemented for 'Float'") {
				t.Errorf("%s: got %v, want no kernel", name, err)
			}
		}
		power := linalg.MatrixPower(a.MulScalar(2), 3)
		if got := linalg.Norm(power, linalg.P(1), nil); got.Device() != dev || got.Float64() != 8 {
			t.Errorf("the norm of a power is %v", got)
		}
	})
}

// TestPowersOfIntegers are int64.
func TestPowersOfIntegers(t *testing.T) {
	got := linalg.Vander(tensor.Of([]int32{2, 3}), 4)
	if want := tensor.Of([][]int{{1, 2, 4, 8}, {1, 3, 9, 27}}); got.DType() != dtype.Int64 || !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
