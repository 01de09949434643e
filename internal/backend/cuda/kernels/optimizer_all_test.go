package kernels_test

import (
	"slices"
	"testing"

	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
	"cresset/internal/op"
)

// TestOptimizersOfMany updates chunks of several parameters by one launch of few blocks.
func TestOptimizersOfMany(t *testing.T) {
	sgd := op.SGD{LR: 0.1, Momentum: 0.9, Dampening: 0.3, WeightDecay: 0.01}
	adam := op.Adam{LR: 1e-3, Beta1: 0.5, Beta2: 0.75, Eps: 1e-8, Step: 1, Maximize: true}
	m := &machine{t: t}
	var ofSGD, ofAdam []kernels.Chunk
	var got, want [][]float32
	for _, n := range []uint64{1, 0, 700, 33} {
		p, grad, square := waves(n), waves(n), waves(n)
		for i := range square {
			grad[i], square[i] = grad[i]*3+0.5, square[i]*square[i]
		}
		at := put(m, grad)
		plain, buffer, wantPlain, wantBuffer := slices.Clone(p), slices.Clone(square), slices.Clone(p), slices.Clone(square)
		kern.SGD(wantPlain, wantBuffer, grad, sgd)
		ofSGD = append(ofSGD, kernels.Chunk{N: n, P: put(m, plain), First: put(m, buffer), Grad: at})
		x, mean, v, wantX, wantMean, wantV := slices.Clone(p), slices.Clone(p), slices.Clone(square), slices.Clone(p), slices.Clone(p), slices.Clone(square)
		kern.Adam(wantX, wantMean, wantV, grad, adam)
		ofAdam = append(ofAdam, kernels.Chunk{N: n, P: put(m, x), First: put(m, mean), Second: put(m, v), Grad: at})
		got, want = append(got, plain, buffer, x, mean, v), append(want, wantPlain, wantBuffer, wantX, wantMean, wantV)
	}
	grid := kernels.ChunkGrid(3)
	launch(m, "sgd_all_f32", grid, kernels.SGD{N: uint64(len(ofSGD)), P: put(m, ofSGD),
		Rate: -sgd.LR, Decay: sgd.WeightDecay, Momentum: sgd.Momentum, Keep: 1 - sgd.Dampening})
	launch(m, "adam_all_f32", grid, kernels.Adam{N: uint64(len(ofAdam)), P: put(m, ofAdam), Step: -adam.LR / (1 - adam.Beta1), Root: 0.5,
		Eps: adam.Eps, Weight1: 1 - adam.Beta1, Beta2: adam.Beta2, Weight2: 1 - adam.Beta2, Maximize: 1})
	for i := range want {
		compare(t, "sgd_all and adam_all", got[i], want[i])
	}
}
