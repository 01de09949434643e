package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

const normHalfElems = 1 << 13 // elements of a block, which as float32 stay in the L1 cache

// LayerNormHalf is LayerNorm of a half type, some rows at a time, by way of float32 where there are no loops over halves: a copy of
// all of x takes a third of layer_norm_bf16/1024x1024 and of layer_norm_f16/1024x1024. All but x and y is float32.
func LayerNormHalf[H Half](rows, cols int, x []H, weight, bias []float32, eps float64, y []H, mean, rstd []float32) error {
	block := min(rowBlock, max(1, normHalfElems/max(cols, 1)))
	return ForWithWorkspace(rows, block, block*cols, func(lo, hi int, space []float32) {
		for ; lo < hi; lo += block {
			next := min(lo+block, hi)
			from, to, wide, means := x[lo*cols:next*cols], y[lo*cols:next*cols], space[:(next-lo)*cols], mean
			if mean != nil {
				means = mean[lo:next]
			}
			if normalizeHalves(cols, from, weight, bias, eps, to, means, rstd[lo:next]) {
				continue
			}
			widen(wide, from)
			LayerNorm(next-lo, cols, wide, nil, nil, weight, bias, eps, wide, means, rstd[lo:next])
			narrow(to, wide)
		}
	})
}

// normalizeHalves is LayerNorm with weights, by loops that read and write halves. It reports whether there are, and whether the moments
// of all rows are those that the first shifts give; where not, what it has written is of no use.
func normalizeHalves[H Half](n int, x []H, weight, bias []float32, eps float64, y []H, mean, rstd []float32) bool {
	if weight == nil || n > piece || n < 2*samples {
		return false
	}
	var shifts [rowBlock]float32
	var all [rowBlock]deviations
	var scalars [3 * rowBlock]float32
	rows := len(rstd)
	for r := range rows {
		if mean != nil {
			shifts[r] = sampledHalves(x[r*n:][:n])
		}
	}
	if !vec.HalfRows(halfNormsOf[H]().deviations, n, shifts[:rows], all[:rows], x) {
		return false
	}
	for r, d := range all[:rows] {
		m := rowMoments{0, d.squares / float64(n)}
		if d.lost() || mean != nil && !d.near(float64(n)) {
			return false
		}
		if mean != nil {
			m = d.moments(float64(shifts[r]), float64(n))
			mean[r] = float32(m.mean)
		}
		rstd[r] = normalizers(m, eps, scalars[3*r:])
	}
	return normalizeHalfRows(x, weight, bias, n, scalars[:3*rows], y)
}

// normalizeHalfRows is normalizeRows with weights, where there is such a loop. It reports whether there was.
func normalizeHalfRows[H Half](x []H, weight, bias []float32, n int, scalars []float32, y []H) bool {
	if bias == nil {
		return vec.ToHalfRows(halfNormsOf[H]().weighted, n, scalars, y, x, weight)
	}
	return vec.ToHalfRows(halfNormsOf[H]().affine, n, scalars, y, x, weight, bias)
}

// sampledHalves is sampled of a row of 2*samples elements at least.
func sampledHalves[H Half](x []H) float32 {
	var few [samples]float32
	for i := range few {
		few[i] = floatOf(x[i*(len(x)/samples)])
	}
	return meanOf(&few)
}

// halfNorms are loops over rows of a half type.
type halfNorms struct{ deviations, affine, weighted vec.RowLoop }

func halfNormsOf[H Half]() halfNorms {
	if dtype.Of[H]() == dtype.Float16 {
		return halfNorms{vec.DeviationsF16, vec.NormalizeAffineF16, vec.NormalizeWeightedF16}
	}
	return halfNorms{vec.DeviationsBF16, vec.NormalizeAffineBF16, vec.NormalizeWeightedBF16}
}
