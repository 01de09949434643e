package nn

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"cresset/tensor"
)

// State returns the parameters and persistent buffers of a model by name; what is shared within the model comes under each of its
// names. The tensors share the model's memory and do not track gradients.
func State(model any) map[string]*tensor.Tensor {
	state := make(map[string]*tensor.Tensor)
	walk(model, &walker{again: true, visit: func(name string, t *tensor.Tensor, r role) bool {
		if r != transient {
			state[name] = t.Detach()
		}
		return true
	}})
	return state
}

// LoadState copies a state into a model, in place. Where a name is missing or unknown or a shape differs nothing is
// copied, and the error is a *StateError that lists all of them.
// It panics where the model is nil, or a tensor of the state is.
func LoadState(model any, state map[string]*tensor.Tensor) error {
	if model == nil {
		panic(fault("load_state", "a model must be a pointer to a struct, not nil"))
	}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if state[name] == nil {
			panic(fault("load_state", fmt.Sprintf("the state's tensor %q is nil", name)))
		}
	}
	shapes := make(map[string]tensor.Shape, len(state))
	for name, t := range state {
		shapes[name] = t.Shape()
	}
	if err := CheckState(model, shapes); err != nil {
		return err
	}
	return tensor.Try(func() {
		for name, t := range State(model) {
			t.CopyInPlace(state[name].Detach())
		}
	})
}

// CheckState returns the *StateError with which LoadState would refuse tensors of the given shapes, nil where they fit the model.
func CheckState(model any, shapes map[string]tensor.Shape) error {
	bad := &StateError{Model: typeName(model)}
	known := make(map[string]bool, len(shapes))
	walk(model, &walker{again: true, visit: func(name string, t *tensor.Tensor, r role) bool {
		if r == transient {
			return true
		}
		shape, ok := shapes[name]
		known[name] = true
		switch {
		case !ok:
			bad.Missing = append(bad.Missing, name)
		case !shape.Equal(t.Shape()):
			bad.Mismatched = append(bad.Mismatched, fmt.Sprintf("size mismatch for %s: copying a param with shape %s from checkpoint, "+
				"the shape in current model is %s.", name, shape, t.Shape()))
		}
		return true
	}})
	for name := range shapes {
		if !known[name] {
			bad.Unexpected = append(bad.Unexpected, name)
		}
	}
	slices.Sort(bad.Unexpected)
	if len(bad.Missing)+len(bad.Unexpected)+len(bad.Mismatched) > 0 {
		return bad
	}
	return nil
}

// StateError says why a state does not fit a model, in PyTorch's words.
type StateError struct {
	Model               string   // the model's type
	Missing, Unexpected []string // names
	Mismatched          []string // sentences about shapes
}

// Error lists every difference.
func (e *StateError) Error() string {
	var lines []string
	if len(e.Missing) > 0 {
		lines = append(lines, "Missing key(s) in state_dict: "+quoted(e.Missing)+". ")
	}
	if len(e.Unexpected) > 0 {
		lines = append(lines, "Unexpected key(s) in state_dict: "+quoted(e.Unexpected)+". ")
	}
	lines = append(lines, e.Mismatched...)
	return "Error(s) in loading state_dict for " + e.Model + ":\n\t" + strings.Join(lines, "\n\t")
}

func quoted(names []string) string { return `"` + strings.Join(names, `", "`) + `"` }

func typeName(model any) string {
	t := reflect.TypeOf(model)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}
