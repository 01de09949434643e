package tensor

import (
	"slices"
	"sync"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/op"
)

// AutocastOption is an option of Autocast: Enabled, CacheEnabled or DeviceType.
type AutocastOption interface{ autocastOption(o *autocastOptions) }

// Enabled says whether Autocast is on, as it is unless told otherwise: a scope in which it is off computes in the dtypes of its data.
type Enabled bool

// CacheEnabled says whether Autocast casts a weight once in the life of a scope, as it does unless told otherwise, or for each op.
type CacheEnabled bool

// DeviceType limits Autocast to data on one type of device; it holds on all unless given. A scope may have several, each for a type.
func DeviceType(t device.Type) AutocastOption { return autocastOn(t) }

type (
	autocastOn      device.Type
	autocastOptions struct {
		enabled, cached bool
		on              []side
	}
)

func (e Enabled) autocastOption(o *autocastOptions)      { o.enabled = bool(e) }
func (c CacheEnabled) autocastOption(o *autocastOptions) { o.cached = bool(c) }
func (t autocastOn) autocastOption(o *autocastOptions)   { o.on = append(o.on, sideOf(device.Type(t))) }

// Autocast makes the ops on a scope's data choose their dtypes, as PyTorch's do within torch.autocast: products and convolutions cast
// float32 to dt, float16 or bfloat16, and ops that lose too much in it compute in float32. What has no list computes in the dtypes that it
// is given, as ops in place and those on float64 do. Weights belong to no scope: they are cast where they meet the scope's data, each once,
// and their gradients arrive in float32. Backward computes in the dtypes that were chosen before.
func Autocast(dt dtype.DType, opts ...AutocastOption) ScopeOption {
	o := autocastOptions{enabled: true, cached: true}
	for _, opt := range opts {
		opt.autocastOption(&o)
	}
	if dt != dtype.Float16 && dt != dtype.BFloat16 {
		failHint("autocast", ErrDType, "Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.", "got "+dt.String())
	}
	if len(o.on) == 0 {
		o.on = []side{onCPU, onGPU}
	}
	if !o.enabled {
		dt = dtype.Undefined
	}
	return autocastSetting{dt, o}
}

type autocastSetting struct {
	low dtype.DType
	autocastOptions
}

func (a autocastSetting) scopeOption(s *Scope) {
	casts := s.casts.Load()
	if casts == nil {
		casts = &autocast{home: s}
		s.casts.Store(casts)
	}
	for _, on := range a.on {
		casts.low[on] = a.low
	}
	casts.cached = a.cached
}

// side is where data lies: ops of the CPU and of GPUs have lists of their own. What lies nowhere follows GPUs.
type side uint8

const (
	onCPU side = iota
	onGPU
	sides
)

func sideOf(t device.Type) side {
	if t == device.TypeCPU {
		return onCPU
	}
	return onGPU
}

// autocast is the Autocast of a scope, and of the scopes that took it over.
type autocast struct {
	low    [sides]dtype.DType // Undefined where it is off
	cached bool
	home   *Scope // owns the casts of weights

	mu      sync.Mutex
	weights map[*leaf]weightCast
}

// weightCast is the cast of a weight, and what the weight was.
type weightCast struct {
	cast    *Tensor
	of      *storage
	version uint32
	epoch   uint64 // of the weight's device
}

// AutocastDType returns the dtype in which products of x compute by its scope's Autocast, and whether that is on for x's device.
func (x *Tensor) AutocastDType() (dt dtype.DType, enabled bool) {
	a := autocastOf(x, nil)
	if a == nil {
		return dtype.Undefined, false
	}
	dt = a.low[sideOf(x.storage.device.Type())]
	return dt, dt != dtype.Undefined
}

// autocastOf returns the Autocast of an op: that of the scope that was opened last among those of the operands, which may be nil.
func autocastOf(x, y *Tensor) *autocast {
	if (x == nil || x.scope == nil) && (y == nil || y.scope == nil) {
		return nil
	}
	return latestAutocast(x, y)
}

func latestAutocast(operands ...*Tensor) (latest *autocast) {
	order := uint64(0)
	for _, x := range operands {
		if x == nil || x.scope == nil || x.scope.order < order {
			continue
		}
		if a := x.scope.casts.Load(); a != nil {
			latest, order = a, x.scope.order
		}
	}
	if latest == off {
		return nil
	}
	return latest
}

