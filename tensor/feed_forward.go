package tensor

import (
	"reflect"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/friend"
	"cresset/internal/op"
)

// A linearLayer is the parameters of x·Wᵀ + b; the bias may be nil.
type linearLayer friend.Linear[*Tensor]

func (l linearLayer) in() int  { return l.Weight.layout.Shape()[1] }
func (l linearLayer) out() int { return l.Weight.layout.Shape()[0] }

// following are the activations that GPUs compute with a product, by the methods that they are.
var following = map[uintptr]op.Op{
	reflect.ValueOf((*Tensor).ReLU).Pointer():     op.ReLU,
	reflect.ValueOf((*Tensor).GELU).Pointer():     op.GELU,
	reflect.ValueOf((*Tensor).GELUTanh).Pointer(): op.GELUTanh,
	reflect.ValueOf((*Tensor).SiLU).Pointer():     op.SiLU,
}

// followed returns the op of f where products with these layers, one after another or beside each other, are computed with what
// follows them: on GPUs, where all that they have to do with lies in order. It is op.Invalid elsewhere.
func (x *Tensor) followed(f func(*Tensor) *Tensor, layers ...linearLayer) op.Op {
	if x == nil || x.storage.device.IsCPU() || !x.layout.IsContiguous() || x.layout.Rank() < 2 {
		return op.Invalid
	}
	for _, l := range layers {
		if l.Weight == nil || l.Weight.layout.Rank() != 2 || !x.meets(l.Weight, l.Weight) {
			return op.Invalid
		}
		if b := l.Bias; b != nil && (!x.meets(b, l.Weight) || b.layout.Rank() != 1 || b.NumEl() != l.Weight.layout.Shape()[0]) {
			return op.Invalid
		}
	}
	return following[reflect.ValueOf(f).Pointer()]
}

// meets reports whether y, of the layer of a weight, has x's device, and after the casts of Autocast its dtype, which is a float32 or a half.
func (x *Tensor) meets(y, weight *Tensor) bool {
	dt, other := x.dtype, y.dtype
	if a := autocastOf(x, weight); a != nil && a.low[onGPU] != dtype.Undefined {
		if x.castable(onGPU) {
			dt = a.low[onGPU]
		}
		if y.castable(onGPU) {
			other = a.low[onGPU]
		}
	}
	fits := dt == dtype.Float32 || dt == dtype.Float16 || dt == dtype.BFloat16
	return fits && dt == other && y.storage.device == x.storage.device
}

// cast returns x and the layer as Linear takes them.
func (l linearLayer) cast(x *Tensor) (*Tensor, linearLayer) {
	if a := autocastOf(x, l.Weight); a != nil {
		x, l.Weight, l.Bias = a.three("linear", x, l.Weight, l.Bias)
	}
	return x, l
}

// besides reports whether y has x's device and dtype.
func (x *Tensor) besides(y *Tensor) bool {
	return y.dtype == x.dtype && y.storage.device == x.storage.device
}

// linearThen returns f of x.Linear(l), nil where that is not computed at once.
func (x *Tensor) linearThen(f func(*Tensor) *Tensor, l linearLayer) *Tensor {
	then := x.followed(f, l)
	if then == op.Invalid || x.lastExtent() != l.in() {
		return nil
	}
	x, l = l.cast(x)
	h, _ := x.asRows().activated(then, l)
	return x.rowsLike(h)
}

// feedForward returns a second layer of f of a first, added to residual unless that is nil; nil where that is not computed at once.
func (x *Tensor) feedForward(f func(*Tensor) *Tensor, first, second linearLayer, residual *Tensor) *Tensor {
	then := x.followed(f, first, second)
	if then == op.Invalid || x.lastExtent() != first.in() || first.out() != second.in() {
		return nil
	}
	x, first = first.cast(x)
	h, u := x.asRows().activated(then, first)
	return x.last(h, second, residual, fed{then: then}, u)
}

