package nn

import (
	"fmt"
	"reflect"
	"slices"

	"cresset/tensor"
)

// Item is a value under a name, in a ModuleDict or a ParameterDict.
type Item[V any] struct {
	Name  string
	Value V
}

func (Item[V]) item() {}

var itemType = reflect.TypeFor[interface{ item() }]()

// ModuleDict holds modules by name, in the order in which they stand there; what to do with them is up to its owner.
type ModuleDict []Item[any]

// ParameterDict holds parameters by name, in the order in which they stand there.
type ParameterDict []Item[*tensor.Tensor]

// At returns the module of that name; it panics where there is none.
func (d ModuleDict) At(name string) any { return itemOf(d, name) }

// At returns the parameter of that name; it panics where there is none.
func (d ParameterDict) At(name string) *tensor.Tensor { return itemOf(d, name) }

func itemOf[V any](items []Item[V], name string) V {
	i := slices.IndexFunc(items, func(i Item[V]) bool { return i.Name == name })
	if i < 0 {
		panic(&tensor.Error{Op: "dict", Kind: tensor.ErrIndex, Err: fmt.Errorf("'%s'", name)})
	}
	return items[i].Value
}

// String prints the modules as PyTorch does.
func (d ModuleDict) String() string { return Describe(d) }

// String prints the parameters as PyTorch does.
func (d ParameterDict) String() string {
	lines := make([]child, len(d))
	for i, p := range d {
		lines[i] = child{p.Name, describeParameter(p.Value)}
	}
	return printParameters("ParameterDict", lines)
}

// printParameters prints a list of parameters as PyTorch does, the bracket on the last line.
func printParameters(name string, lines []child) string {
	s := name + "("
	for i, l := range lines {
		if i > 0 {
			s += "\n"
		}
		s += "  (" + l.name + "): " + l.text
	}
	return s + ")"
}

func describeParameter(p *tensor.Tensor) string {
	size, on := "", ""
	for i, n := range p.Shape() {
		if i > 0 {
			size += "x"
		}
		size += fmt.Sprint(n)
	}
	if i, ok := p.Device().Index(); ok {
		on = fmt.Sprintf(" (%s %d)", p.Device().Type(), i)
	}
	return fmt.Sprintf("Parameter containing: [%s of size %s%s]", p.DType(), size, on)
}
