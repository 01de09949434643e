package onnxnode

import (
	"cresset/dtype"
	"cresset/linalg"
	"cresset/tensor"
)

// products are of matrices, and what is composed of them.
var products = map[string]operator{
	"MatMul": two((*tensor.Tensor).MatMul),
	"Gemm":   gemm,
	"Einsum": func(n *node) []*tensor.Tensor { return one(tensor.Einsum(n.text("equation", ""), n.inputs()...)) },
	"MatMulInteger": func(n *node) []*tensor.Tensor {
		a, b := n.input(0).To(dtype.Int32), n.input(1).To(dtype.Int32)
		if n.has(2) {
			a = a.Sub(n.input(2).To(dtype.Int32))
		}
		if n.has(3) {
			b = b.Sub(n.input(3).To(dtype.Int32))
		}
		return one(a.MatMul(b))
	},
	"Det":             unary(linalg.Det),
	"RotaryEmbedding": rotary,
	"Attention":       attention,
}

func gemm(n *node) []*tensor.Tensor {
	a, b := n.input(0), n.input(1)
	if n.flag("transA", 0) {
		a = a.T()
	}
	if n.flag("transB", 0) {
		b = b.T()
	}
	y := a.MM(b).MulScalar(n.float("alpha", 1))
	if n.has(2) {
		y = y.Add(n.input(2).MulScalar(n.float("beta", 1)))
	}
	return one(y)
}

// rotary turns pairs of a head's elements by angles whose cosines and sines are given, by position or one by one.
func rotary(n *node) []*tensor.Tensor {
	x := n.input(0)
	shape := x.Shape()
	if len(shape) == 3 {
		heads := n.integer("num_heads", 1)
		x = x.Reshape(shape[0], shape[1], heads, shape[2]/heads).Transpose(1, 2)
	}
	cos, sin := n.input(1), n.input(2)
	if n.has(3) {
		at := n.input(3)
		pick := func(t *tensor.Tensor) *tensor.Tensor {
			return t.IndexSelect(0, at.Flatten(0, -1)).View(at.Size(0), at.Size(1), t.Size(1))
		}
		cos, sin = pick(cos), pick(sin)
	}
	cos, sin = cos.Unsqueeze(1), sin.Unsqueeze(1)
	width := n.integer("rotary_embedding_dim", 0)
	if width == 0 {
		width = x.Size(-1)
	}
	turned, rest := x.Narrow(-1, 0, width), x.Narrow(-1, width, x.Size(-1)-width)
	var a, b *tensor.Tensor
	interleaved := n.flag("interleaved", 0)
	if interleaved {
		a, b = turned.Slice(-1, 0, tensor.End, 2), turned.Slice(-1, 1, tensor.End, 2)
	} else {
		a, b = turned.Narrow(-1, 0, width/2), turned.Narrow(-1, width/2, width/2)
	}
	cos, sin = cos.Narrow(-1, 0, width/2), sin.Narrow(-1, 0, width/2)
	re, im := a.Mul(cos).Sub(b.Mul(sin)), a.Mul(sin).Add(b.Mul(cos))
	if interleaved {
		turned = tensor.Stack([]*tensor.Tensor{re, im}, -1).Flatten(-2, -1)
	} else {
		turned = tensor.Cat([]*tensor.Tensor{re, im}, -1)
	}
	y := tensor.Cat([]*tensor.Tensor{turned, rest}, -1)
	if len(shape) == 3 {
		y = y.Transpose(1, 2).Reshape(shape...)
	}
	return one(y)
}
