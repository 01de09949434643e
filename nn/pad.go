package nn

import (
	"fmt"

	"cresset/tensor"
)

// Pad adds elements around the last axes of x.
type Pad struct {
	Pads  []int // before and after each axis, the last one first, as tensor's Pad takes them
	Mode  PaddingMode
	Value any // in ZerosPadding

	name string
}

// newPad returns a layer over some axes; one number stands for all sides.
func newPad(name string, axes int, mode PaddingMode, value any, pads []int) *Pad {
	if len(pads) != 1 && len(pads) != 2*axes {
		panic(fault("pad", fmt.Sprintf("padding takes one number, or two for each of %d axes, but got %d", axes, len(pads))))
	}
	return &Pad{each(2*axes, "padding", pads, 0), mode, value, fmt.Sprintf("%s%dd", name, axes)}
}

// NewZeroPad1D returns a layer that adds zeros to the last axis: before and behind, or one number for both.
func NewZeroPad1D(pads ...int) *Pad { return newPad("ZeroPad", 1, ZerosPadding, 0, pads) }

// NewZeroPad2D returns a layer that adds zeros to the last two axes: left, right, above and below, or one number for all.
func NewZeroPad2D(pads ...int) *Pad { return newPad("ZeroPad", 2, ZerosPadding, 0, pads) }

// NewZeroPad3D returns a layer that adds zeros to the last three axes: left, right, above, below, in front and behind, or one number
// for all.
func NewZeroPad3D(pads ...int) *Pad { return newPad("ZeroPad", 3, ZerosPadding, 0, pads) }

// NewConstantPad1D is NewZeroPad1D with a value in the place of zero.
func NewConstantPad1D(value float64, pads ...int) *Pad {
	return newPad("ConstantPad", 1, ZerosPadding, value, pads)
}

// NewConstantPad2D is NewZeroPad2D with a value in the place of zero.
func NewConstantPad2D(value float64, pads ...int) *Pad {
	return newPad("ConstantPad", 2, ZerosPadding, value, pads)
}

// NewConstantPad3D is NewZeroPad3D with a value in the place of zero.
func NewConstantPad3D(value float64, pads ...int) *Pad {
	return newPad("ConstantPad", 3, ZerosPadding, value, pads)
}

// NewReflectionPad1D is NewZeroPad1D with x mirrored at its edge elements.
func NewReflectionPad1D(pads ...int) *Pad {
	return newPad("ReflectionPad", 1, ReflectPadding, nil, pads)
}

// NewReflectionPad2D is NewZeroPad2D with x mirrored at its edge elements.
func NewReflectionPad2D(pads ...int) *Pad {
	return newPad("ReflectionPad", 2, ReflectPadding, nil, pads)
}

// NewReflectionPad3D is NewZeroPad3D with x mirrored at its edge elements.
func NewReflectionPad3D(pads ...int) *Pad {
	return newPad("ReflectionPad", 3, ReflectPadding, nil, pads)
}

// NewReplicationPad1D is NewZeroPad1D with x's edge elements repeated.
func NewReplicationPad1D(pads ...int) *Pad {
	return newPad("ReplicationPad", 1, ReplicatePadding, nil, pads)
}

// NewReplicationPad2D is NewZeroPad2D with x's edge elements repeated.
func NewReplicationPad2D(pads ...int) *Pad {
	return newPad("ReplicationPad", 2, ReplicatePadding, nil, pads)
}

// NewReplicationPad3D is NewZeroPad3D with x's edge elements repeated.
func NewReplicationPad3D(pads ...int) *Pad {
	return newPad("ReplicationPad", 3, ReplicatePadding, nil, pads)
}

// NewCircularPad1D is NewZeroPad1D with the elements of x's other end.
func NewCircularPad1D(pads ...int) *Pad { return newPad("CircularPad", 1, CircularPadding, nil, pads) }

// NewCircularPad2D is NewZeroPad2D with the elements of x's other end.
func NewCircularPad2D(pads ...int) *Pad { return newPad("CircularPad", 2, CircularPadding, nil, pads) }

// NewCircularPad3D is NewZeroPad3D with the elements of x's other end.
func NewCircularPad3D(pads ...int) *Pad { return newPad("CircularPad", 3, CircularPadding, nil, pads) }

// Forward returns x with elements around it.
func (p *Pad) Forward(x *tensor.Tensor) *tensor.Tensor {
	if p.Mode == ZerosPadding {
		return x.Pad(p.Pads, p.Value)
	}
	return p.Mode.pad(x, p.Pads)
}

// String prints the layer as PyTorch does.
func (p *Pad) String() string {
	if v, ok := p.Value.(float64); ok {
		return fmt.Sprintf("%s(padding=%s, value=%s)", p.name, tuple(p.Pads...), number(v))
	}
	return p.name + "(" + tuple(p.Pads...) + ")"
}
