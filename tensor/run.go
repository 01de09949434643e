package tensor

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
	"cresset/internal/profile"
)

// launch runs a kernel that writes outs. Operands may be nil where an op allows one to be absent. The kernel is that of
// key, on the device of the first result.
func launch(o op.Op, key dtype.DType, params any, outs, ins []*Tensor) {
	launchThen(op.Invalid, o, key, params, outs, ins)
}

// launchThen is launch of an op that another follows: an elementwise one on the result, in place, which may be op.Invalid.
func launchThen(then, o op.Op, key dtype.DType, params any, outs, ins []*Tensor) {
	c := callOf(o, key, params, outs, ins)
	c.Then = then
	runAll(c, outs, ins)
}

// callOf returns a call with the results and operands of a launch.
func callOf(o op.Op, key dtype.DType, params any, outs, ins []*Tensor) *backend.Call {
	dev := outs[0].storage.device
	for _, t := range outs[1:] {
		if t.storage.device != dev {
			failDevices(o.String(), dev, t.storage.device, operandsOf(o.String(), append(outs, ins...))...)
		}
	}
	c := backend.NewCall(o, key)
	c.Params = params
	for _, t := range outs {
		t.writtenBy(c)
	}
	for _, t := range ins {
		if t == nil {
			c.AddIn()
		} else {
			t.readBy(c, dev)
		}
	}
	return c
}

// run is runAll of a call with one result.
func run(c *backend.Call, out *Tensor, ins ...*Tensor) { runAll(c, []*Tensor{out}, ins) }

// runAll issues a call with its results, gives it back, and panics with its error.
func runAll(c *backend.Call, outs, ins []*Tensor) {
	if t := recordingNow.Load(); t != nil {
		t.note(c, outs, ins)
	}
	o, f := c.Op, profile.BeginOp(c)
	err := outs[0].storage.backend.Run(c)
	f.End()
	c.Release()
	if err != nil {
		check(o.String(), kindOf(err), err, append(outs[:1:1], ins...)...)
	}
	if watching.Load() != 0 {
		for _, out := range outs {
			out.underived(o, ins...)
		}
	}
}

// writtenBy makes x the next result of a call.
func (x *Tensor) writtenBy(c *backend.Call) {
	x.use(c)
	v := c.AddOut()
	v.Buf, v.Layout, v.DType = x.storage.buf, x.layout, x.dtype
}

// readBy makes x the next operand of a call on dev: a CPU tensor without axes goes to a GPU as a number.
func (x *Tensor) readBy(c *backend.Call, dev device.Device) *backend.View {
	x.use(c)
	v := c.AddIn()
	v.DType = x.dtype
	switch on := x.storage.device; {
	case on == dev:
		v.Buf, v.Layout = x.storage.buf, x.layout
	case on.IsCPU() && x.layout.Rank() == 0:
		v.Const = x.scalar()
	default:
		o := c.Op
		c.Release()
		failDevices(o.String(), dev, on, argument{"x", x})
	}
	return v
}

// scalar returns the only element of a CPU tensor; the common dtypes are read where they lie.
func (x *Tensor) scalar() backend.Scalar {
	x.noteRead("item")
	switch {
	case x.dtype == dtype.Float32:
		return backend.Scalar{F: float64(elements[float32](x.storage)[x.layout.Offset]), Kind: backend.FloatScalar}
	case x.dtype == dtype.Float64:
		return backend.Scalar{F: elements[float64](x.storage)[x.layout.Offset], Kind: backend.FloatScalar}
	case x.dtype == dtype.Int64:
		return backend.Scalar{I: elements[int64](x.storage)[x.layout.Offset], Kind: backend.IntScalar}
	case x.dtype.IsFloat():
		return backend.Scalar{F: hostSlice[float64](x)[0], Kind: backend.FloatScalar}
	case x.dtype == dtype.Bool:
		return backend.Scalar{I: hostSlice[int64](x)[0], Kind: backend.BoolScalar}
	default:
		return backend.Scalar{I: hostSlice[int64](x)[0], Kind: backend.IntScalar}
	}
}

