package tensor

import (
	"fmt"
	"sync"
	"sync/atomic"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// node is the record of one op in the graph of gradients, or a leaf that gradients flow to.
type node struct {
	op     op.Op
	out    dtype.DType // of the result
	freed  bool        // saved values were given up by a Backward
	order  uint64      // nodes made later have higher numbers; an edge always leads to a lower one
	back   gradient
	params any
	edges  []edge
	saved  []savedValue
	layout *layout.Layout // of the result, or of the leaf
	leaf   *leaf          // nil for a result
	hooks  *hooks         // nil where there are none
	inEdge [2]edge        // room for edges, so that most nodes are one allocation
	inSave [2]savedValue
}

// gradient propagates dy, the gradient of an op's result, to the op's inputs by b.give. Values that it needs were saved
// with the node; it must not close over anything.
type gradient func(b *backprop, dy *Tensor)

// edge leads from a node to where the gradient of one input goes.
type edge struct {
	to     *node          // nil where the input does not track gradients
	layout *layout.Layout // of the input
	dtype  dtype.DType
	device device.Device
}

// savedValue is a tensor that a gradient needs, with the version that it had.
type savedValue struct {
	value   Tensor
	version uint32
	from    op.Op // the op that made it; Invalid for a leaf
	origin  origin
}

// origin tells which place in the graph a saved value has: that of the input with this number less 1, or one of the following.
type origin int16

const (
	constant origin = 0
	result   origin = -1
	derived  origin = -2 // computed from inputs without a record
)

// leaf is where gradients accumulate.
type leaf struct {
	mu     sync.Mutex
	grad   *Tensor
	own    bool        // nobody else has seen grad
	frozen atomic.Bool // gradients that arrive are dropped
	dtype  dtype.DType
	device device.Device
}

var nodes atomic.Uint64

// record notes that out = o(inputs) and returns the node, or nil where no input tracks gradients. An input that is nil is
// one that the op lacks; a stale one is refused, for in PyTorch it would track gradients.
func record(out *Tensor, o op.Op, back gradient, params any, inputs ...*Tensor) *node {
	tracked := false
	for _, x := range inputs {
		if x == nil {
			continue
		}
		if x.stale() {
			x.current(o.String())
		}
		tracked = tracked || x.node != nil
	}
	if !tracked || !out.dtype.IsFloat() {
		return nil
	}
	n := &node{op: o, back: back, params: params, order: nodes.Add(1), out: out.dtype, layout: out.layout}
	n.edges = n.inEdge[:0]
	for _, x := range inputs {
		e := edge{}
		if x != nil && x.node != nil {
			e = edge{to: x.node, layout: x.layout, dtype: x.dtype, device: x.storage.device}
		}
		n.edges = append(n.edges, e)
	}
	n.saved = n.inSave[:0]
	if out.node != nil {
		n.hooks = out.node.hooks.moveRetained()
	}
	out.node = n
	return n
}

// save keeps values for the gradient. It may be called on a nil node, which keeps nothing.
func (n *node) save(values ...*Tensor) {
	if n == nil {
		return
	}
	for _, v := range values {
		s := savedValue{}
		if v != nil {
			s = savedValue{value: *v, version: v.storage.version}
			if v.node != nil && v.node.leaf == nil {
				s.from = v.node.op
			}
			s.origin = n.originOf(v)
			s.value.node, s.value.scope = nil, nil
			v.storage.saves.Add(1)
			if u := v.storage.users(); u != nil {
				u.nodes.Add(1)
			}
		}
		n.saved = append(n.saved, s)
	}
}

// name is what PyTorch prints for the node.
func (n *node) name() string {
	switch {
	case n.leaf != nil:
		return "AccumulateGrad"
	case n.op == op.Function:
		return n.function().name
	case n.op.Grad() == "":
		return "NotImplemented"
	}
	return n.op.Grad()
}

// use returns saved value i, after a check that nobody changed it in place.
func (n *node) use(i int) *Tensor {
	s := &n.saved[i]
	if s.value.storage == nil {
		return nil
	}
	if now := s.value.storage.version; now != s.version {
		fail(n.op.String(), ErrAutograd, fmt.Sprintf("one of the variables needed for gradient computation has been modified by an inplace operation: "+
			"[%s %s]%s is at version %d; expected version %d instead. Hint: enable anomaly detection to find the operation that failed to compute "+
			"its gradient, with torch.autograd.set_detect_anomaly(True).", s.value.legacyType(), s.value.layout.Shape().List(), s.maker(), now, s.version), &s.value)
	}
	s.value.alive()
	return &s.value
}

// maker names what made a saved value that was changed, as PyTorch does: the op of a result; of an operand the latest recorded
// in-place change, which AsStrided stands for where a view was saved and its base was changed.
func (s *savedValue) maker() string {
	name := s.from.Grad()
	if s.origin != result && s.value.stale() {
		if name = s.value.history.by.Grad(); s.value.view {
			name = "AsStridedBackward0"
		}
	}
	if name == "" {
		return ""
	}
	return fmt.Sprintf(", which is output 0 of %s,", name)
}

// legacyType is PyTorch's old name of a tensor's type, "torch.cuda.FloatTensor".
func (x *Tensor) legacyType() string {
	if x.IsCUDA() {
		return "torch.cuda." + x.dtype.ScalarName() + "Tensor"
	}
	return x.dtype.TensorType()
}
