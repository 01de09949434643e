package nn

import (
	"fmt"
	"reflect"
	"strings"

	"cresset/tensor"
)

// WeightNorm computes a layer's weight from its length and its direction: w = Magnitude·Direction/‖Direction‖, the norm for each
// index along an axis, or of the whole weight where the axis is -1.
type WeightNorm[L Module] struct {
	Layer     L              `nn:",inline"` // has no Weight of its own
	Magnitude *tensor.Tensor `nn:"parametrizations.weight.original0"`
	Direction *tensor.Tensor `nn:"parametrizations.weight.original1"`
	Axis      int
}

// NewWeightNorm takes over the Weight of a layer, a pointer to a struct that has that field, with the norm along axis, 0 unless given; -1 is PyTorch's dim=None.
func NewWeightNorm[L Module](layer L, axis ...int) *WeightNorm[L] {
	n := &WeightNorm[L]{Layer: layer, Axis: append(axis, 0)[0], Direction: takeWeight(layer)}
	n.Magnitude = tensor.Parameter(n.norm().Detach().Clone())
	return n
}

func (n *WeightNorm[L]) norm() *tensor.Tensor {
	if n.Axis == -1 {
		return n.Direction.Norm()
	}
	var others []int
	for i := range n.Direction.Dim() {
		if i != n.Axis {
			others = append(others, i)
		}
	}
	return n.Direction.NormAxes(2, others, true)
}

// Forward computes the layer with its weight.
func (n *WeightNorm[L]) Forward(x *tensor.Tensor) *tensor.Tensor {
	return withWeight(n.Layer, n.Direction.Mul(n.Magnitude.Div(n.norm()))).Forward(x)
}

// String prints the layer as PyTorch does.
func (n *WeightNorm[L]) String() string {
	return printParametrized(n.Layer, n.Direction, "_WeightNorm")
}

// SpectralNorm divides a layer's weight by its largest singular value, as far as a power iteration has found it; as a matrix the weight
// has a row for each index along an axis.
type SpectralNorm[L Module] struct {
	Mode
	Layer           L              `nn:",inline"` // has no Weight of its own
	Original        *tensor.Tensor `nn:"parametrizations.weight.original"`
	U               *tensor.Tensor `nn:"parametrizations.weight.0._u,buffer"` // the singular vectors, nil for a vector
	V               *tensor.Tensor `nn:"parametrizations.weight.0._v,buffer"`
	Axis            int
	PowerIterations int // of each Forward in training, 1 unless changed
	Eps             float64
}

// NewSpectralNorm takes over the Weight of a layer, a pointer to a struct that has that field, with rows along axis: that of the layer's output unless given. The
// singular vectors are drawn, and iterated 15 times.
func NewSpectralNorm[L Module](layer L, axis ...int) *SpectralNorm[L] {
	n := &SpectralNorm[L]{Layer: layer, Axis: append(axis, outputAxis(layer))[0], Original: takeWeight(layer), PowerIterations: 1, Eps: 1e-12}
	if n.Original.Dim() > 1 {
		m := n.matrix().Detach()
		like := tensor.Like(n.Original)
		n.U = n.unit(like.Empty(m.Size(0)).NormalInPlace(0, 1))
		n.V = n.unit(like.Empty(m.Size(1)).NormalInPlace(0, 1))
		n.iterate(m, 15+1) // PyTorch computes the weight once when it takes it over
	}
	return n
}

// outputAxis is the axis of a layer's weight that counts outputs.
func outputAxis(layer Module) int {
	switch layer.(type) {
	case *ConvTranspose1D, *ConvTranspose2D, *ConvTranspose3D:
		return 1
	}
	return 0
}

// matrix returns the weight with a row for each index along the axis.
func (n *SpectralNorm[L]) matrix() *tensor.Tensor {
	order := []int{n.Axis}
	for i := range n.Original.Dim() {
		if i != n.Axis {
			order = append(order, i)
		}
	}
	return n.Original.Permute(order...).Flatten(1, -1)
}

func (n *SpectralNorm[L]) unit(x *tensor.Tensor) *tensor.Tensor {
	return x.Div(x.Norm().Clamp(n.Eps, nil))
}

func (n *SpectralNorm[L]) iterate(m *tensor.Tensor, times int) {
	for range times {
		n.U.CopyInPlace(n.unit(m.MV(n.V)))
		n.V.CopyInPlace(n.unit(m.T().MV(n.U)))
	}
}

// Forward computes the layer with its weight; in training the singular vectors follow.
func (n *SpectralNorm[L]) Forward(x *tensor.Tensor) *tensor.Tensor {
	if n.U == nil {
		return withWeight(n.Layer, n.unit(n.Original)).Forward(x)
	}
	m := n.matrix()
	if n.Training() {
		n.iterate(m.Detach(), n.PowerIterations)
	}
	largest := n.U.Clone().Dot(m.MV(n.V.Clone()))
	return withWeight(n.Layer, n.Original.Div(largest)).Forward(x)
}

// String prints the layer as PyTorch does.
func (n *SpectralNorm[L]) String() string {
	return printParametrized(n.Layer, n.Original, "_SpectralNorm")
}

// takeWeight returns a layer's weight, and leaves it without.
func takeWeight(layer Module) *tensor.Tensor {
	field := weightOf(reflect.ValueOf(layer))
	w := field.Interface().(*tensor.Tensor)
	if w == nil {
		panic(fault("parametrize", fmt.Sprintf("a %T has no weight that it could be given", layer)))
	}
	field.SetZero()
	return w
}

func weightOf(layer reflect.Value) reflect.Value {
	if layer.Kind() == reflect.Pointer && !layer.IsNil() && layer.Elem().Kind() == reflect.Struct {
		if f := layer.Elem().FieldByName("Weight"); f.IsValid() && f.Type() == tensorType && f.CanSet() {
			return f
		}
	}
	panic(fault("parametrize", fmt.Sprintf("a %s is no pointer to a struct with a field Weight", layer.Type())))
}

// withWeight returns a layer like another, with a weight.
func withWeight(layer Module, w *tensor.Tensor) Module {
	from := reflect.ValueOf(layer)
	c := reflect.New(from.Type().Elem())
	c.Elem().Set(from.Elem())
	weightOf(c).Set(reflect.ValueOf(w))
	return c.Interface().(Module)
}

func printParametrized(layer Module, w *tensor.Tensor, by string) string {
	name, rest, _ := strings.Cut(fmt.Sprint(withWeight(layer, w)), "(")
	return fmt.Sprintf("Parametrized%s(\n  %s\n  (parametrizations): ModuleDict(\n    (weight): ParametrizationList(\n      (0): %s()\n    )\n  )\n)",
		name, strings.TrimSuffix(rest, ")"), by)
}