// gatedForward returns down of f(gate)·up, added to residual unless that is nil; nil where that is not computed at once.
func (x *Tensor) gatedForward(f func(*Tensor) *Tensor, gate, up, down linearLayer, residual *Tensor) *Tensor {
	then := x.followed(f, gate, up, down)
	if then == op.Invalid || x.lastExtent() != gate.in() || gate.in() != up.in() || gate.out() != up.out() || up.out() != down.in() {
		return nil
	}
	forUp, up := up.cast(x) // each layer has a cast of its own, as gradients that meet before it would be rounded
	u := forUp.asRows().linear(up.Weight, up.Bias, op.Invalid)
	forGate, gate := gate.cast(x)
	rows, w := forGate.asRows(), gate.Weight.T()
	h := gate.result(rows)
	e := backend.Epilogue{Join: op.Mul, Other: u.asView()}
	if u.node == nil && !gate.tracks(rows) {
		gate.launch(rows, w, h, then, &e, u)
		return x.last(h, down, residual, fed{then: then, gated: true})
	}
	g := gate.result(rows)
	e.Aside = g.asView()
	gate.launch(rows, w, h, then, &e, u, g)
	gate.record(g, rows, w)
	record(h, op.Mul, gatedGrad, fed{then: then, gated: true}, g, u).save(g, u)
	return x.last(h, down, residual, fed{then: then, gated: true}, g, u)
}

// activated returns h = then(x·wᵀ + bias) of a matrix, and what h's gradient is made of: x·wᵀ + bias, or h itself.
func (x *Tensor) activated(then op.Op, l linearLayer) (h, u *Tensor) {
	w := l.Weight.T()
	h = l.result(x)
	if _, ofResult := then.Derivative(); ofResult {
		l.launch(x, w, h, then, nil)
		l.record(h, x, w)
		before := *h
		return h.rectified(), &before
	}
	if !l.tracks(x) {
		l.launch(x, w, h, then, nil)
		return h, nil
	}
	u = l.result(x)
	l.launch(x, w, h, then, &backend.Epilogue{Aside: u.asView()}, u)
	l.record(u, x, w)
	return u.recorded(h, then, nil), u
}

// last returns h·wᵀ + bias, added to residual unless that is nil, in x's shape but for the last axis. Its gradient goes through what made h of
// its sources in one launch.
func (x *Tensor) last(h *Tensor, l linearLayer, residual *Tensor, p fed, sources ...*Tensor) *Tensor {
	h, l = l.cast(h)
	w, out := l.Weight.T(), l.result(h)
	var e *backend.Epilogue
	joined := residual != nil && h.besides(residual) && residual.layout.IsContiguous() && residual.layout.Shape().Equal(x.shapeWith(l.out()))
	if joined {
		e = &backend.Epilogue{Join: op.Add, Other: residual.asRows().asView()}
	}
	l.launch(h, w, out, op.Invalid, e, residual)
	kept := h
	if p.makesAgain(sources) && !out.inRecording() {
		kept = nil
		defer spent(h)
	}
	record(out, l.op(), fedGrad, p, append([]*Tensor{l.Bias, h, w}, sources...)...).save(append([]*Tensor{kept, w}, sources...)...)
	if joined {
		record(out, op.Add, addGrad, nil, residual.asRows(), out)
	}
	y := x.rowsLike(out)
	if residual == nil || joined {
		return y
	}
	defer spent(y)
	return residual.Add(y)
}

// fed belongs to a product of what an activation made: of its operand, or of a gate that is multiplied by its second source.
type fed struct {
	then  op.Op
	gated bool
}

// makesAgain reports whether h is not kept for its gradient, which makes it again of its source by one kernel: hidden layers are the widest, and their activations take
// most of what a layer would keep. An activation whose derivative is made of its result keeps that anyway. Compiled functions keep h, and one launch less.
func (p fed) makesAgain(sources []*Tensor) bool {
	_, ofResult := p.then.Derivative()
	return !p.gated && !ofResult && len(sources) == 1 && sources[0] != nil
}

// input returns h, with its place in the graph where that is wanted.
func (p fed) input(b *backprop) *Tensor {
	if h := b.saved(0); h != nil {
		return h
	}
	u := b.saved(2)
	u.node = nil
	h := u.elementwise(p.then, nil)
	if b.creates {
		h.node = b.current.edges[1].to
	}
	return h
}

// fedGrad is the gradient of a product with inputs bias, h, w and the sources of h, of which it saved all but the bias. The gradient of h, which
// nobody else sees, is multiplied by the activation's derivative where the product stores it. Where it is to be differentiated it goes the
// way of the ops.
func fedGrad(b *backprop, dy *Tensor) {
	p := b.params().(fed)
	w := b.saved(1)
	b.giveNeeded(0, func() *Tensor { return dy })
	b.giveNeeded(2, func() *Tensor {
		h := p.input(b)
		g := b.productFor(2, h.T(), dy)
		if b.current.saved[0].value.storage == nil && !b.creates {
			spent(h)
		}
		return g
	})
	if b.creates {
		b.giveNeeded(1, func() *Tensor { return b.productFor(1, dy, w.T()) })
		return
	}
	if _, ofResult := p.then.Derivative(); !ofResult || p.gated {
		b.giveUp(0)
	}
	if made := b.current.edges[1].to; made != nil && (b.needs(3) || p.gated && b.needs(4)) {
		b.throughActivation(p, dy, w)
		if !b.retain {
			made.free()
		}
	}
}