// autocast returns x as an op of one operand takes it.
func (x *Tensor) autocast(o op.Op) *Tensor {
	if a := autocastOf(x, nil); a != nil {
		return a.one(o.String(), x)
	}
	return x
}

func (a *autocast) one(name string, x *Tensor) *Tensor { return a.operands(name, x)[0] }

// two and three return operands as an op takes them.
func (a *autocast) two(name string, x, y *Tensor) (*Tensor, *Tensor) {
	ts := a.operands(name, x, y)
	return ts[0], ts[1]
}

func (a *autocast) three(name string, x, y, z *Tensor) (*Tensor, *Tensor, *Tensor) {
	ts := a.operands(name, x, y, z)
	return ts[0], ts[1], ts[2]
}

// operands returns operands, some of which may be nil, as the op of that name takes them: the lists say in which dtype.
func (a *autocast) operands(name string, xs ...*Tensor) []*Tensor {
	at := sideOf(firstOf(xs).storage.device.Type())
	low := a.low[at]
	if low == dtype.Undefined {
		return xs
	}
	dt := low
	switch autocastLists[name][at] {
	case unlisted:
		return xs
	case inFloat32:
		dt = dtype.Float32
	case inWidest:
		dt = widest(low, at, xs)
	case banned:
		fail(name, ErrDType, bannedText, xs...)
	}
	a.castAll(xs, dt, at)
	return xs
}

// castAll puts casts to dt in the place of those operands on one side that Autocast may cast.
func (a *autocast) castAll(xs []*Tensor, dt dtype.DType, at side) {
	for i, x := range xs {
		if x.castable(at) && x.dtype != dt {
			xs[i] = a.cast(x, dt, dt == a.low[at])
		}
	}
}

func firstOf(xs []*Tensor) *Tensor {
	return xs[slices.IndexFunc(xs, func(x *Tensor) bool { return x != nil })]
}

// castable reports whether Autocast may cast x, which may be nil, for an op on one side: not integers, float64 and numbers from the CPU.
func (x *Tensor) castable(at side) bool {
	return x != nil && x.dtype.IsFloat() && x.dtype != dtype.Float64 && sideOf(x.storage.device.Type()) == at
}

// widest returns float32 where an operand has it, else the dtype of Autocast.
func widest(low dtype.DType, at side, xs []*Tensor) dtype.DType {
	dt := low
	for _, x := range xs {
		if !x.castable(at) {
			continue
		}
		if x.dtype == dtype.Float32 {
			dt = dtype.Float32
		} else if x.dtype != low && dt != dtype.Float32 {
			fail("autocast", ErrDType, "Unexpected floating ScalarType in at::autocast::prioritize", xs...)
		}
	}
	return dt
}

// cast returns x in another dtype, through which gradients flow. A float32 leaf that requires gradients is cast to the lower dtype once,
// until it changes; a transposed one is a view of its cast.
func (a *autocast) cast(x *Tensor, dt dtype.DType, lower bool) *Tensor {
	if x.scope == nil {
		x = a.home.enter(x)
	}
	if !a.cached || !lower || x.dtype != dtype.Float32 || x.node == nil {
		return x.To(dt)
	}
	if x.node.leaf != nil {
		return a.weight(x, dt)
	}
	if leaf, axes := x.transposedLeaf(); leaf != nil {
		return a.weight(leaf, dt).Transpose(axes[0], axes[1])
	}
	return x.To(dt)
}

// transposedLeaf returns the leaf that x is with two axes exchanged, and those; nil where it is something else.
func (x *Tensor) transposedLeaf() (leaf *Tensor, axes [2]int) {
	n := x.node
	switch n.op {
	case op.T:
		axes = [2]int{0, x.layout.Rank() - 1}
	case op.Transpose:
		axes = n.params.([2]int)
	default:
		return nil, axes
	}
	if len(n.edges) != 1 || n.edges[0].to == nil || n.edges[0].to.leaf == nil || x.layout.Rank() == 0 {
		return nil, axes
	}
	leaf = x.storage.tensor(n.edges[0].layout, x.dtype)
	leaf.node, leaf.scope = n.edges[0].to, x.scope
	return leaf, axes
}

