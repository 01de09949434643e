package tensor

import "cresset/internal/op"

// rotate turns the elements i and i + n of each of x's rows by tables of cosines and sines that broadcast to [..., n], and leaves those behind
// as they are: by one kernel, which rounds as products and sums of tensors do. GPUs turn half types by tables of float32 too, as Autocast has it. It returns nil where
// ops have to do it.
func (x *Tensor) rotate(cos, sin *Tensor) *Tensor {
	if !x.turnsBy(cos, sin) {
		return nil
	}
	rows := x.layout.Shape()
	of := append(append(make(Shape, 0, len(rows)), rows[:len(rows)-1]...), cos.lastExtent())
	return x.turnedBy(op.Rotation{}, x.like(op.Rotate, cos.dtype), cos.Expand(of...), sin.Expand(of...))
}

// turnsBy reports whether tables fit x's rows, and have no gradient that is wanted.
func (x *Tensor) turnsBy(cos, sin *Tensor) bool {
	if x == nil || cos == nil || sin == nil || !x.dtype.IsFloat() || !cos.widens(x) || !cos.besides(sin) || cos.node != nil || sin.node != nil {
		return false
	}
	rows, table := x.layout.Shape(), cos.layout.Shape()
	if len(rows) == 0 || len(table) == 0 || !table.Equal(sin.layout.Shape()) {
		return false
	}
	last := len(table) - 1
	return table[last] > 0 && 2*table[last] <= rows[len(rows)-1] && rows[:len(rows)-1].Holds(table[:last]) && x.storage.backend.Has(op.Rotate, cos.dtype)
}

// turnedBy writes to out, which is fresh, and records the gradient.
func (x *Tensor) turnedBy(p op.Rotation, out, cos, sin *Tensor) *Tensor {
	launch(op.Rotate, cos.dtype, p, []*Tensor{out}, []*Tensor{x, cos, sin})
	record(out, op.Rotate, rotateGrad, p, x).save(cos, sin)
	return out
}

// rotateGrad turns dy back. The gradient lies in memory as the rows did: heads lie beside each other there.
func rotateGrad(b *backprop, dy *Tensor) {
	p := op.Rotation{Back: !b.params().(op.Rotation).Back}
	l := inOrder(b.input(0), b.current.edges[0].layout)
	b.give(0, dy.turnedBy(p, newResult(op.Rotate.String(), dy.storage.device, b.current.edges[0].dtype, l, dy), b.saved(0), b.saved(1)))
}
