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
		ofSGD = append(ofSGD, kernels.Chunk{N: n, P: put(m, plain), State: [3]uint64{put(m, buffer)}, Grad: at})
		x, mean, v, wantX, wantMean, wantV := slices.Clone(p), slices.Clone(p), slices.Clone(square), slices.Clone(p), slices.Clone(p), slices.Clone(square)
		kern.Adam(wantX, wantMean, wantV, grad, adam)
		ofAdam = append(ofAdam, kernels.Chunk{N: n, P: put(m, x), State: [3]uint64{put(m, mean), put(m, v)}, Grad: at})
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

// TestUpdatesOfMany updates one parameter, and chunks of several by one launch, by each kind of what is kept: of one tensor to three.
func TestUpdatesOfMany(t *testing.T) {
	o := op.Update{Rate: -0.1, Sign: -1, Decay: 0.25, Shrink: 0.5, Part: 0.1, Share: 0.75, Rest: 0.25, Root: 0.5, Eps: 1e-3}
	numbers := kernels.Update{Rate: o.Rate, Sign: o.Sign, Decay: o.Decay, Shrink: o.Shrink,
		Part: o.Part, Share: o.Share, Rest: o.Rest, Root: o.Root, Eps: o.Eps}
	for name, step := range map[string]func(p, a, b, c, grad []float32){
		"adagrad": func(p, a, _, _, grad []float32) { kern.AdagradStep(p, a, grad, o) },
		"adamax":  func(p, a, b, _, grad []float32) { kern.AdamaxStep(p, a, b, grad, o) },
		"amsgrad": func(p, a, b, c, grad []float32) { kern.AMSGradStep(p, a, b, c, grad, o) },
	} {
		m := &machine{t: t}
		var list []kernels.Chunk
		var got, want [][]float32
		for _, n := range []uint64{1, 0, 700, 33} {
			p, grad := waves(n), waves(n)
			kept := [3][]float32{waves(n), waves(n), waves(n)}
			c := kernels.Chunk{N: n, P: put(m, p), Grad: put(m, grad)}
			wanted := [][]float32{slices.Clone(p)}
			for k := range kept {
				for i := range kept[k] {
					kept[k][i] *= kept[k][i]
				}
				c.State[k] = put(m, kept[k])
				wanted = append(wanted, slices.Clone(kept[k]))
			}
			step(wanted[0], wanted[1], wanted[2], wanted[3], grad)
			list = append(list, c)
			got, want = append(got, p, kept[0], kept[1], kept[2]), append(want, wanted...)
		}
		one, many := numbers, numbers
		one.One = list[2]
		many.List, many.Count = put(m, slices.Delete(slices.Clone(list), 2, 3)), 3
		launch(m, name+"_f32", kernels.Flat(700, few), one)
		launch(m, name+"_f32", kernels.ChunkGrid(3), many)
		for i := range want {
			compare(t, name, got[i], want[i])
		}
	}
}
