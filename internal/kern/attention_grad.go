package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// AttentionGrad is the gradient of a call of attention. DQ, DK and DV get the gradients for Q, K and V.
//
// With P = e**(score - LogSum), the gradient dS of a score is P·(DOut·Vᵀ - Σ DOut·Out). Tiles of P and dS are computed again, in blocks
// of keys and of queries as in Forward; a tile is the work of five products:
//
//	scores  Q·Kᵀ          DV += Pᵀ·DOut     DQ += dS·K
//	dP      DOut·Vᵀ       DK += dSᵀ·Q
//
// A thread has a head of K and V to itself, with all heads of Q that share it: blocks of keys are the outer loop, so that DK and DV
// of a block are added up in a cache, and DQ in memory. Where heads cannot be shared evenly, threads divide the keys of each for DK
// and DV, and then its queries for DQ: tiles are computed twice, but each sum is made by one thread in the same order.
type AttentionGrad[T dtype.Float] struct {
	Attention[T]
	DOut, DQ, DK, DV Heads[T]
	DMask            *AttentionMask[T] // zero before; nil where it is not wanted
	Delta            []T               // of each row, room for Σ DOut·Out
}

// gradTile is the rows of a tile of the gradient: two tiles of scores then stay in the second cache level.
const gradTile = 112

// AttentionBackward computes the gradients.
func AttentionBackward[T dtype.Float](a *AttentionGrad[T]) error {
	return (*attentionGrad[T])(a).backward()
}

type attentionGrad[T dtype.Float] AttentionGrad[T]

func (a *attentionGrad[T]) backward() error {
	if a.Batch*a.Heads == 0 {
		return nil
	}
	a.sumProducts()
	if a.DMask != nil {
		if err := a.maskBackward(); err != nil {
			return err
		}
	}
	heads, keyBlocks, rowBlocks := a.Batch*a.Groups, ceilDiv(a.Keys, keyTile), ceilDiv(a.Queries, gradTile)
	parts := partsOf(heads, max(1, min(keyBlocks, rowBlocks)))
	if parts == 1 {
		return a.forWorkers(heads, func(w *gradWorker[T], i int) {
			w.at(i/a.Groups, i%a.Groups)
			w.clearQueries(0, a.Queries)
			w.keys(0, a.Keys, true)
		})
	}
	return a.forWorkers(2*heads*parts, func(w *gradWorker[T], i int) {
		head, part := i/2/parts, i/2%parts
		w.at(head/a.Groups, head%a.Groups)
		if i%2 == 0 {
			w.keys(keyBlocks*part/parts*keyTile, min(keyBlocks*(part+1)/parts*keyTile, a.Keys), false)
			return
		}
		first, last := rowBlocks*part/parts*gradTile, min(rowBlocks*(part+1)/parts*gradTile, a.Queries)
		w.clearQueries(first, last)
		w.queries(first, last)
	})
}

// sumProducts computes Delta.
func (a *attentionGrad[T]) sumProducts() {
	par.For(a.Batch*a.Heads*a.Queries, max(1, rowElems/max(a.Outputs, 1)), func(lo, hi int) {
		if a.Outputs == 0 {
			clear(a.Delta[lo:hi])
			return
		}
		for i := lo; i < hi; i++ {
			b, h, row := i/a.Queries/a.Heads, i/a.Queries%a.Heads, i%a.Queries
			if a.Out.Halves != nil {
				a.Delta[i] = T(dotHalves(a.DOut.Halves[a.DOut.at(b, h, row):], a.Out.Halves[a.Out.at(b, h, row):], a.Outputs))
				continue
			}
			a.Delta[i] = T(dot64(a.DOut.from(b, h, row)[:a.Outputs], a.Out.from(b, h, row)[:a.Outputs]))
		}
	})
}

