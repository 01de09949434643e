package onnxnode

import (
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// attention is softmax(scale·q·kᵀ + mask)·v by heads, with keys and values from before, and the scores at the stage that is asked for.
func attention(n *node) []*tensor.Tensor {
	q, k, v := n.input(0), n.input(1), n.input(2)
	flat := q.Dim() == 3
	if flat {
		q, k, v = headed(q, n.integer("q_num_heads", 1)), headed(k, n.integer("kv_num_heads", 1)), headed(v, n.integer("kv_num_heads", 1))
	}
	past := 0
	if n.has(4) {
		past = n.input(4).Size(2)
		k, v = tensor.Cat([]*tensor.Tensor{n.input(4), k}, 2), tensor.Cat([]*tensor.Tensor{n.input(5), v}, 2)
	}
	presentKey, presentValue := k, v
	if groups := q.Size(1) / k.Size(1); groups > 1 {
		k, v = k.RepeatInterleave(groups, 1), v.RepeatInterleave(groups, 1)
	}
	scale := math.Sqrt(n.float("scale", 1/math.Sqrt(float64(q.Size(-1)))))
	scores := q.MulScalar(scale).MatMul(k.MulScalar(scale).Transpose(-2, -1))
	stages := []*tensor.Tensor{scores}
	bias := scoreBias(n, q.Size(2), k.Size(2), past)
	soft := scores
	if limit := n.float("softcap", 0); limit > 0 {
		soft = scores.DivScalar(limit).Tanh().MulScalar(limit)
	}
	masked := soft
	if bias != nil {
		masked = soft.Add(bias.To(scores.DType()))
	}
	weights := masked.Softmax(-1)
	stages = append(stages, soft, masked, weights)
	y := weights.MatMul(v)
	if flat {
		y = y.Transpose(1, 2).Flatten(2, -1)
	}
	return []*tensor.Tensor{y, presentKey, presentValue, stages[n.integer("qk_matmul_output_mode", 0)]}
}

// headed parts the last axis into heads.
func headed(x *tensor.Tensor, heads int) *tensor.Tensor {
	return x.Reshape(x.Size(0), x.Size(1), heads, x.Size(2)/heads).Transpose(1, 2)
}

// scoreBias is what is added to scores: the mask's numbers, -∞ where it says no, after the last key that counts, and ahead of a query.
func scoreBias(n *node, queries, keys, past int) (bias *tensor.Tensor) {
	add := func(b *tensor.Tensor) {
		if bias != nil {
			b = bias.Add(b)
		}
		bias = b
	}
	forbid := func(allowed *tensor.Tensor) {
		add(tensor.Where(allowed, 0.0, math.Inf(-1)))
	}
	if n.has(3) {
		mask := n.input(3)
		if short := keys - mask.Size(-1); short > 0 {
			if mask.DType() == dtype.Bool {
				mask = tensor.Cat([]*tensor.Tensor{mask, tensor.ZerosLike(mask.Narrow(-1, 0, 1).Expand(append(append([]int{}, mask.Shape()[:mask.Dim()-1]...), short)...))}, -1)
			} else {
				mask = mask.Pad([]int{0, short}, math.Inf(-1))
			}
		}
		if mask.DType() == dtype.Bool {
			forbid(mask)
		} else {
			add(mask)
		}
	}
	place := tensor.Arange(0, keys, 1)
	if n.has(6) {
		forbid(place.Lt(n.input(6).View(-1, 1, 1, 1)))
	}
	if n.flag("is_causal", 0) {
		forbid(place.Le(tensor.Arange(past, past+queries, 1).View(-1, 1)))
	}
	return bias
}
