package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// LayerNorm computes y = (x - mean) * rstd * weight + bias for each of rows rows
// of cols elements, and the mean and rstd = 1/√(variance + eps) of each row, the
// variance being the biased one. Where mean is nil it is RMSNorm: the mean counts
// as 0. weight and bias have cols elements or are nil. Unless residual is nil
// sum = x + residual is normalised in the place of x.
func LayerNorm[T dtype.Float](rows, cols int, x, residual, sum, weight, bias []T, eps float64, y, mean, rstd []T) {
	forRowBlocks(rows, cols, func(lo, hi int) {
		var m [rowBlock]rowMoments
		var scalars [3 * rowBlock]T
		from, to := x[lo*cols:hi*cols], y[lo*cols:hi*cols]
		if residual != nil {
			Add(sum[lo*cols:hi*cols], from, residual[lo*cols:hi*cols])
			from = sum[lo*cols : hi*cols]
		}
		if mean != nil {
			momentsRows(from, cols, m[:hi-lo])
		} else {
			squaresRows(from, cols, m[:hi-lo])
		}
		for r, v := range m[:hi-lo] {
			rstd[lo+r] = normalizers(v, eps, scalars[3*r:])
			if mean != nil {
				mean[lo+r] = T(v.mean)
			}
		}
		if len(y) < hugeRows || !streamNormalized(from, weight, bias, cols, scalars[:3*(hi-lo)], to, after(x, cols, lo, hi)) {
			normalizeRows(from, weight, bias, cols, scalars[:3*(hi-lo)], to)
		}
	})
}

// normalizers writes what normalizeRows takes of a row, of which it returns rstd.
func normalizers[T dtype.Float](m rowMoments, eps float64, scalars []T) T {
	c := centerOf[T](m.mean)
	scalars[0], scalars[1], scalars[2] = c.mean, c.rest, T(1/math.Sqrt(m.variance+eps))
	return scalars[2]
}

// streamNormalized is normalizeRows by non-temporal stores, where there is such a loop, and prefetches next. It reports whether
// there was.
func streamNormalized[T dtype.Float](x, weight, bias []T, n int, scalars, y, next []T) bool {
	switch {
	case weight != nil && bias != nil:
		return vec.StreamRows(next, vec.NormalizeAffine, n, scalars, y, x, weight[:n], bias[:n])
	case weight == nil && bias == nil:
		return vec.StreamRows(next, vec.Normalize, n, scalars, y, x)
	case bias == nil:
		return vec.StreamRows(next, vec.NormalizeWeighted, n, scalars, y, x, weight[:n])
	}
	return false
}

// normalizeRows computes y = (x - mean) * rstd * weight + bias with each row's mean, in two parts, and rstd.
func normalizeRows[T dtype.Float](x, weight, bias []T, n int, scalars, y []T) {
	if n == 0 {
		return
	}
	if weight != nil && (bias != nil && vec.Rows(vec.NormalizeAffine, n, scalars, noResults, y, x, weight[:n], bias[:n]) ||
		bias == nil && vec.Rows(vec.NormalizeWeighted, n, scalars, noResults, y, x, weight[:n])) {
		return
	}
	plain := vec.Rows(vec.Normalize, n, scalars, noResults, y, x)
	for lo := 0; lo < len(x); lo += n {
		row := y[lo : lo+n]
		if s := scalars[lo/n*3:]; !plain {
			c := center[T]{s[0], s[1]}
			for i, v := range x[lo : lo+n] {
				row[i] = c.from(v) * s[2]
			}
		}
		if weight != nil {
			Mul(row, row, weight)
		}
		if bias != nil {
			Add(row, row, bias)
		}
	}
}

// LayerNormBackward computes the gradients of LayerNorm for x, weight and bias.
// With x̂ = (x - mean) * rstd and g = dy*weight they are
//
//	dx = rstd * (g - mean(g) - x̂*mean(g*x̂))
//	dweight = Σ dy*x̂
//	dbias = Σ dy
//
// with means over a row and sums over the rows. Where mean is nil, as in RMSNorm,
// dx is without mean(g). Unless onto is nil, which may be dx, it is added to dx.
// A nil gradient is not computed.
func LayerNormBackward[T dtype.Float](rows, cols int, dy, x, weight, mean, rstd, onto, dx, dweight, dbias []T) {
	if dx != nil {
		par.For(rows, max(1, rowElems/max(cols, 1)), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				at := i * cols
				var old []T
				if onto != nil {
					old = onto[at:][:cols]
				}
				layerNormBackwardRow(dy[at:][:cols], x[at:][:cols], weight, meanAt(mean, i), rstd[i], mean != nil, old, dx[at:][:cols])
			}
		})
	}
	if dweight != nil || dbias != nil {
		layerNormBackwardParams(rows, cols, dy, x, mean, rstd, dweight, dbias)
	}
}

