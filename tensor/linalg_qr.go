package tensor

import (
	"cresset/internal/op"
)

// qr returns q and r with q·r = x, orthogonal columns and an upper triangle. In mode "reduced" q has as many columns as r rows, min(m, n);
// in mode "complete" it is square; in mode "r" it is empty and r is as in the first.
func (x *Tensor) qr(mode string) (q, r *Tensor) {
	if a := autocastOf(x, nil); a != nil {
		x = a.one("linalg_qr", x)
	}
	const name = "linalg.qr"
	m := x.matrices(name, "geqrf_cpu")
	k := min(m.rows, m.cols)
	var qShape, rShape Shape
	switch mode {
	case "reduced":
		qShape, rShape = m.shape(m.rows, k), m.shape(k, m.cols)
	case "complete":
		qShape, rShape = m.shape(m.rows, m.rows), m.shape(m.rows, m.cols)
	case "r":
		qShape, rShape = m.shape(m.rows, 0), m.shape(k, m.cols)
	default:
		fail(name, ErrValue, "qr received unrecognized mode '"+mode+"' but expected one of 'reduced' (default), 'r', or 'complete'", x)
	}
	q, r = x.empty(op.QR, x.dtype, qShape), x.empty(op.QR, x.dtype, rShape)
	launch(op.QR, x.dtype, nil, []*Tensor{q, r}, []*Tensor{x})
	if mode == "r" {
		q = x.empty(op.QR, x.dtype, Shape{0})
	}
	made := []*node{record(r, op.QR, qrGradR, mode, x)}
	if mode != "r" {
		made = append(made, record(q, op.QR, qrGradQ, mode, x))
	}
	for _, n := range made {
		n.save(x)
		n.derive(q, r)
	}
	return q, r
}

func qrGradQ(b *backprop, dq *Tensor) {
	q, r := b.factorsOfQR()
	b.giveQR(q, r, q.mT().MatMul(dq).Neg(), dq, nil)
}

func qrGradR(b *backprop, dr *Tensor) {
	q, r := b.factorsOfQR()
	dr = dr.Triu(0)
	b.giveQR(q, r, dr.MatMul(r.mT()), nil, dr)
}

// factorsOfQR returns q and r, or panics where the gradient is not defined. Where they are to be differentiated they are computed again
// with a record.
func (b *backprop) factorsOfQR() (q, r *Tensor) {
	shape := b.input(0)
	rows, cols := shape[len(shape)-2], shape[len(shape)-1]
	mode := b.params().(string)
	switch {
	case mode == "r":
		fail("linalg.qr", ErrAutograd, "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "+
			"Please use linalg.qr(A, mode='reduced') if you are going to require gradients")
	case mode == "complete" && rows > cols:
		fail("linalg.qr", ErrAutograd, "The QR decomposition is not differentiable when mode='complete' and nrows > ncols")
	case b.creates:
		return b.saved(0).qr(mode)
	}
	return b.saved(1), b.saved(2)
}

// giveQR gives the part of the gradient that comes of dq or of dr, either of which may be nil. With w = dr·rᵀ - qᵀ·dq it is
// (dq + q·s)·r⁻ᵀ, where s is the upper triangle of w and its mirror image. Where r has more columns than rows it is q·dr, and for the square
// part r₁ of r besides q·(wᵀ - w)·r₁⁻ᵀ, of which the lower triangle alone counts.
func (b *backprop) giveQR(q, r, w, dq, dr *Tensor) {
	rows, cols := r.Size(-2), r.Size(-1)
	if cols <= rows {
		g := q.MatMul(w.Triu(0).Add(w.Triu(1).mT()))
		if dq != nil {
			g = g.Add(dq)
		}
		b.give(0, r.mT().solveTriangular(g, false, false, false))
		return
	}
	skew := w.mT().Sub(w).Tril(-1)
	g := padRight(r.Narrow(-1, 0, rows).mT().solveTriangular(q.MatMul(skew), false, false, false), cols)
	if dr != nil {
		g = g.Add(q.MatMul(dr))
	}
	b.give(0, g)
}
