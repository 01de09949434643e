package tensor

import (
	"fmt"
	"slices"
	"strings"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Function is an op whose gradient its author writes. Apply calls it. What is no tensor, such as a number or an axis, is a field of the
// type that implements it; a value of the type stands for one call.
type Function interface {
	// Forward returns the results for inputs that do not track gradients, some of which may be nil. It keeps by c.Save what
	// Backward needs.
	Forward(c *FunctionContext, inputs ...*Tensor) []*Tensor
	// Backward returns the gradient of each input, nil for none, from those of the results: zeros for one on which nothing
	// depends, unless MaterializeGrads(false) was called. These tensors may be used until it returns. With CreateGraph, gradients
	// that it makes by ops can be differentiated, others cannot.
	Backward(c *FunctionContext, grads ...*Tensor) []*Tensor
}

// InputCaster is a Function whose inputs Autocast casts: float32 and halves become what CastInputs returns, and Forward and Backward compute
// without Autocast, PyTorch's custom_fwd(cast_inputs=…). Of other functions both compute with the Autocast of the inputs.
type InputCaster interface {
	Function
	CastInputs() dtype.DType
}

// FunctionContext is what Apply and Backward tell a Function, and what it tells them.
type FunctionContext struct {
	application *application
	given       []*Tensor // to Apply
	inputs      []*Tensor // as Forward sees them
	saved       []*Tensor
	constant    []*Tensor // results without a gradient
	walk        *backprop // during Backward
	tracked     bool      // whether what Backward has seen tracks gradients
}

// application is a call of a Function.
type application struct {
	f       Function
	name    string
	results []functionResult
	sparse  bool // MaterializeGrads(false)
	casts   *autocast
}

// functionResult is what Backward needs to know of a result; its node is nil where it has no gradient.
type functionResult struct {
	node   *node
	layout *layout.Layout
	dtype  dtype.DType
	device device.Device
}

// Apply returns the results of f for inputs, some of which may be nil. They track gradients where an input does.
func Apply(f Function, inputs ...*Tensor) []*Tensor {
	casts := latestAutocast(inputs...)
	if caster, ok := f.(InputCaster); ok && casts.enabledFor(inputs) {
		return casts.castTo(caster.CastInputs(), inputs, func(xs []*Tensor) []*Tensor { return Apply(f, xs...) })
	}
	a := &application{f: f, name: functionName(f), casts: casts}
	c := &FunctionContext{application: a, given: inputs, inputs: make([]*Tensor, len(inputs))}
	for i, x := range inputs {
		if x != nil {
			c.inputs[i] = x.Detach()
		}
	}
	outs := f.Forward(c, c.inputs...)
	if slices.Contains(outs, nil) || len(outs) == 0 {
		fail(a.name, ErrAutograd, "Forward of a Function must return tensors")
	}
	return c.record(outs)
}

// functionName is what PyTorch calls the node of a function, by the name of its type.
func functionName(f Function) string {
	name := fmt.Sprintf("%T", f)
	return name[strings.LastIndexAny(name, ".*")+1:] + "Backward"
}

// record returns what Forward made, as results with places in the graph. One has the node of the function itself; each of several has
// one of its own, which hands its gradient there.
func (c *FunctionContext) record(outs []*Tensor) []*Tensor {
	a, results := c.application, make([]*Tensor, len(outs))
	var differentiable []int
	for i, out := range outs {
		results[i] = out.Detach()
		a.results = append(a.results, functionResult{layout: out.layout, dtype: out.dtype, device: out.storage.device})
		if out.dtype.IsFloat() && !slices.Contains(c.constant, out) {
			differentiable = append(differentiable, i)
		}
	}
	tracked := slices.ContainsFunc(c.given, func(x *Tensor) bool { return x != nil && x.node != nil })
	if !tracked || len(differentiable) == 0 {
		return results
	}
	if len(outs) == 1 {
		n := record(results[0], op.Function, functionGrad, a, c.given...)
		a.results[0].node = n
		c.keep(n, outs, results)
		return results
	}
	n := record(&Tensor{dtype: dtype.Float32}, op.Function, functionGrad, a, c.given...)
	for _, i := range differentiable {
		a.results[i].node = results[i].handOn(n, i)
	}
	c.keep(n, outs, results)
	return results
}

// keep saves with the node what Forward asked for: inputs and results with their places in the graph.
func (c *FunctionContext) keep(n *node, outs, results []*Tensor) {
	for _, v := range c.saved {
		input, out := slices.Index(c.inputs, v), slices.Index(outs, v)
		switch {
		case v == nil:
			n.save(nil)
		case input >= 0:
			n.save(c.given[input])
		case out >= 0:
			n.save(results[out])
		default:
			n.derive(v)
		}
	}
}

// handOn gives x, result i of a function, a node that hands its gradient to the function's.
func (x *Tensor) handOn(to *node, i int) *node {
	x.node = &node{op: op.Function, back: copyOfGrad, params: i, order: nodes.Add(1), out: x.dtype, layout: x.layout}
	x.node.edges = append(x.node.inEdge[:0], edge{to: to, layout: x.layout, dtype: x.dtype, device: x.storage.device})
	return x.node
}

// function returns the call to which a node with op.Function belongs.
func (n *node) function() *application {
	if a, ok := n.params.(*application); ok {
		return a
	}
	return n.edges[0].to.function()
}

func functionGrad(b *backprop, dy *Tensor) {
	a, edges := b.params().(*application), len(b.current.edges)
	c := &FunctionContext{application: a, walk: b}
	grads := []*Tensor{dy}
	if dy == nil {
		grads = c.arrived()
	}
	c.see(grads)
	b.scratch.casts.Store(a.casts)
	given := a.f.Backward(c, grads...)
	b.scratch.casts.Store(nil)
	for len(given) > edges && given[len(given)-1] == nil {
		given = given[:len(given)-1]
	}
	if len(given) != edges {
		fail(a.name, ErrAutograd, fmt.Sprintf("function %s returned an incorrect number of gradients (expected %d, got %d)", a.name, edges, len(given)))
	}
	for i, g := range given {
		if g != nil && b.needs(i) {
			c.check(i, g)
			b.give(i, c.once(g, grads))
		}
	}
}

// arrived returns the gradients of several results.
func (c *FunctionContext) arrived() []*Tensor {
	b, a := c.walk, c.application
	grads := make([]*Tensor, len(a.results))
	for i, g := range b.parts[b.current] {
		if g != nil {
			grads[i] = b.enter(g)
		} else if r := &a.results[i]; !a.sparse {
			zeros := b.scratch.fresh(&Tensor{layout: layout.Fresh(r.layout.Shape()...), dtype: r.dtype}, r.device)
			grads[i] = zeros.fill(backend.Scalar{})
		}
	}
	return grads
}

// see notes whether tensors that Backward has seen track gradients.
func (c *FunctionContext) see(ts []*Tensor) {
	for _, t := range ts {
		c.tracked = c.tracked || t != nil && t.node != nil
	}
}

// check panics where g cannot be the gradient of input i. A dtype is cast, and what is broader is summed.
func (c *FunctionContext) check(i int, g *Tensor) {
	e, name := &c.walk.current.edges[i], c.application.name
	if g.storage.device != e.device && g.layout.Rank() > 0 {
		fail(name, ErrDevice, fmt.Sprintf("Function %s returned an invalid gradient at index %d - expected device %s but got %s",
			name, i, e.device, g.storage.device), g)
	}
	if !g.layout.Shape().Holds(e.layout.Shape()) {
		fail(name, ErrShape, fmt.Sprintf("Function %s returned an invalid gradient at index %d - got %s but expected shape compatible with %s",
			name, i, g.layout.Shape().List(), e.layout.Shape().List()), g)
	}
}

// once returns g, with a node that has no derivative where g should have one but was not made by ops.
func (c *FunctionContext) once(g *Tensor, grads []*Tensor) *Tensor {
	if !c.walk.creates || g.node != nil || !c.tracked {
		return g
	}
	h := g.Detach()
	h.node = unrecorded(op.Function, g.dtype, g.layout, grads...)
	h.node.back, h.node.params = twice, c.application
	for _, e := range c.walk.current.edges {
		if e.to != nil {
			h.node.edges = append(h.node.edges, e)
		}
	}
	return h
}

func twice(_ *backprop, dy *Tensor) {
	fail("backward", ErrAutograd, "trying to differentiate twice a function that was marked with @once_differentiable", dy)
}

// Save keeps tensors for Backward: inputs, results, and others. It is called once, in Forward; a nil stays nil. A tensor that is changed in
// place before Backward is an error there. With CreateGraph, what is neither an input nor a result has no derivative.
func (c *FunctionContext) Save(ts ...*Tensor) { c.saved = ts }

// Saved returns in Backward what Save was given.
func (c *FunctionContext) Saved() []*Tensor {
	if c.walk == nil {
		return c.saved
	}
	ts := make([]*Tensor, len(c.walk.current.saved))
	for i := range ts {
		ts[i] = c.walk.saved(i)
	}
	c.see(ts)
	return ts
}

// NeedsInputGrad reports whether input i tracks gradients and, in Backward, whether its gradient is wanted.
func (c *FunctionContext) NeedsInputGrad(i int) bool {
	if c.walk == nil {
		return c.given[i] != nil && c.given[i].node != nil
	}
	return c.walk.needs(i)
}

// MarkNonDifferentiable makes results in Forward constants: they track no gradient. Integers and bools never do.
func (c *FunctionContext) MarkNonDifferentiable(results ...*Tensor) { c.constant = results }

// MaterializeGrads says in Forward whether Backward gets zeros, as it does unless told otherwise, or nil for a result on which nothing
// depends.
func (c *FunctionContext) MaterializeGrads(on bool) { c.application.sparse = !on }
