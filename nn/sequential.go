package nn

import (
	"fmt"

	"cresset/internal/friend"
	"cresset/tensor"
)

// Sequential passes its input through modules in turn.
type Sequential struct {
	Modules []Module `nn:",inline"`
}

// NewSequential returns the chain of the modules, of which none may be nil.
func NewSequential(modules ...Module) *Sequential { return new(Sequential).Append(modules...) }

// Forward returns the last module's output. A Linear or Conv2D and the ReLU behind it are computed together, which changes
// no bit of values and gradients.
func (s *Sequential) Forward(x *tensor.Tensor) *tensor.Tensor {
	for i := 0; i < len(s.Modules); i++ {
		m := s.Modules[i]
		if m == nil {
			panic(fault("sequential", fmt.Sprintf("module %d is nil", i)))
		}
		if s.rectifies(i + 1) {
			if y := forwardReLU(m, x); y != nil {
				x = y
				i++
				continue
			}
		}
		x = m.Forward(x)
	}
	return x
}

// rectifies reports whether module i is a ReLU.
func (s *Sequential) rectifies(i int) bool {
	if i == len(s.Modules) {
		return false
	}
	_, ok := s.Modules[i].(*ReLU)
	return ok
}

// inner is what package tensor registers for models.
var inner = friend.Of[*tensor.Tensor]()

// forwardReLU returns what m and a ReLU behind it make of x, nil where m cannot do both. It looks for exact types, for what
// embeds a layer may have a Forward of its own.
func forwardReLU(m Module, x *tensor.Tensor) *tensor.Tensor {
	switch m := m.(type) {
	case *Linear:
		if !whole(m) {
			return nil
		}
		return inner.LinearReLU(x, m.Weight, m.Bias)
	case *Conv2D:
		if w, plain := m.window(); plain {
			return inner.Conv2DReLU(x, m.Weight, m.Bias, w)
		}
	}
	return nil
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