// throughActivation gives the sources of h their gradients.
func (b *backprop) throughActivation(p fed, dy, w *Tensor) {
	derivative, _ := p.then.Derivative()
	kept := b.saved(2)
	dx := kept.like(derivative, kept.dtype)
	e := backend.Epilogue{X: kept.asView()}
	if !p.gated {
		linearLayer{}.launch(dy, w.T(), dx, derivative, &e, kept)
		b.give(3, dx)
		return
	}
	other, dother := b.saved(3), kept.like(op.Mul, kept.dtype)
	e.Gate, e.Other, e.Aside = p.then, other.asView(), dother.asView()
	linearLayer{}.launch(dy, w.T(), dx, derivative, &e, kept, other, dother)
	b.give(3, dx)
	b.give(4, dother)
}

// gatedGrad is the gradient of f(g)·u, made of ops.
func gatedGrad(b *backprop, dy *Tensor) {
	then := b.params().(fed).then
	g, u := b.saved(0), b.saved(1)
	s := g.elementwise(then, nil)
	b.giveNeeded(1, func() *Tensor { return dy.Mul(s) })
	b.giveNeeded(0, func() *Tensor {
		kept := g
		if _, ofResult := then.Derivative(); ofResult {
			kept = s
		}
		return dy.Mul(u).Mul(slope(then)(kept, op.Number{}))
	})
}

// op is what computes the layer.
func (l linearLayer) op() op.Op {
	if l.Bias == nil {
		return op.MM
	}
	return op.AddMM
}

// tracks reports whether the layer's result of x tracks gradients.
func (l linearLayer) tracks(x *Tensor) bool {
	return x.node != nil || l.Weight.node != nil || l.Bias != nil && l.Bias.node != nil
}

// result returns an uninitialised result of the layer for a matrix.
func (l linearLayer) result(x *Tensor) *Tensor {
	return x.empty(l.op(), x.dtype, Shape{x.layout.Shape()[0], l.out()}, l.Weight, l.Bias)
}

// launch computes out = x·w, and the layer's bias added, with what follows; others are what the epilogue looks at.
func (l linearLayer) launch(x, w, out *Tensor, then op.Op, e *backend.Epilogue, others ...*Tensor) {
	ins, params := []*Tensor{x, w}, any(nil)
	if l.Bias != nil {
		ins, params = []*Tensor{l.Bias.Detach().Expand(out.layout.Shape()...), x, w}, op.Affine{Alpha: 1, Beta: 1}
	}
	c := callOf(l.op(), x.dtype, params, []*Tensor{out}, ins)
	c.Then, c.Epilogue = then, e
	for _, t := range others {
		if t != nil {
			t.use(c)
		}
	}
	run(c, out, ins...)
}

// record notes that out is the layer's result of x, with the weight transposed.
func (l linearLayer) record(out, x, w *Tensor) {
	if l.Bias == nil {
		record(out, op.MM, mmGrad, nil, x, w).save(x, w)
	} else {
		record(out, op.AddMM, addMMGrad, op.Affine{Alpha: 1, Beta: 1}, l.Bias, x, w).save(x, w)
	}
}

// asView is x for a kernel.
func (x *Tensor) asView() backend.View {
	return backend.View{Buf: x.storage.buf, Layout: x.layout, DType: x.dtype}
}

// lastExtent returns how long x's last axis is.
func (x *Tensor) lastExtent() int { return x.layout.Shape()[x.layout.Rank()-1] }

// shapeWith returns x's shape with another last extent.
func (x *Tensor) shapeWith(last int) Shape {
	return append(append(Shape{}, x.layout.Shape()[:x.layout.Rank()-1]...), last)
}

// asRows returns x, which is contiguous, as a matrix.
func (x *Tensor) asRows() *Tensor {
	if x.layout.Rank() == 2 {
		return x
	}
	rows, _ := x.layout.Shape()[:x.layout.Rank()-1].NumEl()
	return x.Reshape(rows, x.lastExtent())
}

// rowsLike returns a matrix with x's leading axes in the place of its rows.
func (x *Tensor) rowsLike(h *Tensor) *Tensor {
	if x.layout.Rank() == 2 {
		return h
	}
	return h.View(x.shapeWith(h.lastExtent())...)
}
