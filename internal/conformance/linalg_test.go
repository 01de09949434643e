package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/linalg"
	"cresset/tensor"
)

// factorized is why an operation runs on the CPU alone.
const factorized = "matrices are factored on the CPU alone"

var linearAlgebra = table{
	"Tensor.exp": unary((*tensor.Tensor).Exp),
	"torch.linalg.cholesky": func(a *pyexpr.Args) any {
		x := input(a, "A")
		return linalg.Cholesky(x, flag[linalg.Upper](a, "upper", false))
	},
	"torch.cholesky_solve": func(a *pyexpr.Args) any {
		b, l := input(a, "input"), input(a, "L")
		return linalg.CholeskySolve(b, l, flag[linalg.Upper](a, "upper", false))
	},
	"torch.linalg.lu": func(a *pyexpr.Args) any { return tuple3(linalg.LU(input(a, "A"))) },
	"torch.linalg.qr": func(a *pyexpr.Args) any {
		x, mode := input(a, "A"), linalg.Mode(pyexpr.Arg(a, "mode", "reduced"))
		return tuple2(linalg.QR(x, mode))
	},
	"torch.linalg.solve": func(a *pyexpr.Args) any {
		x, b := input(a, "A"), input(a, "B")
		return linalg.Solve(x, b, flag[linalg.Left](a, "left", true))
	},
	"torch.linalg.solve_triangular": func(a *pyexpr.Args) any {
		x, b := input(a, "A"), input(a, "B")
		upper, left := flag[linalg.Upper](a, "upper", false), flag[linalg.Left](a, "left", true)
		return linalg.SolveTriangular(x, b, upper, left, flag[linalg.UniTriangular](a, "unitriangular", false))
	},
	"torch.linalg.inv":     unary(linalg.Inv),
	"torch.linalg.det":     unary(linalg.Det),
	"torch.linalg.slogdet": func(a *pyexpr.Args) any { return tuple2(linalg.SlogDet(input(a, "A"))) },
	"torch.logdet":         unary(linalg.LogDet),
	"torch.linalg.pinv":    func(a *pyexpr.Args) any { return linalg.Pinv(input(a, "A")) },
	"torch.linalg.lstsq": func(a *pyexpr.Args) any {
		x, b := input(a, "A"), input(a, "B")
		return linalg.LstSq(x, b)
	},
	"LeastSquares.solution":   func(a *pyexpr.Args) any { return pyexpr.Arg[linalg.LeastSquares](a, "self").Solution },
	"LeastSquares.residuals":  func(a *pyexpr.Args) any { return pyexpr.Arg[linalg.LeastSquares](a, "self").Residuals },
	"torch.linalg.matrix_exp": unary(linalg.MatrixExp),
	"torch.linalg.eigh":       func(a *pyexpr.Args) any { return tuple2(linalg.Eigh(input(a, "A"))) },
	"torch.linalg.eigvalsh": func(a *pyexpr.Args) any {
		return linalg.EigvalsH(input(a, "A"))
	},
	"torch.linalg.svd": func(a *pyexpr.Args) any {
		x := input(a, "A")
		return tuple3(linalg.SVD(x, flag[linalg.FullMatrices](a, "full_matrices", true)))
	},
	"torch.linalg.svdvals":     unary(linalg.SVDVals),
	"torch.linalg.matrix_rank": func(a *pyexpr.Args) any { return linalg.MatrixRank(input(a, "A")) },
	"torch.linalg.cond":        func(a *pyexpr.Args) any { return linalg.Cond(input(a, "A"), order(a, "p")) },

	"torch.linalg.norm": norm(func(x *tensor.Tensor, ord linalg.Order, axes []int, keep tensor.KeepDim) *tensor.Tensor {
		return linalg.Norm(x, ord, axes, keep)
	}),
	"torch.linalg.matrix_norm": norm(func(x *tensor.Tensor, ord linalg.Order, axes []int, keep tensor.KeepDim) *tensor.Tensor {
		return linalg.MatrixNorm(x, ord, axes, keep)
	}),
	"torch.linalg.vector_norm": norm(func(x *tensor.Tensor, ord linalg.Order, axes []int, keep tensor.KeepDim) *tensor.Tensor {
		p := 2.0
		if ord != nil {
			p = float64(ord.(linalg.P))
		}
		return linalg.VectorNorm(x, p, axes, keep)
	}),
	"torch.linalg.matrix_power": func(a *pyexpr.Args) any {
		x, n := input(a, "A"), pyexpr.Arg[int](a, "n")
		return linalg.MatrixPower(x, n)
	},
	"torch.linalg.multi_dot": func(a *pyexpr.Args) any { return linalg.MultiDot(tensors(pyexpr.Arg[any](a, "tensors"))...) },
	"torch.linalg.cross": func(a *pyexpr.Args) any {
		x, y := input(a, "input"), input(a, "other")
		return linalg.Cross(x, y, pyexpr.Arg(a, "dim", -1))
	},
	"torch.linalg.vander": func(a *pyexpr.Args) any {
		x := input(a, "x")
		return linalg.Vander(x, pyexpr.Arg(a, "N", x.Size(-1)))
	},
}

func tuple2(x, y *tensor.Tensor) any    { return tuple(x, y) }
func tuple3(x, y, z *tensor.Tensor) any { return tuple(x, y, z) }

// norm is a norm of an order over axes.
func norm(f func(x *tensor.Tensor, ord linalg.Order, axes []int, keep tensor.KeepDim) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, ord := input(a, "input"), order(a, "ord")
		var axes []int
		switch dim := pyexpr.Arg[any](a, "dim", nil).(type) {
		case int:
			axes = []int{dim}
		case []any:
			axes = ints(dim)
		}
		return f(x, ord, axes, flag[tensor.KeepDim](a, "keepdim", false))
	}
}

// order returns the next argument, the order of a norm.
func order(a *pyexpr.Args, name string) linalg.Order {
	switch ord := pyexpr.Arg[any](a, name, nil).(type) {
	case int:
		return linalg.P(ord)
	case float64:
		return linalg.P(ord)
	case string:
		return linalg.Named(ord)
	}
	return nil
}