// gradWorker is a thread's work at a head of K and V.
type gradWorker[T dtype.Float] struct {
	attentionWorker[T]
	grad         *attentionGrad[T]
	q, dout      []T    // a block of queries, times scale, and of DOut, over the share that dropout keeps
	p, ds        []T    // tiles
	bent         []T    // tanh(score / SoftCap) of a tile
	dropped      []bool // of a tile
	k, dk, dv    []T    // a block of keys, times scale, and gradients
	kT, vT       []T    // packed copies
	keysT, outsT rightFactor[T]
	amx          amxGrad[T]
}

// forWorkers calls f with numbers below count and a worker.
func (a *attentionGrad[T]) forWorkers(count int, f func(w *gradWorker[T], i int)) error {
	rows, keys := min(a.Queries, gradTile), min(a.Keys, keyTile)
	tile := rows * keys
	sizes := (*attention[T])(&a.Attention).gradSizes(rows, keys)
	n := max(room(sizes[:]...), tile)
	grain := grainOf(4 * a.Batch * a.Heads * a.Queries * a.Keys * (a.Width + a.Outputs) / max(count, 1))
	return ForWithWorkspaces(count, grain, n, func(lo, hi int, space []T, dropped []bool) {
		w := &gradWorker[T]{attentionWorker: attentionWorker[T]{attention: (*attention[T])(&a.Attention), space: space}, grad: a, dropped: dropped[:tile]}
		for i, s := range []*[]T{&w.q, &w.dout, &w.p, &w.ds, &w.bent, &w.k, &w.dk, &w.dv, &w.kT, &w.vT, &w.amx.q, &w.amx.dout, &w.amx.left} {
			*s = w.take(sizes[i])
		}
		for i := lo; i < hi; i++ {
			f(w, i)
		}
	})
}

func (w *gradWorker[T]) at(batch, group int) { w.batch, w.group = batch, group }

// clearQueries zeroes DQ of the rows from first to last-1, in all heads that share the keys.
func (w *gradWorker[T]) clearQueries(first, last int) {
	shared := w.Heads / w.Groups
	for h := w.group * shared; h < (w.group+1)*shared && w.Width > 0; h++ {
		for row := first; row < last; row++ {
			clear(w.grad.DQ.from(w.batch, h, row)[:w.Width])
		}
	}
}

// keys computes DK and DV of the keys from first to last-1, and adds what they give to DQ where that is asked for.
func (w *gradWorker[T]) keys(first, last int, queries bool) {
	for key := first; key < last; key += keyTile {
		n := min(keyTile, last-key)
		w.pack(key, n)
		dk, dv := w.dk[:n*w.Width], w.dv[:n*w.Outputs]
		clear(dk)
		clear(dv)
		w.eachTile(key, n, 0, w.Queries, func(row, m int) {
			w.tile(row, m, key, n)
			w.productsGrad(m, n)
			w.addKeys(row, m, n, dk, dv)
			if queries {
				w.addQueries(row, m, n)
			}
		})
		w.scatter(&w.grad.DK, dk, w.Width, key, n)
		w.scatter(&w.grad.DV, dv, w.Outputs, key, n)
	}
}

// gradSizes returns the sizes of what a worker has for tiles of so many queries and keys, in the order in which forWorkers takes it.
func (a *attention[T]) gradSizes(rows, keys int) [13]int {
	tile, dk, dv := rows*keys, keys*a.Width, keys*a.Outputs
	kT, vT := a.panelsSize(a.Width, keys), a.panelsSize(a.Outputs, keys)
	if !a.onAMX() {
		return [...]int{rows * a.Width, rows * a.Outputs, tile, tile, tile, keys * a.Width, dk, dv, kT, vT, 0, 0, 0}
	}
	left := max(amxRowsSize(rows, keys), amxRowsSize(keys, rows))
	return [...]int{amxRowsSize(rows, a.Width), amxRowsSize(rows, a.Outputs), tile, tile, tile, a.panelsSize(keys, a.Width), dk, dv, kT, vT,
		a.panelsSize(rows, a.Width), a.panelsSize(rows, a.Outputs), left}
}

