package tensor

import (
	"fmt"

	"cresset/internal/layout"
	"cresset/internal/op"
)

// system is how a system of equations is written: as upper or lower triangular, x·y = b or y·x = b, with ones on the diagonal.
type system struct{ upper, left, unit bool }

// solveTriangular returns the solution y of x·y = b, or of y·x = b where left is false, for triangular x. Batches are broadcast.
func (x *Tensor) solveTriangular(b *Tensor, upper, left, unit bool) *Tensor {
	const name = "linalg.solve_triangular"
	x.checkSystem(b, name, "triangular_solve_cpu", left)
	p := system{upper, left, unit}
	shape, err := layout.Broadcast(x.layout.Shape()[:x.Dim()-2], b.layout.Shape()[:b.Dim()-2])
	check(name, ErrShape, err, x, b)
	a, c := x.Detach().ofBatch(shape), b.Detach().ofBatch(shape)
	var out *Tensor
	if left {
		out = a.triangularSolution(c, op.Triangular{Upper: upper, Unit: unit})
	} else {
		out = a.mT().triangularSolution(c.mT(), op.Triangular{Upper: !upper, Unit: unit}).mT().Contiguous()
	}
	record(out, op.SolveTriangular, solveTriangularGrad, p, x, b).save(x, out)
	return out
}

func solveTriangularGrad(b *backprop, dy *Tensor) {
	p, a, y := b.params().(system), b.saved(0), b.saved(1)
	db := a.mT().solveTriangular(dy, !p.upper, p.left, p.unit)
	b.give(1, db)
	b.giveNeeded(0, func() *Tensor {
		var da *Tensor
		if p.left {
			da = db.MatMul(y.mT())
		} else {
			da = y.mT().MatMul(db)
		}
		k := 0
		if p.unit {
			k = 1
		}
		if p.upper {
			return da.Triu(k).Neg()
		}
		return da.Tril(-k).Neg()
	})
}

// checkSystem panics where the matrices x and b are no system of equations.
func (x *Tensor) checkSystem(b *Tensor, name, kernel string, left bool) {
	refuseNil(name, "B", 2, b)
	x.squares(name, kernel)
	equation := "AX = B"
	if !left {
		equation = "XA = B"
	}
	switch n := x.Size(-1); {
	case b.Dim() < 2:
		fail(name, ErrShape, name+": The input tensor B must have at least 2 dimensions.", x, b)
	case left && b.Size(-2) != n || !left && b.Size(-1) != n:
		fail(name, ErrShape, fmt.Sprintf("%s: Incompatible shapes of A and B for the equation %s (%dx%d and %dx%d)",
			name, equation, n, n, b.Size(-2), b.Size(-1)), x, b)
	case x.dtype != b.dtype:
		fail(name, ErrDType, fmt.Sprintf("%s: Expected A and B to have the same dtype, but found A of type %s and B of type %s instead",
			name, x.dtype.ScalarName(), b.dtype.ScalarName()), x, b)
	}
}
