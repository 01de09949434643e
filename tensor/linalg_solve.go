package tensor

import (
	"fmt"

	"cresset/internal/layout"
	"cresset/internal/op"
)

// solve returns the solution y of x·y = b, or of y·x = b where left is false. b is a matrix, or a vector for each matrix of x. Batches
// are broadcast.
func (x *Tensor) solve(b *Tensor, left bool) *Tensor {
	if a := autocastOf(x, b); a != nil {
		x, b = a.two("linalg_solve", x, b)
	}
	const name = "linalg.solve"
	refuseNil(name, "B", 2, b)
	m := x.squares(name, "lu_cpu")
	if b.Dim() == 1 || b.layout.Shape().Equal(m.vectors(m.rows)) {
		if !left {
			fail(name, ErrShape, "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)", x, b)
		}
		return x.solve(b.Unsqueeze(-1), true).SqueezeAxis(-1)
	}
	x.checkSystem(b, name, "lu_cpu", left)
	shape, err := layout.Broadcast(m.batch, b.layout.Shape()[:b.Dim()-2])
	check(name, ErrShape, err, x, b)
	f := x.factor(m)
	x.failWhere(f.info, "torch.linalg.solve", func(int64) string { return "The solver failed because the input matrix is singular." })
	lu, perm := f.lu.ofBatch(shape), f.perm.Expand(append(append(Shape{}, shape...), m.rows)...)
	c := b.Detach().ofBatch(shape)
	var out *Tensor
	if left {
		out = luSolution(lu, perm, c, false)
	} else {
		out = luSolution(lu, perm, c.mT(), true).mT().Contiguous()
	}
	n := record(out, op.Solve, solveGrad, left, x, b)
	n.save(x, out)
	n.derive(lu, perm)
	return out
}

// solveGrad is db = x⁻ᵀ·dy and dx = -db·yᵀ, or their like from the other side.
func solveGrad(b *backprop, dy *Tensor) {
	x, y, left := b.saved(0), b.saved(1), b.params().(bool)
	var db *Tensor
	switch {
	case b.creates:
		db = x.mT().solve(dy, left)
	case left:
		db = luSolution(b.saved(2), b.saved(3), dy, true)
	default:
		db = luSolution(b.saved(2), b.saved(3), dy.mT(), false).mT()
	}
	b.give(1, db)
	b.giveNeeded(0, func() *Tensor {
		if left {
			return db.MatMul(y.mT()).Neg()
		}
		return y.mT().MatMul(db).Neg()
	})
}

// inv returns the inverse of each matrix, and panics where one is singular.
func (x *Tensor) inv() *Tensor {
	if a := autocastOf(x, nil); a != nil {
		x = a.one("linalg_inv", x)
	}
	out, info := x.invEx()
	x.failWhere(info, "linalg.inv", func(n int64) string {
		return fmt.Sprintf("The diagonal element %d is zero, the inversion could not be completed because the input matrix is singular.", n)
	})
	return out
}

// invEx returns the inverse of each matrix, without meaning where info is not 0: there the matrix is singular.
func (x *Tensor) invEx() (inverse, info *Tensor) {
	if a := autocastOf(x, nil); a != nil {
		x = a.one("linalg_inv_ex", x)
	}
	f := x.factor(x.squares("linalg.inv", "lu_cpu"))
	inverse = luSolution(f.lu, f.perm, x.identities(x.layout.Shape()), false)
	record(inverse, op.Inv, invGrad, nil, x).save(inverse)
	return inverse, f.info
}

// invGrad is -yᵀ·dy·yᵀ.
func invGrad(b *backprop, dy *Tensor) {
	t := b.saved(0).mT()
	b.give(0, t.MatMul(dy).MatMul(t).Neg())
}