// addKeys adds what a tile gives to DK and DV.
func (w *gradWorker[T]) addKeys(row, m, n int, dk, dv []T) {
	if w.onAMX() {
		w.addKeysOnAMX(row, m, n, dk, dv)
		return
	}
	inPlace(w.dout, w.Outputs).multiply(n, w.Outputs, m, Matrix[T]{w.p, 1, n}, dv, w.Outputs, true)
	inPlace(w.q, w.Width).multiply(n, w.Width, m, Matrix[T]{w.ds, 1, n}, dk, w.Width, true)
}

// scatter writes rows of a head of K's or V's gradient.
func (w *gradWorker[T]) scatter(to *Heads[T], rows []T, width, first, n int) {
	if width > 0 {
		to.store(w.batch, w.group, first, n, rows)
	}
}

// queries computes DQ of the rows from first to last-1.
func (w *gradWorker[T]) queries(first, last int) {
	for key := 0; key < w.Keys; key += keyTile {
		n := min(keyTile, w.Keys-key)
		if lo, hi := w.queriesOf(key, key+n); lo >= last || hi <= first {
			continue
		}
		w.pack(key, n)
		w.eachTile(key, n, first, last, func(row, m int) {
			w.tile(row, m, key, n)
			w.productsGrad(m, n)
			w.addQueries(row, m, n)
		})
	}
}

// eachTile calls f with the blocks of rows from first to last-1 that see a key of the block, for each head that shares it.
func (w *gradWorker[T]) eachTile(key, n, first, last int, f func(row, m int)) {
	lo, hi := w.queriesOf(key, key+n)
	lo, hi = max(lo/gradTile*gradTile, first), min(hi, last)
	shared := w.Heads / w.Groups
	for w.head = w.group * shared; w.head < (w.group+1)*shared; w.head++ {
		for row := lo; row < hi; row += gradTile {
			f(row, min(gradTile, last-row))
		}
	}
}

// pack copies a block of keys and values.
func (w *gradWorker[T]) pack(key, n int) {
	if w.onAMX() {
		w.packOnAMX(key, n)
		return
	}
	k, v := w.headOf(&w.K, w.Width, key), w.headOf(&w.V, w.Outputs, key)
	w.keysT, w.outsT = rightFactor[T]{Matrix: Matrix[T]{k, 1, w.K.Row}}, rightFactor[T]{Matrix: Matrix[T]{v, 1, w.V.Row}}
	if panelCols[T]() > 0 {
		w.keysT.pack(w.kT, w.Width, n)
		w.outsT.pack(w.vT, w.Outputs, n)
	}
	if w.Width == 0 {
		return
	}
	for i := range n {
		copy(w.k[i*w.Width:][:w.Width], k[i*w.K.Row:])
	}
	scale(w.k[:n*w.Width], w.Scale)
}

// tile computes P, of which dropout has taken its share, and dS of m rows and n keys from row and key on.
func (w *gradWorker[T]) tile(row, m, key, n int) {
	first := (w.batch*w.Heads+w.head)*w.Queries + row
	p, ds := w.p[:m*n], w.ds[:m*n]
	w.score(p, row, m, n)
	w.cap(p)
	if w.SoftCap > 0 {
		copy(w.bent, p)
	}
	w.mask(p, row, m, key, n)
	var sums [gradTile]float64
	expRows(p, p, n, w.LogSum[first:first+m], sums[:m], p[:0])

	w.weightsGrad(ds, row, m, n)
	if w.Keep < 1 {
		clear(w.dropped)
		w.eachDropped(row, m, key, n, func(i, j int) { w.dropped[i*n+j], ds[i*n+j] = true, 0 })
	}
	softmaxGradRows(ds, p, n, w.grad.Delta[first:first+m])
	if w.Keep < 1 {
		for i := range p {
			if w.dropped[i] {
				p[i] = 0
			}
		}
	}
}

// score computes a tile of scores.
func (w *gradWorker[T]) score(p []T, row, m, n int) {
	if w.onAMX() {
		w.scoreOnAMX(p, row, m, n)
		return
	}
	w.gather(w.q, &w.Q, w.Width, row, m, w.Scale)
	w.keysT.multiply(m, n, w.Width, Matrix[T]{w.q, w.Width, 1}, p, n, false)
}

