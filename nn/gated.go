package nn

import (
	"fmt"

	"cresset/tensor"
)

// GatedMLP is down(f(gate(x)) · up(x)) over the last axis of x, Shazeer's gated linear unit (2020) with an output layer, as decoders since Llama have it
// between their attention layers.
type GatedMLP struct {
	Gate *Linear `nn:"gate_proj"` // width to hidden
	Up   *Linear `nn:"up_proj"`   // width to hidden
	Down *Linear `nn:"down_proj"` // hidden to width

	f    func(*tensor.Tensor) *tensor.Tensor
	name string
}

// NewSwiGLU returns a GatedMLP whose gate is SiLU. It takes Bias, On and As.
func NewSwiGLU(width, hidden int, opts ...LinearOption) *GatedMLP {
	return NewGatedMLP("SwiGLU", (*tensor.Tensor).SiLU, width, hidden, opts...)
}

// NewGEGLU returns a GatedMLP whose gate is the tanh approximation of GELU, as in Gemma. It takes Bias, On and As.
func NewGEGLU(width, hidden int, opts ...LinearOption) *GatedMLP {
	return NewGatedMLP("GEGLU", (*tensor.Tensor).GELUTanh, width, hidden, opts...)
}

// NewGatedMLP returns the layers with a gate of one's own, which is printed by a name. It takes Bias, On and As.
func NewGatedMLP(name string, gate func(*tensor.Tensor) *tensor.Tensor, width, hidden int, opts ...LinearOption) *GatedMLP {
	return &GatedMLP{NewLinear(width, hidden, opts...), NewLinear(width, hidden, opts...), NewLinear(hidden, width, opts...), gate, name}
}

// Forward returns down(f(gate(x)) · up(x)).
func (m *GatedMLP) Forward(x *tensor.Tensor) *tensor.Tensor {
	if y := m.joined(nil, x); y != nil {
		return y
	}
	return m.Down.Forward(m.f(m.Gate.Forward(x)).Mul(m.Up.Forward(x)))
}

// AddedTo returns residual + Forward(x), which GPUs add as the last product stores it.
func (m *GatedMLP) AddedTo(residual, x *tensor.Tensor) *tensor.Tensor {
	if y := m.joined(residual, x); y != nil {
		return y
	}
	return residual.Add(m.Forward(x))
}

func (m *GatedMLP) joined(residual, x *tensor.Tensor) *tensor.Tensor {
	if !whole(m.Gate, m.Up, m.Down) {
		return nil
	}
	return inner.GatedForward(m.f, x, m.Gate.parameters(), m.Up.parameters(), m.Down.parameters(), residual)
}

// String prints the layer by its name and sizes.
func (m *GatedMLP) String() string {
	hidden, in := m.Gate.size()
	return fmt.Sprintf("%s(%d, hidden=%d, bias=%s)", m.name, in, hidden, truth(m.Gate.Bias != nil))
}