// like returns an uninitialised result of x's shape, on its device and in its scope.
func (x *Tensor) like(o op.Op, dt dtype.DType) *Tensor {
	return newResult(o.String(), x.storage.device, dt, x.packed(), x)
}

// empty returns an uninitialised result of another shape, on x's device; its scope is found among x's and the other
// operands', which may be nil.
func (x *Tensor) empty(o op.Op, dt dtype.DType, shape Shape, others ...*Tensor) *Tensor {
	return newResult(o.String(), x.storage.device, dt, layout.Fresh(shape...), x, others...)
}

// unary computes an elementwise op of one operand in x's own dtype.
func (x *Tensor) unary(o op.Op, params any) *Tensor {
	if x == nil {
		refuseNilOperand(o, "input", 1)
	}
	out := x.like(o, x.dtype)
	launch(o, x.dtype, params, []*Tensor{out}, []*Tensor{x})
	return out
}

// unaryFloat computes an elementwise op whose result is a float: integers and bools become float32 first.
func (x *Tensor) unaryFloat(o op.Op, params any) *Tensor {
	if x != nil && !x.dtype.IsFloat() {
		return x.castUnary(dtype.Default, o, params)
	}
	return x.unary(o, params)
}

// castUnary is unary of x in another dtype, whose memory it gives back.
func (x *Tensor) castUnary(dt dtype.DType, o op.Op, params any) *Tensor {
	y := x.cast(dt)
	out := y.unary(o, params)
	if y != x {
		y.storage.discard()
	}
	return out
}

// operand is an input of an elementwise op: a tensor, or a scalar where t is nil.
type operand struct {
	t *Tensor
	s backend.Scalar
}

// input is the first operand of an op, x.
func input(o op.Op, x *Tensor) operand {
	if x == nil {
		refuseNilOperand(o, "input", 1)
	}
	return operand{t: x}
}

// other is the second operand of an op.
func other(o op.Op, y *Tensor) operand {
	if y == nil {
		refuseNilOperand(o, "other", 2)
	}
	return operand{t: y}
}

// operandOf reads an operand that the caller gave as a tensor or as a number.
func operandOf(name string, v any) operand {
	if t, ok := v.(*Tensor); ok {
		refuseNil(name, "other", 2, t)
		return operand{t: t}
	}
	return operand{s: scalarOf(name, v)}
}

// isBool reports whether the operand is a bool tensor or a bool.
func (a operand) isBool() bool {
	if a.t == nil {
		return a.s.Kind == backend.BoolScalar
	}
	return a.t.dtype == dtype.Bool
}

func (a operand) promote(p *dtype.Promotion) {
	switch {
	case a.t == nil:
		p.Add(dtype.Wrapped, a.s.DType())
	case a.t.layout.Rank() == 0:
		p.Add(dtype.ZeroDim, a.t.dtype)
	default:
		p.Add(dtype.Dimensioned, a.t.dtype)
	}
}

// commonType returns the dtype in which operands meet.
func commonType(a, b operand) dtype.DType {
	if a.t != nil && b.t != nil && a.t.dtype == b.t.dtype {
		return a.t.dtype
	}
	var p dtype.Promotion
	a.promote(&p)
	b.promote(&p)
	return p.Result()
}

// commonShape returns the broadcast shape of the operands that are tensors.
func commonShape(name string, a, b operand) *layout.Layout {
	switch {
	case a.t == nil:
		return b.t.packed()
	case b.t == nil:
		return a.t.packed()
	case a.t.layout.Shape().Equal(b.t.layout.Shape()):
		if a.t.layout.IsContiguous() {
			return a.t.packed()
		}
		return b.t.packed()
	}
	switch as, bs := a.t.layout.Shape(), b.t.layout.Shape(); {
	case as.Holds(bs):
		return a.t.packed()
	case bs.Holds(as):
		return b.t.packed()
	}
	shape, err := layout.Broadcast(a.t.layout.Shape(), b.t.layout.Shape())
	check(name, ErrShape, err, a.t, b.t)
	return layout.Fresh(shape...)
}

