package checkpoint

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"cresset/internal/pickle"
)

// torchPickler makes what PyTorch unpickles of a tree: calls of the functions that make tensors, and persistent ids of storages.
type torchPickler struct {
	path     string
	contents *contents
	format   Format
	tensors  map[ref]*pickle.Call
	keys     map[int]int     // of contents.stores
	order    []torchOutgoing // by key
}

// torchOutgoing is a storage to write.
type torchOutgoing struct {
	store int
	kind  *torchType // of the first tensor in it
}

func newTorchPickler(path string, c *contents, format Format) *torchPickler {
	return &torchPickler{path: path, contents: c, format: format, tensors: map[ref]*pickle.Call{}, keys: map[int]int{}}
}

// encode pickles the tree, or tensors by name as a state_dict has them.
func (t *torchPickler) encode() ([]byte, error) {
	tree := t.contents.tree
	if tree == nil {
		state := &pickle.Dict{Ordered: true}
		for i, e := range t.contents.entries {
			if err := state.Set(e.Name, ref(i)); err != nil {
				return nil, err
			}
		}
		tree = state
	}
	text, err := pickle.Encode(tree, t.replace)
	var unknown *DTypeError
	if errors.As(err, &unknown) {
		return nil, unknown
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", t.path, err)
	}
	return text, nil
}

// replace returns what stands for a part of the tree in a pickle.
func (t *torchPickler) replace(v any) (any, error) {
	switch v := v.(type) {
	case ref:
		return t.tensor(v)
	case torchNone:
		return nil, nil
	case *torchType:
		return pickle.Global{Module: "torch", Name: v.name}, nil
	case torchSize:
		return &pickle.Call{Func: pickle.Global{Module: "torch", Name: "Size"}, Args: pickle.Tuple{pickle.Tuple(v)}}, nil
	case torchDevice:
		return v.call()
	}
	return nil, fmt.Errorf("a %T stands where a value was expected", v)
}

func (d torchDevice) call() (any, error) {
	args := pickle.Tuple{string(d)}
	if kind, number, ok := strings.Cut(string(d), ":"); ok {
		index, err := strconv.Atoi(number)
		if err != nil {
			return nil, err
		}
		args = pickle.Tuple{kind, index}
	}
	return &pickle.Call{Func: pickle.Global{Module: "torch", Name: "device"}, Args: args}, nil
}

// tensor returns the call that makes a tensor, the same one every time.
func (t *torchPickler) tensor(r ref) (*pickle.Call, error) {
	if call := t.tensors[r]; call != nil {
		return call, nil
	}
	e := &t.contents.entries[t.contents.entryOf(r)]
	kind := torchTypeOf(e)
	if kind == nil || kind.storage == "" && t.format == PyTorchLegacy { // which PyTorch itself does not read
		return nil, &DTypeError{File: t.path, Tensor: e.Name, DType: e.DType}
	}
	storage, err := t.storage(e, kind)
	if err != nil {
		return nil, err
	}
	hooks := &pickle.Dict{Ordered: true}
	name, args := "_rebuild_tensor_v2", pickle.Tuple{storage, e.Offset, sizeTuple(e.Shape), sizeTuple(e.strides()), e.grad == gradient{required: true}, hooks}
	if kind.storage == "" {
		name, args = "_rebuild_tensor_v3", append(args, kind)
	}
	call := &pickle.Call{Func: pickle.Global{Module: "torch._utils", Name: name}, Args: args}
	if e.grad.parameter {
		call = &pickle.Call{Func: pickle.Global{Module: "torch._utils", Name: "_rebuild_parameter"}, Args: pickle.Tuple{call, e.grad.required, hooks}}
	}
	t.tensors[r] = call
	return call, nil
}

func sizeTuple(sizes []int) pickle.Tuple {
	out := make(pickle.Tuple, len(sizes))
	for i, n := range sizes {
		out[i] = n
	}
	return out
}

// storage returns the persistent id of the storage that an entry lies in.
func (t *torchPickler) storage(e *Entry, kind *torchType) (any, error) {
	key, ok := t.keys[e.Storage]
	if !ok {
		key = len(t.order)
		t.keys[e.Storage] = key
		t.order = append(t.order, torchOutgoing{e.Storage, kind})
	}
	if t.format == PyTorchLegacy && t.order[key].kind != kind {
		return nil, fmt.Errorf("tensor %q is of another type than one that shares its memory, which the legacy form does not have", e.Name)
	}
	class := pickle.Global{Module: "torch", Name: kind.storage}
	if kind.storage == "" {
		class = pickle.Global{Module: "torch.storage", Name: "UntypedStorage"}
	}
	id := pickle.Tuple{"storage", class, strconv.Itoa(key), "cpu", t.contents.stores[e.Storage].bytes / int64(kind.unit())}
	if t.format == PyTorchLegacy {
		id = append(id, nil) // no view
	}
	return pickle.Persistent{ID: id}, nil
}