// meanAt returns the mean of row i, 0 where there are none.
func meanAt[T dtype.Float](mean []T, i int) T {
	if mean == nil {
		return 0
	}
	return mean[i]
}

// layerNormBackwardRow is dx of a row; centred says whether its mean was taken off.
func layerNormBackwardRow[T dtype.Float](dy, x, weight []T, mean, rstd T, centred bool, onto, dx []T) {
	n := len(x)
	if n == 0 {
		return
	}
	sums := layerNormSums(dy, x, weight, mean, rstd)
	scalars := []T{mean, rstd, 0, T(sums[1] / float64(n))}
	if centred {
		scalars[2] = T(sums[0] / float64(n))
	}
	if layerNormGradInVectors(dy, x, weight, scalars, onto, dx) {
		return
	}
	for i, v := range x {
		g := rstd * (weighted(dy, weight, i) - scalars[2] - T(T((v-mean)*rstd)*scalars[3]))
		if onto != nil {
			g = onto[i] + T(g)
		}
		dx[i] = g
	}
}

func layerNormGradInVectors[T dtype.Float](dy, x, weight, scalars, onto, dx []T) bool {
	n := len(x)
	switch {
	case weight == nil && onto == nil:
		return vec.Rows(vec.LayerNormGrad, n, scalars, noResults, dx, dy, x)
	case weight == nil:
		return vec.Rows(vec.LayerNormGradOnto, n, scalars, noResults, dx, dy, x, onto)
	case onto == nil:
		return vec.Rows(vec.LayerNormGradWeighted, n, scalars, noResults, dx, dy, x, weight[:n])
	}
	return vec.Rows(vec.LayerNormGradWeightedOnto, n, scalars, noResults, dx, dy, x, weight[:n], onto)
}

// layerNormSums returns Σ g and Σ g*x̂ of a row, with g and x̂ of LayerNormBackward.
func layerNormSums[T dtype.Float](dy, x, weight []T, mean, rstd T) (sums [2]float64) {
	for lo := 0; lo < len(x); lo += piece {
		hi := min(lo+piece, len(x))
		var w []T
		if weight != nil {
			w = weight[lo:hi]
		}
		part := layerNormSumsPiece(dy[lo:hi], x[lo:hi], w, mean, rstd)
		sums[0] += part[0]
		sums[1] += part[1]
	}
	return sums
}

func layerNormSumsPiece[T dtype.Float](dy, x, weight []T, mean, rstd T) (sums [2]float64) {
	scalars := []T{mean, rstd}
	if weight == nil && vec.Rows(vec.LayerNormSums, len(x), scalars, sums[:], dy, x) ||
		weight != nil && vec.Rows(vec.LayerNormSumsWeighted, len(x), scalars, sums[:], dy, x, weight) {
		return sums
	}
	sums[0] = inLanes(len(x), fewLanes, func(lanes []T, lo, hi int) {
		for i := lo; i < hi; i++ {
			lanes[i&(len(lanes)-1)] += weighted(dy, weight, i)
		}
	})
	sums[1] = inLanes(len(x), fewLanes, func(lanes []T, lo, hi int) {
		for i := lo; i < hi; i++ {
			lanes[i&(len(lanes)-1)] += T(weighted(dy, weight, i) * T((x[i]-mean)*rstd))
		}
	})
	return sums
}

// weighted returns dy[i]*weight[i], or dy[i] without weights.
func weighted[T dtype.Float](dy, weight []T, i int) T {
	if weight == nil {
		return dy[i]
	}
	return T(dy[i] * weight[i])
}

// layerNormBackwardParams adds the rows in order, a block of columns at a time.
func layerNormBackwardParams[T dtype.Float](rows, cols int, dy, x, mean, rstd, dweight, dbias []T) {
	const block = 64
	par.For(ceilDiv(cols, block), max(1, rowElems/(block*max(rows, 1))), func(lo, hi int) {
		for ; lo < hi; lo++ {
			var dots, sums [block]float64
			first := lo * block
			count := min(block, cols-first)
			for i := range rows {
				m, r := float64(meanAt(mean, i)), float64(rstd[i])
				from := x[i*cols+first:][:count]
				for j, g := range dy[i*cols+first:][:count] {
					sums[j] += float64(g)
					dots[j] += float64(float64(g) * (float64(from[j]) - m) * r)
				}
			}
			for j := range count {
				if dweight != nil {
					dweight[first+j] = T(dots[j])
				}
				if dbias != nil {
					dbias[first+j] = T(sums[j])
				}
			}
		}
	})
}