// weight is the cast of a leaf, which is kept.
func (a *autocast) weight(x *Tensor, dt dtype.DType) *Tensor {
	a.mu.Lock()
	defer a.mu.Unlock()
	w, ok := a.weights[x.node.leaf]
	if ok && w.of == x.storage && w.version == x.storage.version && w.epoch == epochOf(x) && w.cast.layout.Shape().Equal(x.layout.Shape()) {
		return w.cast
	}
	w = weightCast{a.home.enter(x).To(dt), x.storage, x.storage.version, epochOf(x)}
	a.home.mu.Lock()
	closed := a.home.closed
	a.home.mu.Unlock()
	if !closed {
		if a.weights == nil {
			a.weights = make(map[*leaf]weightCast)
		}
		if old, ok := a.weights[x.node.leaf]; ok {
			old.cast.storage.saves.Add(-1)
		}
		w.cast.storage.saves.Add(1)
		a.weights[x.node.leaf] = w
	}
	return w.cast
}

// forget drops the casts of weights, whose memory goes with the scope's.
func (a *autocast) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.weights = nil
}

// giveUp leaves the casts of weights to those that have saved them.
func (a *autocast) giveUp() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, w := range a.weights {
		w.cast.storage.saves.Add(-1)
	}
	a.weights = nil
}

// off is what a scope has in which nothing is cast.
var off = new(autocast)

// run returns what compute, the op of that name, makes of operands, some of which may be nil: cast as the lists say, and without Autocast
// for the ops of which it is made.
func (a *autocast) run(name string, compute func(xs []*Tensor) *Tensor, operands ...*Tensor) *Tensor {
	return a.runAll(name, func(xs []*Tensor) []*Tensor { return []*Tensor{compute(xs)} }, operands...)[0]
}

// runAll is run for an op of several results.
func (a *autocast) runAll(name string, compute func(xs []*Tensor) []*Tensor, operands ...*Tensor) []*Tensor {
	return plainly(compute, a.operands(name, slices.Clone(operands)...))
}

// plainly returns what compute makes of operands without Autocast. Results, and what lies between, belong to the most recently opened
// scope among the operands'.
func plainly(compute func(xs []*Tensor) []*Tensor, operands []*Tensor) []*Tensor {
	inner := NewScope()
	inner.casts.Store(off)
	var home *Scope
	xs := make([]*Tensor, len(operands))
	for i, x := range operands {
		if x == nil {
			continue
		}
		if x.scope != nil && (home == nil || x.scope.order > home.order) {
			home = x.scope
		}
		xs[i] = inner.enter(x)
	}
	outs := compute(xs)
	for i, out := range outs {
		if out != nil && out.scope == inner {
			y := *out
			y.scope = home
			outs[i] = &y
		}
	}
	inner.handOver(home)
	return outs
}

// uncast is what an op in place computes of its operands: Autocast leaves it alone.
func uncast(compute func(xs []*Tensor) *Tensor, operands ...*Tensor) *Tensor {
	if latestAutocast(operands...) == nil {
		return compute(operands)
	}
	return plainly(func(xs []*Tensor) []*Tensor { return []*Tensor{compute(xs)} }, operands)[0]
}

// autocasting returns what compute, the op of that name, makes of operands: see run. Where no operand has Autocast it just computes.
func autocasting(name string, compute func(xs []*Tensor) []*Tensor, operands ...*Tensor) []*Tensor {
	if a := latestAutocast(operands...); a != nil {
		return a.runAll(name, compute, operands...)
	}
	return compute(operands)
}

// enabledFor reports whether Autocast, which may be nil, is on where operands lie, some of which may be nil.
func (a *autocast) enabledFor(xs []*Tensor) bool {
	return a != nil && a.low[sideOf(firstOf(xs).storage.device.Type())] != dtype.Undefined
}

// castTo returns what compute makes of operands that are cast to dt, without Autocast.
func (a *autocast) castTo(dt dtype.DType, xs []*Tensor, compute func(xs []*Tensor) []*Tensor) []*Tensor {
	at := sideOf(firstOf(xs).storage.device.Type())
	xs = slices.Clone(xs)
	a.castAll(xs, dt, at)
	return plainly(compute, xs)
}
