package backend

import (
	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// A Region is elementwise calls over the indices of one shape, in their order, of which only some results are stored. Among them may be reductions
// of its rows, which are the indices along the last axis; what has one element for each row has a stride of 0 there.
type Region struct {
	Shape layout.Shape
	In    []View // what is read: all layouts have the shape. What is no constant has some buffer, not that which Run is given.
	Steps []Step
	Out   []Store // what is written
	Sums  []Sum
	Order RowOrder // of the reductions of rows; zero where there are none
}

// A RowOrder tells how the elements of a row are shared among threads, and their results joined: all reductions of a region have one, since it decides
// bits. Threads of 0 are no order.
type RowOrder struct {
	Threads int  // of a row, each of which takes every so-many-th group, in order
	Group   int  // neighbours that a thread takes
	InTurn  bool // what threads have is joined one after the other, and not in pairs
}

// A Sum is the sums, down the columns, of what is read or of a step's results, seen as rows of so many elements.
type Sum struct {
	From    int // as in Step
	Columns int
	Rounded dtype.DType // what sums are rounded to, before they are cast to the view's dtype
	View
}

// A Step is an elementwise call of a region with one result.
type Step struct {
	Op     op.Op
	DType  dtype.DType // chooses the kernel, as in a Call
	Params any
	From   []int       // the operands: k < len(In) is In[k], a higher one the result of step k - len(In)
	To     dtype.DType // of the result
	Row    bool        // there is one result for each row: of a reduction, or of what has one element for each row
}

// A Store is where the result of a step goes.
type Store struct {
	Step int
	View
}

// From returns the dtype of a step's operand.
func (r *Region) From(k int) dtype.DType {
	if k < len(r.In) {
		return r.In[k].DType
	}
	return r.Steps[k-len(r.In)].To
}

// Fuser is a backend that computes a region at once, with the bits of its calls.
type Fuser interface {
	// Fuses reports whether a region may have the call as a step.
	Fuses(c *Call) bool
	// Fuse returns what computes the region, or an error where it is too much for one kernel.
	Fuse(r *Region) (Fused, error)
}

// Joiner is a backend whose products compute the sum or the product with another tensor that follows them.
type Joiner interface {
	// Joins reports whether an op's kernels do so.
	Joins(o op.Op, dt dtype.DType) bool
}

// Batcher is a fuser that computes several regions at once.
type Batcher interface {
	Fuser
	// Batch returns what computes regions with one key, none of which depends on another, or nil where they are too many. It takes the operands of
	// the first, then those of the second.
	Batch(regions []Fused) Fused
	// Key tells regions that can be computed at once.
	Key(f Fused) string
}

// Summer is a fuser whose regions have sums.
type Summer interface {
	Fuser
	// Sums reports whether a region may have the call, which sums over its operand's first axes.
	Sums(c *Call) bool
}

// Reducer is a fuser whose regions have reductions of rows, and softmaxes.
type Reducer interface {
	Fuser
	// Order returns the order of a region that has the call, which reduces its operand's last axes, or is a softmax along the last one or the gradient
	// of one; zero where none may.
	Order(c *Call) RowOrder
}

// Placer is a backend whose ops leave some results wherever their elements belong.
type Placer interface {
	// Places reports whether result i of an op may have any layout.
	Places(o op.Op, dt dtype.DType, i int) bool
}

// Caster is a backend whose ops take operands, and give results, in other dtypes than they compute in, as if these were cast by themselves.
type Caster interface {
	// Takes reports whether an op that computes in dt takes operand i as one of dtype as.
	Takes(o op.Op, dt dtype.DType, i int, as dtype.DType) bool
	// Gives reports whether it gives result i as one of dtype as.
	Gives(o op.Op, dt dtype.DType, i int, as dtype.DType) bool
}

// Fused computes a region over and over.
type Fused interface {
	// Run computes into and from views like those of the region, with buffers, sums behind what is written; offsets may differ, and so may the
	// numbers of constants.
	Run(out, in []View) error
}

// ReadsLines reports whether a copy reads neighbours of its result from neighbours, or from one element: others pass through tiles.
func ReadsLines(c *Call) bool {
	in := &c.In()[0]
	if in.IsConst() {
		return true
	}
	shape, strides := in.Layout.Shape(), in.Layout.Strides()
	for axis := len(shape) - 1; axis >= 0; axis-- {
		if shape[axis] > 1 {
			return strides[axis] <= 1
		}
	}
	return true
}
