// Package op names the operations of tensors. An Op is a small comparable value; what it computes is told by the tensor
// method that issues it, how by a backend's table from (Op, dtype) to a kernel. All come from tables in internal/kgen/recipe:
// elementwise ops and reductions with the formula that their kernels are generated from, the others in ops_other.go.
package op

// Op identifies an operation.
type Op uint16

// String returns the op's name, for example "add".
func (o Op) String() string { return o.row().name }

// Kernel returns PyTorch's name of the CPU's kernel, for example "elu_cpu", or the op's name.
func (o Op) Kernel() string {
	if k := o.row().kernel; k != "" {
		return k
	}
	return o.row().name
}

// Grad returns the name that PyTorch prints for the op's gradient, for example "AddBackward0"; it is empty for an op that
// has none.
func (o Op) Grad() string { return o.row().grad }

// IsView reports whether the op only makes another layout of the same storage, so that no backend has a kernel for it.
func (o Op) IsView() bool { return o.row().view }

// IsComposed reports whether the op is computed by the kernels of other ops, so that a backend need not have one of its own.
func (o Op) IsComposed() bool { return o.row().composed }

// IsElementwise reports whether an element of a result depends on the operands' elements in the same place alone.
func (o Op) IsElementwise() bool {
	return o >= elementwise || o == Where || o == SGDStep || o == AdamStep || o == UnscaleGrad || o.IsUpdate()
}

// IsUpdate reports whether the op is an optimizer's step that takes an Update.
func (o Op) IsUpdate() bool { return firstUpdate <= o && o <= lastUpdate }

// Derivative returns the op that computes the gradient for the first operand, from the gradient of the result and from what
// was saved: for an elementwise op the operand or, where ofResult says so, the result. It is Invalid for an op whose gradient
// package tensor makes of other ops.
func (o Op) Derivative() (d Op, ofResult bool) { return o.row().derivative, o.row().ofResult }

// All returns every op.
func All() []Op {
	ops := make([]Op, 0, Count-1)
	for o := Op(1); o < Count; o++ {
		ops = append(ops, o)
	}
	return ops
}

type row struct {
	name, grad string
	kernel     string
	view       bool
	composed   bool
	derivative Op
	ofResult   bool
}

func (o Op) row() *row { return &rows[o] }