// packed returns the layout of a fresh result of x's shape: x's own where that is one.
func (x *Tensor) packed() *layout.Layout {
	if x.layout.IsContiguous() && x.layout.Offset == 0 {
		return x.layout
	}
	return new(x.layout.Packed())
}

// binary computes an elementwise op of two operands that meet in the dtype common; the result has dtype result.
func binary(o op.Op, a, b operand, common, result dtype.DType) *Tensor {
	name := o.String()
	l := commonShape(name, a, b)
	dev := sameDevice(name, a.t, b.t)
	out := newResult(name, dev, result, l, a.t, b.t)
	binaryInto(o, out, a, b, common)
	return out
}

// binaryInto computes an elementwise op into out, to whose shape the operands must broadcast.
func binaryInto(o op.Op, out *Tensor, a, b operand, common dtype.DType) {
	x, y := a.t, b.t
	a.convert(common)
	b.convert(common)
	c := backend.NewCall(o, common)
	out.writtenBy(c)
	a.readBy(c, out, common)
	b.readBy(c, out, common)
	run(c, out, x, y)
	a.discardUnless(x)
	b.discardUnless(y)
}

// elementwise computes an elementwise op into out: of operands that are cast to dt and broadcast to its shape.
func elementwise(o op.Op, dt dtype.DType, params any, out *Tensor, operands ...operand) {
	ts := make([]*Tensor, len(operands))
	for i := range operands {
		ts[i] = operands[i].t
		operands[i].convert(dt)
	}
	c := backend.NewCall(o, dt)
	c.Params = params
	out.writtenBy(c)
	for i := range operands {
		operands[i].readBy(c, out, dt)
	}
	run(c, out, ts...)
	for i := range operands {
		operands[i].discardUnless(ts[i])
	}
}

// convert puts a copy in dtype dt in the place of a tensor that has another.
func (a *operand) convert(dt dtype.DType) {
	if a.t != nil && a.t.dtype != dt {
		a.t = a.t.cast(dt)
	}
}

// discardUnless frees the copy that convert made of t.
func (a *operand) discardUnless(t *Tensor) {
	if a.t != t {
		a.t.storage.discard()
	}
}

// readBy makes the operand the next of a call that writes out, to whose shape it is broadcast.
func (a *operand) readBy(c *backend.Call, out *Tensor, dt dtype.DType) {
	t := a.t
	if t == nil {
		v := c.AddIn()
		v.DType, v.Const = dt, a.s
		return
	}
	v := t.readBy(c, out.storage.device)
	if v.Layout != nil && t.layout != out.layout && !t.layout.Shape().Equal(out.layout.Shape()) {
		v.Layout = new(t.layout.Expand(nil, out.layout.Shape()))
	}
}

// cast returns x in another dtype, without a gradient record; x itself where it has that dtype.
func (x *Tensor) cast(dt dtype.DType) *Tensor {
	if x.dtype == dt {
		return x
	}
	out := x.like(op.Copy, dt)
	launch(op.Copy, dt, nil, []*Tensor{out}, []*Tensor{x})
	return out
}

// sameDevice returns the device on which operands meet, and panics with PyTorch's text where they do not. One tensor
// without axes may be on the CPU: it is a number to a GPU.
func sameDevice(name string, ts ...*Tensor) device.Device {
	dev, found := device.CPU, false
	for _, t := range ts {
		if t != nil && !t.storage.device.IsCPU() {
			dev, found = t.storage.device, true
			break
		}
	}
	if !found {
		return dev
	}
	numbers := 0
	for _, t := range ts {
		if t == nil || t.storage.device == dev {
			continue
		}
		if !t.storage.device.IsCPU() || t.layout.Rank() != 0 {
			failDevices(name, dev, t.storage.device, operandsOf(name, ts)...)
		}
		if numbers++; numbers > 1 {
			fail(name, ErrDevice, "Trying to pass too many CPU scalars to non-CPU kernel!", ts...)
		}
	}
	return dev
}
