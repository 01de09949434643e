package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

// activations are the ops that a product's kernel applies to what it stores.
var activations = map[op.Op]kernels.Activation{
	op.Invalid:  kernels.Identity,
	op.ReLU:     kernels.Relu,
	op.GELU:     kernels.Gelu,
	op.GELUTanh: kernels.GeluTanh,
	op.SiLU:     kernels.Silu,

	op.ReLUGrad:     kernels.ReluGrad,
	op.GELUGrad:     kernels.GeluGrad,
	op.GELUTanhGrad: kernels.GeluTanhGrad,
	op.SiLUGrad:     kernels.SiluGrad,
}

var joinings = map[op.Op]kernels.Joining{op.Invalid: kernels.Unjoined, op.Add: kernels.Added, op.Mul: kernels.Multiplied}

// describeEpilogue fills what a kernel must know of what follows the product of a call, and reports whether it can do that: whether it has the
// ops, and the views lie as the result does.
func describeEpilogue(p *kernels.Product, c *backend.Call) bool {
	activation, ok := activations[c.Then]
	e := c.Epilogue
	switch {
	case c.Out()[0].DType != c.DType:
		return describeWide(p, c)
	case !ok:
		return false
	case e == nil:
		p.Activation = activation
		return true
	}
	joining, ok := joinings[e.Join]
	if e.Gate != op.Invalid {
		gate, known := activations[e.Gate]
		joining, ok = kernels.Gated, known && activation == gate+kernels.ReluGrad-kernels.Relu && e.Join == op.Invalid
	}
	var at [3]uint64
	for i, v := range []*backend.View{&e.X, &e.Other, &e.Aside} {
		if v.DType == dtype.Undefined {
			continue
		}
		if v.IsConst() || v.DType != c.DType || !v.Layout.IsContiguous() || !v.Layout.Shape().Equal(c.Out()[0].Layout.Shape()) {
			return false
		}
		at[i] = address(v)
	}
	if !ok || activation == kernels.Identity && joining == kernels.Unjoined {
		return false
	}
	p.Activation, p.Joining, p.X, p.Other, p.Aside = activation, joining, at[0], at[1], at[2]
	return true
}

// describeWide is describeEpilogue for a result of float32 of a product of halves, to which another tensor of float32 may be added.
func describeWide(p *kernels.Product, c *backend.Call) bool {
	p.Joining = kernels.Widened
	e := c.Epilogue
	if c.Then != op.Invalid || e == nil || e.Join != op.Add || e.Gate != op.Invalid || e.X.DType != dtype.Undefined || e.Aside.DType != dtype.Undefined {
		return false
	}
	v, out := &e.Other, &c.Out()[0]
	if v.IsConst() || v.DType != out.DType || !v.Layout.IsContiguous() || !v.Layout.Shape().Equal(out.Layout.Shape()) {
		return false
	}
	p.Other = address(v)
	return true
}
