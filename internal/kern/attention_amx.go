package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Attention of bfloat16 on AMX has the blocks and the softmax of float32; its two products alone are others. Keys and values are packed as panels of pairs, of the
// width's elements and of keys. Scores are multiplied by the scale, which would round queries once more, unless it is a power of two. Weights are rounded to bfloat16 for the second
// product, as PyTorch's kernel has it, but enter their sum in float32.

// AttendsOnAMX reports whether attention of such sizes takes and gives bfloat16.
func AttendsOnAMX(keys, width, outputs int) bool {
	return vec.HasAMX() && keys >= minAMXCols && min(width, outputs) >= vec.AMXSteps
}

// onAMX reports whether the operands are of bfloat16.
func (a *attention[T]) onAMX() bool { return a.Q.Halves != nil }

// queryTile returns how many rows a tile of scores has at most.
func (a *attention[T]) queryTile() int {
	if a.onAMX() {
		return amxQueryTile
	}
	return queryTile
}

// rowOfScores returns how far rows of a tile of scores with n keys are apart: under AMX by whole panels.
func (a *attention[T]) rowOfScores(n int) int {
	if a.onAMX() {
		return ceilDiv(n, vec.AMXCols) * vec.AMXCols
	}
	return n
}

// amxAttention is what a thread has for products on AMX beside panels.
type amxAttention[T dtype.Float] struct {
	queries amxRows
	weights []T // room for those of a tile, as rows
	tail    []T // and for the values of its last keys, as panels of a step
}

// panelsSize returns how many elements the panels of a right factor have.
func (a *attention[T]) panelsSize(k, n int) int {
	if a.onAMX() {
		return volume(ceilDiv(k, vec.AMXSteps), ceilDiv(n, vec.AMXCols), vec.AMXSteps/2*vec.AMXCols)
	}
	return packedSize[T](k, n)
}

func (a *attention[T]) queriesSize(rows int) int {
	if a.onAMX() {
		return amxRowsSize(rows, a.Width)
	}
	return rows * a.Width
}

func (a *attention[T]) weightsSize(rows int) int {
	if a.onAMX() {
		return amxRowsSize(rows, min(a.Keys, keyTile))
	}
	return 0
}

func (a *attention[T]) tailSize() int {
	if a.onAMX() {
		return a.panelsSize(vec.AMXSteps, a.Outputs)
	}
	return 0
}

// halvesOf returns the rows of a head of keys or values from a row on.
func (w *attentionWorker[T]) halvesOf(h *Heads[T], row int) Matrix[dtype.BF16] {
	return Matrix[dtype.BF16]{h.Halves[h.at(w.batch, w.group, row):], h.Row, 1}
}

// store writes m rows, which follow each other in x.
func (h *Heads[T]) store(batch, head, row, m int, x []T) {
	width, at := len(x)/m, h.at(batch, head, row)
	if h.Halves != nil && h.Row == width {
		narrow(h.Halves[at:], asFloat32(x))
		return
	}
	for i := range m {
		if line, to := x[i*width:][:width], at+i*h.Row; h.Halves != nil {
			narrow(h.Halves[to:], asFloat32(line))
		} else {
			copy(h.Data[to:], line)
		}
	}
}

// packQueries copies a block of queries, and multiplies it by the scale where that rounds nothing.
func (w *forwardWorker[T]) packQueries(row, m int) {
	q := w.Q.Halves[w.Q.at(w.batch, w.head, row):]
	w.amx.queries = packRowsAMX(asFloat32(w.q), q, w.Q.Row, m, w.Width)
	if w.scalesQueries() {
		scaleHalves(w.amx.queries.packed[:m*w.amx.queries.steps*vec.AMXSteps], w.Scale)
	}
}

// scalesQueries reports whether queries are multiplied by the scale: by a power of two, as that of heads of 64 or 256 elements is.
func (w *forwardWorker[T]) scalesQueries() bool {
	fraction, _ := math.Frexp(w.Scale)
	return fraction == 0.5
}

// scaleHalves multiplies all elements by a factor.
func scaleHalves(x []dtype.BF16, by float64) {
	var space [1 << 9]float32
	for len(x) > 0 {
		n := min(len(x), len(space))
		widen(space[:n], x)
		scale(space[:n], by)
		narrow(x, space[:n])
		x = x[n:]
	}
}

// scoreOnAMX is score, for whole panels.
func (w *forwardWorker[T]) scoreOnAMX(keys rightFactor[T], s []T, n int) {
	q := &w.amx.queries
	q.multiply(0, q.steps, asFloat32(keys.panels), keys.next, n, asFloat32(s), n, false)
	if !w.scalesQueries() {
		scale(s, w.Scale)
	}
}

