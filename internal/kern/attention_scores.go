package kern

import (
	"math"

	"cresset/dtype"
)

// keysOf returns the range of keys that a query from row first to last-1 may see.
func (a *attention[T]) keysOf(first, last int) (lo, hi int) {
	lo, _ = a.keysOfRow(first)
	_, hi = a.keysOfRow(last - 1)
	return lo, max(lo, hi)
}

// keysOfRow returns the range of keys that row i may see: up to its own place where attention is causal, and none as far away as
// the window is long.
func (a *attention[T]) keysOfRow(i int) (lo, hi int) {
	if a.oneRow {
		i = 0
	}
	at := a.First + i
	hi = a.Keys
	if a.Window > 0 {
		lo, hi = min(max(at-a.Window+1, 0), a.Keys), min(hi, at+a.Window)
	}
	if a.Causal {
		hi = min(hi, at+1)
	}
	return lo, max(hi, lo)
}

// queriesOf returns the range of queries that may see a key from first to last-1.
func (a *attention[T]) queriesOf(first, last int) (lo, hi int) {
	hi = a.Queries
	if a.Causal {
		lo = first - a.First
	} else if a.Window > 0 {
		lo = first - a.First - a.Window + 1
	}
	if a.Window > 0 {
		hi = min(hi, last-1-a.First+a.Window)
	}
	lo = min(max(lo, 0), a.Queries)
	return lo, max(hi, lo)
}

// cap bends a tile of scores so that they stay between -SoftCap and SoftCap.
func (a *attention[T]) cap(s []T) {
	if a.SoftCap > 0 {
		scale(s, 1/a.SoftCap)
		Tanh(s, s)
		scale(s, a.SoftCap)
	}
}

// scale multiplies all elements by a factor.
func scale[T dtype.Float](x []T, by float64) {
	if by != 1 && len(x) > 0 {
		scaleRows(x, len(x), []T{T(by)})
	}
}

// mask adds the mask to a tile of scores, of m rows and n keys from row and key on, and makes those -∞ whose query does not see the
// key, and what rows have behind their keys: s is no longer than its rows, from whose length follows how far they are apart.
func (w *attentionWorker[T]) mask(s []T, row, m, key, n int) {
	var none [keyTile]T
	fillWith(none[:], T(math.Inf(-1)))
	apart := len(s) / m
	for i := range m {
		line := s[i*apart:][:apart]
		if w.Mask != nil {
			w.Mask.apply(line[:n], w.batch*w.Mask.Batch+w.head*w.Mask.Head+(row+i)*w.Mask.Row+key*w.Mask.Place)
		}
		lo, hi := w.keysOfRow(row + i)
		copy(line[:min(max(lo-key, 0), n)], none[:])
		copy(line[max(min(hi-key, n), 0):], none[:])
	}
}

// apply masks scores by the elements from at on.
func (k *AttentionMask[T]) apply(s []T, at int) {
	if k.Allow != nil {
		for j := range s {
			if !k.Allow[at+j*k.Place] {
				s[j] = T(math.Inf(-1))
			}
		}
		return
	}
	if k.Place == 1 {
		Add(s, s, k.Add[at:][:len(s)])
		return
	}
	for j := range s {
		s[j] += k.Add[at+j*k.Place]
	}
}

// drop zeroes the elements of a tile that dropout takes.
func (w *attentionWorker[T]) drop(p []T, row, m, key, n int) {
	apart := len(p) / m
	w.eachDropped(row, m, key, n, func(i, j int) { p[i*apart+j] = 0 })
}

// eachDropped calls f with the rows and columns of a tile that dropout takes.
func (w *attentionWorker[T]) eachDropped(row, m, key, n int, f func(i, j int)) {
	first := (w.batch*w.Heads+w.head)*w.Queries + row
	for i := range m {
		for j, kept := range w.Kept[(first+i)*w.Keys+key:][:n] {
			if !kept {
				f(i, j)
			}
		}
	}
}
