package cli

import (
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"cresset/checkpoint"
	"cresset/device"
	"cresset/tensor"
)

// valueRow is a value beside the tensors of one of PyTorch's files.
type valueRow struct {
	Name string `json:"name"` // the path to it
	Text string `json:"value"`
}

// otherValues returns what a file holds beside tensors. The tensors are put on the meta device, so that no element is read.
func otherValues(f *checkpoint.File) (*valueWalk, error) {
	w := &valueWalk{within: map[any]bool{}}
	if f.Format() != checkpoint.PyTorch && f.Format() != checkpoint.PyTorchLegacy {
		return w, nil
	}
	v, err := f.Value(checkpoint.On(device.Meta))
	if err != nil {
		return w, err
	}
	w.visit("", v)
	return w, nil
}

// At most maxValues values are listed, and at most maxVisits looked at: a container may stand in several others, so that few bytes
// are a tree without end.
const (
	maxValues = 10_000
	maxVisits = 1_000_000
)

// valueWalk collects values by the paths to them.
type valueWalk struct {
	rows   []valueRow
	found  int // also what is not listed
	visits int
	within map[any]bool // the containers that the walk is in, by what identifies them
}

func (w *valueWalk) add(path, text string) {
	w.found++
	if len(w.rows) < maxValues {
		w.rows = append(w.rows, valueRow{path, text})
	}
}

func (w *valueWalk) visit(path string, v any) {
	w.visits++
	if w.visits > maxVisits {
		return
	}
	if id := identity(v); id != nil {
		if w.within[id] {
			w.add(path, "...")
			return
		}
		w.within[id] = true
		defer delete(w.within, id)
	}
	switch v := v.(type) {
	case *tensor.Tensor:
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			w.visit(under(path, key), v[key])
		}
	case map[int]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			w.visit(under(path, strconv.Itoa(key)), v[key])
		}
	case *checkpoint.Dict:
		for key, value := range v.All() {
			w.visit(under(path, keyText(key)), value)
		}
	case []any:
		w.list(path, v)
	case checkpoint.Tuple:
		w.list(path, v)
	case string:
		w.add(path, strconv.Quote(v))
	case nil:
		w.add(path, "None")
	case *big.Int:
		w.add(path, v.String())
	case []byte:
		w.add(path, fmt.Sprintf("%d bytes", len(v)))
	case *checkpoint.Set:
		w.add(path, setText(v))
	default:
		w.add(path, fmt.Sprint(v))
	}
}

// identity returns what tells a container from others that hold the same; nil for a value that holds nothing.
func identity(v any) any {
	switch v := v.(type) {
	case *checkpoint.Dict:
		return v
	case map[string]any, map[int]any:
		return reflect.ValueOf(v).Pointer()
	case []any:
		return firstOf(v)
	case checkpoint.Tuple:
		return firstOf(v)
	}
	return nil
}

func firstOf(elements []any) any {
	if len(elements) == 0 {
		return nil
	}
	return &elements[0]
}

// list visits elements; a short list of plain values is one row.
func (w *valueWalk) list(path string, elements []any) {
	plain := len(elements) <= 8
	for _, e := range elements {
		switch e.(type) {
		case bool, int, float64, nil:
		default:
			plain = false
		}
	}
	if plain {
		w.add(path, fmt.Sprint(elements))
		return
	}
	for i, e := range elements {
		w.visit(fmt.Sprintf("%s[%d]", path, i), e)
	}
}

func under(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// keyText returns a key of a dict as Python's str shows it.
func keyText(key any) string {
	if text, ok := key.(string); ok {
		return text
	}
	return pythonText(key)
}

// pythonText returns what a key or a set may hold as Python shows it.
func pythonText(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return "'" + v + "'"
	case checkpoint.Tuple:
		text := shortText(v)
		if len(v) == 1 {
			text += ","
		}
		return "(" + text + ")"
	}
	return fmt.Sprint(v)
}

func setText(s *checkpoint.Set) string {
	if s.Len() == 0 {
		return "set()"
	}
	return "{" + shortText(slices.Collect(s.All())) + "}"
}

// maxShown is how many elements of a set or a tuple are shown.
const maxShown = 32

// shortText returns the first of some values.
func shortText(all []any) string {
	var texts []string
	for _, v := range all[:min(len(all), maxShown)] {
		texts = append(texts, pythonText(v))
	}
	if len(all) > maxShown {
		texts = append(texts, "…")
	}
	return strings.Join(texts, ", ")
}