// weightsGrad computes the gradient of a tile's weights.
func (w *gradWorker[T]) weightsGrad(dp []T, row, m, n int) {
	if w.onAMX() {
		w.weightsGradOnAMX(dp, row, m, n)
		return
	}
	w.gather(w.dout, &w.grad.DOut, w.Outputs, row, m, w.kept())
	w.outsT.multiply(m, n, w.Outputs, Matrix[T]{w.dout, w.Outputs, 1}, dp, n, false)
}

// kept is what dropout multiplies weights by that it leaves.
func (w *gradWorker[T]) kept() float64 {
	if w.Keep > 0 {
		return 1 / w.Keep
	}
	return 0
}

// softmaxGradRows replaces dy by y·(dy - sum), the sum being each row's.
func softmaxGradRows[T dtype.Float](dy, y []T, n int, sums []T) {
	if vec.Rows(vec.SoftmaxGrad, n, sums, noResults, dy, dy, y) {
		return
	}
	for i, v := range y {
		dy[i] = v * (dy[i] - sums[i/n])
	}
}

// productsGrad makes dS of a tile the gradient of the products of queries and keys: by the slope of the soft cap, and on AMX by the scale, which packed Q
// and K have elsewhere.
func (w *gradWorker[T]) productsGrad(m, n int) {
	if w.SoftCap > 0 {
		t, c := w.bent[:m*n], T(1/w.SoftCap)
		for i, v := range t {
			t[i] = v * c
		}
		TanhGrad(w.ds[:m*n], w.ds[:m*n], t)
	}
	if w.onAMX() {
		scale(w.ds[:m*n], w.Scale)
	}
}

// addQueries adds what a tile gives to DQ.
func (w *gradWorker[T]) addQueries(row, m, n int) {
	if w.Width > 0 {
		dq := w.grad.DQ.from(w.batch, w.head, row)
		if w.onAMX() {
			w.addQueriesOnAMX(dq, m, n)
			return
		}
		inPlace(w.k, w.Width).multiply(m, w.Width, n, Matrix[T]{w.ds, n, 1}, dq, w.grad.DQ.Row, true)
	}
}

// maskBackward adds dS to DMask: heads that share a part of the mask follow each other on one thread.
func (a *attentionGrad[T]) maskBackward() error {
	batches, heads, parts := 1, 1, 1
	if a.DMask.Batch != 0 {
		batches = a.Batch
	}
	if a.DMask.Head != 0 {
		heads = a.Heads
	}
	blocks := ceilDiv(a.Queries, gradTile)
	if a.DMask.Row != 0 {
		parts = partsOf(batches*heads, max(blocks, 1))
	}
	return a.forWorkers(batches*heads*parts, func(w *gradWorker[T], i int) {
		first, last := blocks*(i%parts)/parts*gradTile, min(blocks*(i%parts+1)/parts*gradTile, a.Queries)
		for b := i / parts / heads; b < a.Batch; b += batches {
			for h := i / parts % heads; h < a.Heads; h += heads {
				w.maskOf(b, h, first, last)
			}
		}
	})
}

// maskOf adds dS of a head's rows from first to last-1.
func (w *gradWorker[T]) maskOf(batch, head, first, last int) {
	w.at(batch, head/(w.Heads/w.Groups))
	w.head = head
	for key := 0; key < w.Keys; key += keyTile {
		n := min(keyTile, w.Keys-key)
		w.pack(key, n)
		for row := first; row < last; row += gradTile {
			m := min(gradTile, last-row)
			w.tile(row, m, key, n)
			for i := range m {
				to := w.grad.DMask
				at := batch*to.Batch + head*to.Head + (row+i)*to.Row + key*to.Place
				for j, d := range w.ds[i*n:][:n] {
					to.Add[at+j*to.Place] += d
				}
			}
		}
	}
}
