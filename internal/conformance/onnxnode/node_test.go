package onnxnode

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"cresset/dtype"
	"cresset/tensor"
)

// node is a test: one operator with its attributes, inputs and the outputs that are expected.
type node struct {
	Name       string
	Op         string
	Version    int // of the operator set
	Attributes map[string]json.RawMessage
	Inputs     []*array // nil where one is left out
	Outputs    []*array
	Results    []bool // which outputs the operator names
}

// array is a tensor as the script writes it. Data is nil where cresset lacks the type.
type array struct {
	DType string
	Shape []int
	Data  []byte
}

// operator computes the outputs of a node, in the order in which the operator defines them; those that nobody asks for may be nil.
type operator func(n *node) []*tensor.Tensor

// unary is an operator of one input.
func unary(f func(x *tensor.Tensor) *tensor.Tensor) operator {
	return func(n *node) []*tensor.Tensor { return one(f(n.input(0))) }
}

// two is an operator of two inputs.
func two(f func(x, y *tensor.Tensor) *tensor.Tensor) operator {
	return func(n *node) []*tensor.Tensor { return one(f(n.input(0), n.input(1))) }
}

func one(x *tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{x} }

// has reports whether input i is given.
func (n *node) has(i int) bool { return i < len(n.Inputs) && n.Inputs[i] != nil }

// input returns input i, nil where it is left out.
func (n *node) input(i int) *tensor.Tensor {
	if !n.has(i) {
		return nil
	}
	return n.Inputs[i].tensor()
}

// inputs returns all inputs.
func (n *node) inputs() []*tensor.Tensor {
	all := make([]*tensor.Tensor, len(n.Inputs))
	for i := range all {
		all[i] = n.input(i)
	}
	return all
}

// list returns the numbers of an integer input.
func (n *node) list(i int) []int {
	var list []int
	for _, v := range tensor.Values[int64](n.input(i).To(dtype.Int64).Flatten(0, -1)) {
		list = append(list, int(v))
	}
	return list
}

// attribute returns an attribute, or what it is unless given.
func attribute[T any](n *node, name string, or T) T {
	raw, ok := n.Attributes[name]
	if !ok {
		return or
	}
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(fmt.Sprintf("attribute %s: %v", name, err))
	}
	return v
}

func (n *node) given(name string) bool { return n.Attributes[name] != nil }

func (n *node) integer(name string, or int) int       { return attribute(n, name, or) }
func (n *node) flag(name string, or int) bool         { return attribute(n, name, or) != 0 }
func (n *node) float(name string, or float64) float64 { return attribute(n, name, or) }
func (n *node) text(name, or string) string           { return attribute(n, name, or) }
func (n *node) ints(name string, or ...int) []int     { return attribute(n, name, or) }
func (n *node) array(name string) *array              { return attribute[*array](n, name, nil) }

// listOf returns the numbers of input i, or what they are where it is left out.
func (n *node) listOf(i int, or []int) []int {
	if n.has(i) {
		return n.list(i)
	}
	return or
}

// dtypes are the types of elements by their numbers in ONNX.
var dtypes = map[int]dtype.DType{
	1: dtype.Float32, 2: dtype.Uint8, 3: dtype.Int8, 5: dtype.Int16, 6: dtype.Int32, 7: dtype.Int64, 9: dtype.Bool,
	10: dtype.Float16, 11: dtype.Float64, 16: dtype.BFloat16,
}

// known reports whether cresset has the type of elements.
func (a *array) known() bool { return a == nil || a.Data != nil }

func (a *array) dtype() dtype.DType {
	for dt := dtype.Undefined + 1; dt < dtype.Count; dt++ {
		if dt.Name() == a.DType {
			return dt
		}
	}
	panic("cresset has no type " + a.DType)
}

func (a *array) tensor() *tensor.Tensor {
	switch a.dtype() {
	case dtype.Float32:
		return decode[float32](a)
	case dtype.Float64:
		return decode[float64](a)
	case dtype.Float16:
		return decode[dtype.F16](a)
	case dtype.BFloat16:
		return decode[dtype.BF16](a)
	case dtype.Int64:
		return decode[int64](a)
	case dtype.Int32:
		return decode[int32](a)
	case dtype.Int16:
		return decode[int16](a)
	case dtype.Int8:
		return decode[int8](a)
	case dtype.Uint8:
		return decode[uint8](a)
	default:
		return decode[bool](a)
	}
}

func decode[T dtype.Element](a *array) *tensor.Tensor {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	elements := make([]T, n)
	if _, err := binary.Decode(a.Data, binary.LittleEndian, elements); err != nil {
		panic(err)
	}
	return tensor.FromSlice(elements, n).View(a.Shape...)
}
