package nn

import (
	"fmt"

	"cresset/tensor"
)

// ModuleList holds modules under the names "0", "1", …; what to do with them is up to its owner.
type ModuleList []Module

// NewModuleList returns the list.
func NewModuleList(modules ...Module) ModuleList { return modules }

// String prints the list as PyTorch does: equal neighbours are counted.
func (l ModuleList) String() string { return Describe(l) }

// Flatten merges the axes from Start to End into one.
type Flatten struct{ Start, End int }

// NewFlatten returns the layer that keeps the first axis and merges the others.
func NewFlatten() *Flatten { return &Flatten{1, -1} }

// Forward returns x with its axes merged.
func (f *Flatten) Forward(x *tensor.Tensor) *tensor.Tensor { return x.Flatten(f.Start, f.End) }

// String prints the layer as PyTorch does.
func (f *Flatten) String() string {
	return fmt.Sprintf("Flatten(start_dim=%d, end_dim=%d)", f.Start, f.End)
}
