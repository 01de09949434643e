// Package op names the operations of tensors. An Op is a small comparable value; what it computes is told by the tensor
// method that issues it, how by a backend's table from (Op, dtype) to a kernel.
package op

// Op identifies an operation.
type Op uint8

// String returns the op's name, for example "add".
func (o Op) String() string { return rows[o].name }

// Grad returns the name that PyTorch prints for the op's gradient, for example "AddBackward0"; it is empty for an op that
// has none.
func (o Op) Grad() string { return rows[o].grad }

// IsView reports whether the op only makes another layout of the same storage, so that no backend has a kernel for it.
func (o Op) IsView() bool { return rows[o].view }

// IsComposed reports whether the op is computed by the kernels of other ops, so that a backend need not have one of its own.
func (o Op) IsComposed() bool { return rows[o].composed }

// IsElementwise reports whether an element of a result depends on the operands' elements in the same place alone.
func (o Op) IsElementwise() bool {
	switch o {
	case MSELoss, MSELossGrad, BCEWithLogits, BCEWithLogitsGrad, SGDStep, AdamStep:
		return true
	}
	return Abs <= o && o <= MaskedFill
}

// All returns every op, in the order of the table.
func All() []Op {
	ops := make([]Op, 0, Count-1)
	for o := Op(1); o < Count; o++ {
		ops = append(ops, o)
	}
	return ops
}

type row struct {
	name, grad string
	view       bool
	composed   bool
}
