package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/par"
)

// LayerNorm computes y = (x - mean) * rstd * weight + bias for each of rows rows
// of cols elements, and the mean and rstd = 1/√(variance + eps) of each row, the
// variance being the biased one. weight and bias have cols elements or are nil.
func LayerNorm[T dtype.Float](rows, cols int, x, weight, bias []T, eps float64, y, mean, rstd []T) {
	par.For(rows, max(1, rowElems/max(cols, 1)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, to := x[i*cols:][:cols], y[i*cols:][:cols]
			m := sum64(row) / float64(cols)
			r := 1 / math.Sqrt(squares64(row, m)/float64(cols)+eps)
			mean[i], rstd[i] = T(m), T(r)
			for j, v := range row {
				to[j] = T((float64(v) - m) * r)
			}
			if weight != nil {
				for j, w := range weight[:cols] {
					to[j] *= w
				}
			}
			if bias != nil {
				for j, b := range bias[:cols] {
					to[j] += b
				}
			}
		}
	})
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
				layerNormBackwardRow(dy[at:][:cols], x[at:][:cols], weight, float64(mean[i]), float64(rstd[i]), dx[at:][:cols])
			}
		})
	}
	if dweight != nil || dbias != nil {
		layerNormBackwardParams(rows, cols, dy, x, mean, rstd, dweight, dbias)
	}
}

func layerNormBackwardRow[T dtype.Float](dy, x, weight []T, mean, rstd float64, dx []T) {
	var sum, dot float64
	for j, v := range x {
		g := float64(dy[j])
		if weight != nil {
			g = float64(g * float64(weight[j]))
		}
		sum += g
		dot += float64(g * (float64(v) - mean))
	}
	n := float64(len(x))
	sum, dot = sum/n, float64(dot*rstd)/n
	for j, v := range x {
		g := float64(dy[j])
		if weight != nil {
			g = float64(g * float64(weight[j]))
		}
		dx[j] = T(rstd * (g - sum - float64((float64(v)-mean)*rstd*dot)))
	}
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

// squares64 returns Σ (x-mean)**2, added as sum64 adds.
func squares64[T dtype.Float](x []T, mean float64) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 {
		v := (*[4]T)(x)
		d0, d1, d2, d3 := float64(v[0])-mean, float64(v[1])-mean, float64(v[2])-mean, float64(v[3])-mean
		s0, s1 = s0+float64(d0*d0), s1+float64(d1*d1)
		s2, s3 = s2+float64(d2*d2), s3+float64(d3*d3)
		x = x[4:]
	}
	for _, v := range x {
		d := float64(v) - mean
		s0 += float64(d * d)
	}
	return (s0 + s1) + (s2 + s3)
}
