package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// The gradient of attention of bfloat16 on AMX has the tiles of that of float32. All five products take bfloat16: P and dS are rounded as they are packed, dS times the
// scale, so that K and Q are multiplied by it no more. Sums are of float32, also those that DQ gets from all keys.

// amxGrad is what a thread has for products on AMX beside the panels of keys and values, which w.kT, w.vT and w.k hold.
type amxGrad[T dtype.Float] struct {
	q, dout []T            // a block of queries and of DOut, as panels of pairs of rows; w.q and w.dout have them as rows
	left    []T            // room for rows of P, dS and their transposes
	keys    rightFactor[T] // pairs of keys
}

// packOnAMX is pack.
func (w *gradWorker[T]) packOnAMX(key, n int) {
	k, v := w.halvesOf(&w.K, key), w.halvesOf(&w.V, key)
	w.keysT.packHalves(w.kT, k.Transposed(), w.Width, n)
	w.outsT.packHalves(w.vT, v.Transposed(), w.Outputs, n)
	w.amx.keys.packHalves(w.k, k, n, w.Width)
}

// scoreOnAMX is score.
func (w *gradWorker[T]) scoreOnAMX(p []T, row, m, n int) {
	q := packRowsAMX(asFloat32(w.q), w.Q.Halves[w.Q.at(w.batch, w.head, row):], w.Q.Row, m, w.Width)
	q.multiply(0, q.steps, asFloat32(w.keysT.panels), w.keysT.next, n, asFloat32(p), n, false)
	scale(p, w.Scale)
}

// weightsGradOnAMX is weightsGrad.
func (w *gradWorker[T]) weightsGradOnAMX(dp []T, row, m, n int) {
	dout := &w.grad.DOut
	d := packRowsAMX(asFloat32(w.dout), dout.Halves[dout.at(w.batch, w.head, row):], dout.Row, m, w.Outputs)
	d.multiply(0, d.steps, asFloat32(w.outsT.panels), w.outsT.next, n, asFloat32(dp), n, false)
	scale(dp, w.kept())
}

// addKeysOnAMX is addKeys.
func (w *gradWorker[T]) addKeysOnAMX(row, m, n int, dk, dv []T) {
	add := func(left, space []T, h *Heads[T], width int, to []T) {
		var right rightFactor[T]
		right.packHalves(space, Matrix[dtype.BF16]{h.Halves[h.at(w.batch, w.head, row):], h.Row, 1}, m, width)
		rows := packColumnsAMX(asFloat32(w.amx.left), asFloat32(left), m, n)
		rows.multiply(0, rows.steps, asFloat32(right.panels), right.next, width, asFloat32(to), width, true)
	}
	p := w.p[:m*n]
	scale(p, w.kept())
	add(p, w.amx.dout, &w.grad.DOut, w.Outputs, dv)
	add(w.ds[:m*n], w.amx.q, &w.Q, w.Width, dk)
}

// addQueriesOnAMX adds what a tile gives to rows of DQ.
func (w *gradWorker[T]) addQueriesOnAMX(dq []T, m, n int) {
	ds := packRowsAMX(asFloat32(w.amx.left), asFloat32(w.ds[:m*n]), n, m, n)
	ds.multiply(0, ds.steps, asFloat32(w.amx.keys.panels), w.amx.keys.next, w.Width, asFloat32(dq), w.grad.DQ.Row, true)
}

// packColumnsAMX copies the n columns of x, [m, n], to space, as rows.
func packColumnsAMX(space, x []float32, m, n int) amxRows {
	r := amxRows{asHalves(space), n, ceilDiv(m, vec.AMXSteps)}
	for _, g := range r.tiles() {
		for i := g.row; i < g.row+g.tiles*g.height; i += g.height {
			packTransposedAMX(space[i*r.steps*vec.AMXSteps/2:], Matrix[float32]{x[i:], n, 1}, m, g.height)
		}
	}
	return r
}

// dotHalves returns Σ a·b of n elements.
func dotHalves(a, b []dtype.BF16, n int) float64 {
	const block = 64
	var x, y [block]float32
	sum := 0.0
	for i := 0; i < n; i += block {
		m := min(block, n-i)
		widen(x[:m], a[i:])
		widen(y[:m], b[i:])
		sum += dot64(x[:m], y[:m])
	}
	return sum
}
