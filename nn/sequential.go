package nn

import "cresset/tensor"

// Sequential passes its input through modules in turn.
type Sequential struct {
	Modules []Module `nn:",inline"`
}

// NewSequential returns the chain of the modules.
func NewSequential(modules ...Module) *Sequential { return &Sequential{Modules: modules} }

// Forward returns the last module's output.
func (s *Sequential) Forward(x *tensor.Tensor) *tensor.Tensor {
	for _, m := range s.Modules {
		x = m.Forward(x)
	}
	return x
}

// At returns module i.
func (s *Sequential) At(i int) Module { return s.Modules[i] }

// Len returns the number of modules.
func (s *Sequential) Len() int { return len(s.Modules) }

// Append adds modules at the end and returns s.
func (s *Sequential) Append(modules ...Module) *Sequential {
	s.Modules = append(s.Modules, modules...)
	return s
}

// String prints the chain as PyTorch does.
func (s *Sequential) String() string { return Describe(s) }
