package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// LayerNorm computes y = (x - mean) * rstd * weight + bias for each of rows rows
// of cols elements, and the mean and rstd = 1/√(variance + eps) of each row, the
// variance being the biased one. weight and bias have cols elements or are nil.
func LayerNorm[T dtype.Float](rows, cols int, x, weight, bias []T, eps float64, y, mean, rstd []T) {
	par.For(rows, max(1, rowElems/max(cols, 1)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, to := x[i*cols:][:cols], y[i*cols:][:cols]
			m, variance := moments64(row)
			r := 1 / math.Sqrt(variance+eps)
			mean[i], rstd[i] = T(m), T(r)
			normalize(row, weight, bias, centerOf[T](m), T(r), to)
		}
	})
}

// normalize computes y = (x - mean) * rstd * weight + bias.
func normalize[T dtype.Float](x, weight, bias []T, mean center[T], rstd T, y []T) {
	done := 0
	if weight != nil && bias != nil {
		done = vec.Ternary(vec.NormalizeAffine, y, x, weight, bias, mean.mean, mean.rest, rstd)
	} else {
		done = vec.Unary(vec.Normalize, y, x, mean.mean, mean.rest, rstd)
		if weight != nil {
			Mul(y[:done], y[:done], weight)
		}
		if bias != nil {
			Add(y[:done], y[:done], bias)
		}
	}
	for i := done; i < len(y); i++ {
		v := T(mean.from(x[i]) * rstd)
		if weight != nil {
			v = T(v * weight[i])
		}
		if bias != nil {
			v += bias[i]
		}
		y[i] = v
	}
}

// LayerNormBackward computes the gradients of LayerNorm for x, weight and bias.
// With x̂ = (x - mean) * rstd and g = dy*weight they are
//
//	dx = rstd * (g - mean(g) - x̂*mean(g*x̂))
//	dweight = Σ dy*x̂
//	dbias = Σ dy
//
// with means over a row and sums over the rows. A nil gradient is not computed.
func LayerNormBackward[T dtype.Float](rows, cols int, dy, x, weight, mean, rstd, dx, dweight, dbias []T) {
	if dx != nil {
		par.For(rows, max(1, rowElems/max(cols, 1)), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				at := i * cols
				layerNormBackwardRow(dy[at:][:cols], x[at:][:cols], weight, mean[i], rstd[i], dx[at:][:cols])
			}
		})
	}
	if dweight != nil || dbias != nil {
		layerNormBackwardParams(rows, cols, dy, x, mean, rstd, dweight, dbias)
	}
}

func layerNormBackwardRow[T dtype.Float](dy, x, weight []T, mean, rstd T, dx []T) {
	var l [2 * maxLanes]float64
	lanes, done := lanesOf[T](), 0
	if weight == nil {
		done = vec.Fold(vec.LayerNormSums, l[:], []T{mean, rstd}, dy, x)
	} else {
		done = vec.Fold(vec.LayerNormSumsWeighted, l[:], []T{mean, rstd}, dy, x, weight)
	}
	for i := done; i < len(x); i++ {
		g, lane := float64(weighted(dy, weight, i)), i&(lanes-1)
		l[lane] += g
		l[lanes+lane] += float64(g * float64((x[i]-mean)*rstd))
	}
	n := float64(len(x))
	sum, dot := T(joinLanes(l[:lanes])/n), T(joinLanes(l[lanes:2*lanes])/n)
	if weight == nil {
		done = vec.Binary(vec.LayerNormGrad, dx, dy, x, mean, rstd, sum, dot)
	} else {
		done = vec.Ternary(vec.LayerNormGradWeighted, dx, dy, x, weight, mean, rstd, sum, dot)
	}
	for i := done; i < len(x); i++ {
		dx[i] = rstd * (weighted(dy, weight, i) - sum - T(T((x[i]-mean)*rstd)*dot))
	}
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
				m, r := float64(mean[i]), float64(rstd[i])
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
