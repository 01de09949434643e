package nn

import (
	"fmt"

	"cresset/tensor"
)

// Sequential passes its input through modules in turn.
type Sequential struct {
	Modules []Module `nn:",inline"`
}

// NewSequential returns the chain of the modules, of which none may be nil.
func NewSequential(modules ...Module) *Sequential { return new(Sequential).Append(modules...) }

// Forward returns the last module's output.
func (s *Sequential) Forward(x *tensor.Tensor) *tensor.Tensor {
	for i, m := range s.Modules {
		if m == nil {
			panic(fault("sequential", fmt.Sprintf("module %d is nil", i)))
		}
		x = m.Forward(x)
	}
	return x
}

// At returns module i, which may count from the end.
func (s *Sequential) At(i int) Module {
	n := len(s.Modules)
	if i < -n || i >= n {
		panic(&tensor.Error{Op: "sequential", Kind: tensor.ErrIndex, Err: fmt.Errorf("index %d is out of range", i)})
	}
	return s.Modules[(i+n)%n]
}

// Len returns the number of modules.
func (s *Sequential) Len() int { return len(s.Modules) }

// Append adds modules, of which none may be nil, at the end and returns s.
func (s *Sequential) Append(modules ...Module) *Sequential {
	for _, m := range modules {
		if m == nil {
			panic(fault("sequential", "NoneType is not a Module subclass"))
		}
	}
	s.Modules = append(s.Modules, modules...)
	return s
}

// String prints the chain as PyTorch does.
func (s *Sequential) String() string { return Describe(s) }