// weighOnAMX is weigh. A last step of fewer keys has panels of its own, behind which are zeros: what else the factor has there are values that none of the rows sees,
// and that may be no numbers.
func (w *forwardWorker[T]) weighOnAMX(values rightFactor[T], s []T, m, c, n int, out []T, add bool) {
	p, to := packRowsAMX(asFloat32(w.amx.weights), asFloat32(s), len(s)/m, m, n), asFloat32(out)
	whole := n / vec.AMXSteps
	if whole > 0 {
		p.multiply(0, whole, asFloat32(values.panels), values.next, w.Outputs, to, w.Outputs, add)
	}
	if keys := n % vec.AMXSteps; keys > 0 {
		var tail rightFactor[T]
		tail.packHalves(w.amx.tail, w.halvesOf(&w.V, c+n-keys), keys, w.Outputs)
		p.multiply(whole, 1, asFloat32(tail.panels), tail.next, w.Outputs, to, w.Outputs, add || whole > 0)
	}
}

// packHalves copies a matrix of bfloat16, [k, n], to space, as panels for AMX.
func (f *rightFactor[T]) packHalves(space []T, m Matrix[dtype.BF16], k, n int) {
	size := ceilDiv(k, vec.AMXSteps) * vec.AMXSteps / 2 * vec.AMXCols
	*f = rightFactor[T]{panels: space, width: vec.AMXCols, row: vec.AMXCols / 2, next: size}
	for j := 0; j < n; j += vec.AMXCols {
		packAMX(asFloat32(space)[j/vec.AMXCols*size:][:size], Matrix[dtype.BF16]{m.Data[j*m.Col:], m.Row, m.Col}, k, min(vec.AMXCols, n-j))
	}
}

// amxRows are m rows of a left factor for AMX: tiles below each other, each [steps, rows, 32].
type amxRows struct {
	packed   []dtype.BF16
	m, steps int
}

// amxRowsSize returns how many elements of float32 have room for such rows.
func amxRowsSize(m, k int) int { return m * ceilDiv(k, vec.AMXSteps) * vec.AMXSteps / 2 }

// packRowsAMX copies m rows of k elements to space.
func packRowsAMX[E amxElement](space []float32, a []E, row, m, k int) amxRows {
	r := amxRows{asHalves(space), m, ceilDiv(k, vec.AMXSteps)}
	for _, g := range r.tiles() {
		for i := g.row; i < g.row+g.tiles*g.height; i += g.height {
			vec.AMXLines(r.packed[i*r.steps*vec.AMXSteps:], a[i*row:], row, g.height, k)
		}
	}
	return r
}

func (r *amxRows) tiles() [2]tileGroup {
	return tileGroups(0, r.m, ceilDiv(r.m, ceilDiv(r.m, vec.AMXRows)))
}

// multiply computes C[m, n] = A·B of so many steps from l on, or adds the product to C. B's panels, next apart, begin with those steps. Sums of whole panels are C's elements.
func (r *amxRows) multiply(l, steps int, b []float32, next, n int, c []float32, rowC int, add bool) {
	panels, rest := n/vec.AMXCols, n%vec.AMXCols
	for _, g := range r.tiles() {
		if g.tiles == 0 {
			continue
		}
		step, to := g.height*vec.AMXSteps, c[g.row*rowC:]
		t := vec.AMXTile{
			Rows: g.height, Count: g.tiles, K: steps, A: r.packed[g.row*r.steps*vec.AMXSteps+l*step:], RowA: vec.AMXSteps, ColA: step, StepA: r.steps * step, B: b,
		}
		if panels > 0 {
			whole := t
			whole.Sums, whole.RowSums, whole.StepSums = to, rowC, g.height*rowC
			whole.Panels, whole.PanelB, whole.PanelSums = panels, next, vec.AMXCols
			if add {
				whole.From, whole.RowFrom, whole.StepFrom, whole.PanelFrom = to, rowC, whole.StepSums, vec.AMXCols
			}
			whole.RunSums()
		}
		if rest > 0 {
			var sums [vec.AMXRows * vec.AMXCols]float32
			var from []float32
			to = to[n-rest:]
			if add {
				from = to
			}
			t.B, t.Sums = b[panels*next:], sums[:]
			t.RunFloats(to, rowC, rest, from, rowC)
		}
	}
}

// asFloat32 returns x, which is of float32 where AMX computes.
func asFloat32[T any](x []T) []float32 { return any(x).([]float32) }
