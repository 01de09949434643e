package kern

import (
	"cresset/dtype"
	"cresset/internal/par"
)

// Reductions see their input as [outer][n][inner] and reduce the middle axis. A function of a row computes the result of one run
// along that axis; runs that are not contiguous are gathered first. No result depends on the number of threads: a row that is contiguous
// and is longer than piece is always reduced in pieces of that length, whose results are joined in order. Errors are those of ForWithWorkspace.

const (
	piece       = 1 << 15 // elements of a piece of a row, and how many one thread reduces at least
	reduceLanes = 16      // rows that are gathered together where inner is not 1: a cache line of float32
	wave        = 256     // pieces that are computed before they are joined: many more than threads, so that few threads idle at the end
)

// Reduce is dst[o][i] = row(src[o][:][i]).
func Reduce[D, S dtype.Element](dst []D, src []S, outer, n, inner int, row func(row []S) D) error {
	return forEachRow(src, outer, n, inner, func(at int, s []S) { dst[at] = row(s) })
}

// MapRows calls row with every run x along the middle axis of src, with the run y of dst that it fills, and with the index
// at of its place in [outer][inner].
func MapRows[D, S dtype.Element](dst []D, src []S, outer, n, inner int, row func(at int, x []S, y []D)) error {
	return MapBlocks(dst, src, outer, n, inner, func(at int, x []S, y []D) {
		for ; len(x) > 0; x, y = x[n:], y[n:] {
			row(at, x[:n], y[:n])
			at++
		}
	})
}

// MapBlocks is MapRows whose function takes several runs, one behind the other, with the index of the first one's place.
func MapBlocks[D, S dtype.Element](dst []D, src []S, outer, n, inner int, rows func(at int, x []S, y []D)) error {
	if len(src) == 0 {
		return nil
	}
	if inner == 1 {
		par.For(outer, max(1, piece/n), func(lo, hi int) { rows(lo, src[lo*n:hi*n], dst[lo*n:hi*n]) })
		return nil
	}
	blocks := outer * ceilDiv(inner, reduceLanes)
	return ForWithWorkspaces(blocks, laneGrain(n), volume(min(reduceLanes, inner), n), func(lo, hi int, x []S, y []D) {
		for b := lo; b < hi; b++ {
			from, at, count := laneBlock(b, n, inner)
			gatherLanes(x, src[from:], n, count, inner)
			rows(at, x[:count*n], y[:count*n])
			scatterLanes(dst[from:], y, n, count, inner)
		}
	})
}

// forEachRow calls visit with every run along the middle axis, contiguous, and with the index of its result.
func forEachRow[S dtype.Element](src []S, outer, n, inner int, visit func(at int, row []S)) error {
	if inner == 1 {
		forEachLine(src, outer, n, visit)
		return nil
	}
	return forGathered(src, outer, n, inner, func(at, count int, rows []S) {
		for l := range count {
			visit(at+l, rows[l*n:(l+1)*n])
		}
	})
}

// forGathered calls visit with copies of neighbouring runs, one behind the other, and with the index of the first one's result.
func forGathered[S dtype.Element](src []S, outer, n, inner int, visit func(at, count int, rows []S)) error {
	return ForWithWorkspace(outer*ceilDiv(inner, reduceLanes), laneGrain(n), volume(min(reduceLanes, inner), n), func(lo, hi int, rows []S) {
		for b := lo; b < hi; b++ {
			from, at, count := laneBlock(b, n, inner)
			if n > 0 {
				gatherLanes(rows, src[from:], n, count, inner)
			}
			visit(at, count, rows[:count*n])
		}
	})
}

// forEachLine is forEachRow where inner is 1: all runs are contiguous.
func forEachLine[S dtype.Element](src []S, outer, n int, visit func(at int, row []S)) {
	par.For(outer, max(1, piece/max(n, 1)), func(lo, hi int) {
		for o := lo; o < hi; o++ {
			visit(o, src[o*n:(o+1)*n])
		}
	})
}

// laneGrain returns how many blocks of lanes are worth a thread.
func laneGrain(n int) int { return max(1, piece/max(n*reduceLanes, 1)) }

// laneBlock returns where block b of lanes starts in the input and in the result, and how many lanes it has.
func laneBlock(b, n, inner int) (from, at, count int) {
	blocks := ceilDiv(inner, reduceLanes)
	o, first := b/blocks, b%blocks*reduceLanes
	return o*n*inner + first, o*inner + first, min(reduceLanes, inner-first)
}

// gatherLanes writes rows[l*n+k] = src[k*stride+l] for l below count.
func gatherLanes[T dtype.Element](rows, src []T, n, count, stride int) {
	for k := range n {
		for l, v := range src[k*stride:][:count] {
			rows[l*n+k] = v
		}
	}
}

// scatterLanes writes dst[k*stride+l] = rows[l*n+k] for l below count.
func scatterLanes[T dtype.Element](dst, rows []T, n, count, stride int) {
	for k := range n {
		to := dst[k*stride:][:count]
		for l := range to {
			to[l] = rows[l*n+k]
		}
	}
}

// inPieces joins what part makes of the pieces of [0, n), in order. For a row of one piece callers need not make a closure.
func inPieces[A any](n int, part func(lo, hi int) A, join func(a, b A) A) A {
	var parts [wave]A
	var whole A
	for first := 0; first < n; first += wave * piece {
		count := min(wave, ceilDiv(n-first, piece))
		par.Do(count, func(i int) {
			lo := first + i*piece
			parts[i] = part(lo, min(lo+piece, n))
		})
		for i, v := range parts[:count] {
			if first+i == 0 {
				whole = v
				continue
			}
			whole = join(whole, v)
		}
	}
	return whole
}

func plus(a, b float64) float64 { return a + b }
