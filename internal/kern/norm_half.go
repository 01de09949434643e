package kern

const normHalfElems = 1 << 13 // elements of a block, which as float32 stay in the L1 cache

// LayerNormHalf is LayerNorm of a half type by way of float32, some rows at a time: a copy of all of x takes a third of layer_norm_bf16/1024x1024 and
// of layer_norm_f16/1024x1024. All but x and y is float32.
func LayerNormHalf[H Half](rows, cols int, x []H, weight, bias []float32, eps float64, y []H, mean, rstd []float32) error {
	block := max(1, normHalfElems/max(cols, 1))
	return ForWithWorkspace(rows, block, block*cols, func(lo, hi int, space []float32) {
		for ; lo < hi; lo += block {
			next := min(lo+block, hi)
			wide, means := space[:(next-lo)*cols], mean
			if mean != nil {
				means = mean[lo:next]
			}
			widen(wide, x[lo*cols:])
			LayerNorm(next-lo, cols, wide, nil, nil, weight, bias, eps, wide, means, rstd[lo:next])
			narrow(y[lo*cols:next*cols], wide)
		}
	})
}
