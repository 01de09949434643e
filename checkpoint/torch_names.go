package checkpoint

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"cresset/internal/pickle"
)

// A tensor's name is the path to it: keys joined by dots, places in lists and tuples in brackets, "layers[2].weight". A tensor that
// the value holds in several places has several names, and an entry for each. Where two paths read alike the second name gets
// "#2" behind it.

// torchNames gives names to entries.
type torchNames struct {
	*torchFile
	path   []byte
	depth  int
	steps  int64
	seen   map[any]visit  // containers
	used   map[string]int // how many paths read like a name
	named  []bool         // entries
	unused int            // entries without a name so far
}

// visit is what is known of a container.
type visit uint8

const (
	tensorless visit = iota + 1 // no tensor is in it
	holding                     // it holds a tensor
	entered                     // the path leads through it: it holds itself
)

// setTree makes v the tree, and names all entries by their places in it.
func (t *torchFile) setTree(v any) error {
	if t.contents.tree = v; v == nil {
		t.contents.tree = torchNone{}
	}
	n := &torchNames{torchFile: t, seen: map[any]visit{}, used: make(map[string]int, len(t.contents.entries)), unused: len(t.contents.entries),
		named: make([]bool, len(t.contents.entries))}
	_, err := n.walk(v)
	if err == nil && n.unused > 0 {
		err = n.leaveOut()
	}
	if err != nil {
		return &FormatError{File: t.path, Place: t.place, Expected: "values whose tensors can be listed", Err: err}
	}
	return nil
}

// leaveOut removes the entries without a name: tensors that are nowhere in the value, but in what is not kept, as attributes of a
// Parameter.
func (n *torchNames) leaveOut() error {
	if err := n.decoder.Charge(int64(len(n.named)) * 4); err != nil {
		return err
	}
	all, kept := n.contents.entries, n.contents.entries[:0]
	n.contents.moved = make([]int32, len(n.named))
	for i, e := range all {
		if i < len(n.named) { // those behind are further names
			n.contents.moved[i] = int32(len(kept))
			if !n.named[i] {
				continue
			}
		}
		kept = append(kept, e)
	}
	n.contents.entries = kept
	return nil
}

// walk names the entries in v and reports whether there is one.
func (n *torchNames) walk(v any) (found bool, err error) {
	n.steps++
	switch {
	case n.depth > n.limits.Depth:
		return false, &pickle.LimitError{What: "values in one another", Limit: int64(n.limits.Depth)}
	case n.steps > n.limits.Ops:
		return false, &pickle.LimitError{What: "values", Limit: n.limits.Ops}
	}
	switch v := v.(type) {
	case ref:
		return true, n.add(v)
	case *pickle.List:
		return n.container(v, func() (bool, error) { return n.elements(v.Items) })
	case pickle.Tuple:
		if len(v) == 0 {
			return false, nil
		}
		return n.container(&v[0], func() (bool, error) { return n.elements(v) })
	case *pickle.Dict:
		return n.container(v, func() (bool, error) { return n.items(v) })
	case nil, bool, int64, float64, complex128, string, []byte, pickle.ByteArray, *big.Int, *pickle.Set, torchSize, torchDevice, *torchType:
		return false, nil
	}
	return false, errors.New("a function, a class or a storage, which is no value")
}

// container walks through a container unless there is nothing to find.
func (n *torchNames) container(key any, walk func() (bool, error)) (found bool, err error) {
	before, again := n.seen[key]
	if before == tensorless || before == entered {
		return false, nil
	}
	if !again {
		if err := n.decoder.Charge(containerCost); err != nil {
			return false, err
		}
	}
	n.seen[key] = entered
	n.depth++
	found, err = walk()
	n.depth--
	if n.seen[key] = tensorless; found {
		n.seen[key] = holding
	}
	return found, err
}

// containerCost is the memory that torchNames.seen takes for each container.
const containerCost = 100

func (n *torchNames) elements(all []any) (found bool, err error) {
	for i, v := range all {
		before := len(n.path)
		n.path = append(strconv.AppendInt(append(n.path, '['), int64(i), 10), ']')
		in, err := n.walk(v)
		n.path = n.path[:before]
		if err != nil {
			return false, err
		}
		found = found || in
	}
	return found, nil
}

func (n *torchNames) items(d *pickle.Dict) (found bool, err error) {
	for k, v := range d.All() {
		before := len(n.path)
		if n.depth > 1 {
			n.path = append(n.path, '.')
		}
		n.path = appendTorchKey(n.path, k)
		in, err := n.walk(v)
		n.path = n.path[:before]
		if err != nil {
			return false, err
		}
		found = found || in
	}
	if d.Attrs == nil {
		return found, nil
	}
	before := len(n.path)
	n.path = append(n.path, ".__dict__"...)
	in, err := n.walk(d.Attrs)
	n.path = n.path[:before]
	return found || in, err
}

// appendTorchKey appends a dict's key as Python's str shows it.
func appendTorchKey(path []byte, key any) []byte {
	switch k := key.(type) {
	case string:
		return append(path, k...)
	case nil:
		return append(path, "None"...)
	case bool:
		if k {
			return append(path, "True"...)
		}
		return append(path, "False"...)
	case pickle.Tuple:
		return appendTorchTuple(path, k)
	}
	return fmt.Append(path, key)
}

// appendTorchTuple appends a tuple of a key, which is no larger than keys may be: ('a', 1), (1,).
func appendTorchTuple(path []byte, t pickle.Tuple) []byte {
	path = append(path, '(')
	for i, v := range t {
		if i > 0 {
			path = append(path, ", "...)
		}
		if text, ok := v.(string); ok {
			path = append(append(append(path, '\''), text...), '\'')
		} else {
			path = appendTorchKey(path, v)
		}
	}
	if len(t) == 1 {
		path = append(path, ',')
	}
	return append(path, ')')
}

// add gives an entry the path as its name.
func (n *torchNames) add(r ref) error {
	if err := n.decoder.Charge(int64(len(n.path)) + nameCost); err != nil {
		return err
	}
	name := string(n.path)
	n.used[name]++
	if again := n.used[name]; again > 1 {
		name += "#" + strconv.Itoa(again)
		n.used[name]++
	}
	entries := n.contents.entries
	if !n.named[r] {
		entries[r].Name = name
		n.named[r] = true
		n.unused--
		return nil
	}
	if len(entries) >= n.limits.Tensors {
		return &pickle.LimitError{What: "tensors", Limit: int64(n.limits.Tensors)}
	}
	e := entries[r]
	e.Name = name
	entries, err := room(n.torchFile, entries, entryBytes)
	n.contents.entries = append(entries, e)
	return err
}

// nameCost is the memory that torchNames.used takes for each name.
const nameCost = 100
