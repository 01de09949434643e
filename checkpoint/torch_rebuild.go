package checkpoint

import (
	"errors"
	"fmt"

	"cresset/dtype"
	"cresset/internal/pickle"
)

// rebuildTensor takes storage, offset, size, stride.
func (t *torchFile) rebuildTensor(args pickle.Tuple) (any, error) {
	if len(args) != 4 {
		return nil, errArguments
	}
	return t.tensor(args, nil)
}

// rebuildTensorV2 takes storage, offset, size, stride, requires_grad, backward_hooks and perhaps metadata.
func (t *torchFile) rebuildTensorV2(args pickle.Tuple) (any, error) {
	if len(args) != 6 && len(args) != 7 {
		return nil, errArguments
	}
	return t.tensor(args, nil, args[6:]...)
}

// rebuildTensorV3 has a dtype before the metadata; the storage is one of bytes.
func (t *torchFile) rebuildTensorV3(args pickle.Tuple) (any, error) {
	if len(args) != 7 && len(args) != 8 {
		return nil, errArguments
	}
	kind, ok := args[6].(*torchType)
	if !ok {
		return nil, errArguments
	}
	return t.tensor(args, kind, args[7:]...)
}

var errArguments = errors.New("arguments of another kind")

// pending says what is still to be done to a tensor's elements, which its metadata tells, a dict of switches.
func pending(metadata any) (text string, err error) {
	if metadata == nil {
		return "", nil
	}
	d, ok := metadata.(*pickle.Dict)
	if !ok {
		return "", errArguments
	}
	for name, on := range d.All() {
		word := ""
		switch name {
		case "conj":
			word = "conjugated "
		case "neg":
			word = "negated "
		}
		switch {
		case on == true && word != "":
			text += word
		case on != false:
			return "", errors.New("a tensor with metadata other than conj and neg")
		}
	}
	return text, nil
}

// rebuildParameter takes the tensor, requires_grad, backward_hooks and perhaps attributes, which have no place in cresset: setTree
// leaves out the tensors in them.
func (t *torchFile) rebuildParameter(args pickle.Tuple) (any, error) {
	if len(args) != 3 && len(args) != 4 {
		return nil, errArguments
	}
	x, ok := args[0].(ref)
	required, also := args[1].(bool)
	if !ok || !also {
		return nil, errArguments
	}
	t.contents.entries[x].grad = gradient{required: required, parameter: true}
	return x, nil
}

// rebuildFromType takes the function that makes a tensor, the tensor's class, the function's arguments, and attributes.
func (t *torchFile) rebuildFromType(args pickle.Tuple) (any, error) {
	if len(args) != 4 {
		return nil, errArguments
	}
	f, ok := args[0].(pickle.Func)
	of, also := args[2].(pickle.Tuple)
	if !ok || !also || t.within {
		return nil, errArguments
	}
	t.within = true
	defer func() { t.within = false }()
	return f(of)
}

// tensor adds an entry, which gets its name once the whole value is there, and returns the ref to it. The arguments begin with
// storage, offset, size, stride and perhaps requires_grad. Where kind is nil the storage's class tells the dtype. A tensor whose
// metadata asks for more than its elements tell has a dtype that cresset lacks.
func (t *torchFile) tensor(args pickle.Tuple, kind *torchType, metadata ...any) (any, error) {
	view, ok := args[0].(torchView)
	offset, also := args[1].(int64)
	if !ok || !also || offset < 0 || offset > maxElements || view.first > maxElements {
		return nil, errors.New("expected a storage and the offset of the first element")
	}
	if kind == nil {
		kind = view.kind
	}
	shape, err := t.sizes(args[2])
	if err != nil {
		return nil, err
	}
	stride, err := t.sizes(args[3])
	if err != nil {
		return nil, err
	}
	if len(t.contents.entries) == t.limits.Tensors {
		return nil, &pickle.LimitError{What: "tensors", Limit: int64(t.limits.Tensors)}
	}
	e := Entry{DType: kind.name, Type: kind.dtype, Shape: shape, Stride: stride, Storage: view.number, Offset: int(view.first + offset)}
	if fault := e.fault(kind.bytes, t.contents.stores[e.Storage].bytes); fault != "" {
		return nil, errors.New("a tensor with elements outside its storage: " + fault)
	}
	e.Bytes = int64(e.numel() * kind.bytes)
	if len(args) > 4 {
		if e.grad.required, ok = args[4].(bool); !ok {
			return nil, errArguments
		}
	}
	if len(metadata) > 0 {
		first, err := pending(metadata[0])
		if err != nil {
			return nil, err
		}
		if first != "" {
			e.DType, e.Type = first+e.DType, dtype.Undefined
			err = t.decoder.Charge(int64(len(e.DType)))
		}
		if err != nil {
			return nil, err
		}
	}
	if t.contents.entries, err = room(t, t.contents.entries, entryBytes); err != nil {
		return nil, err
	}
	t.contents.entries = append(t.contents.entries, e)
	return ref(len(t.contents.entries) - 1), nil
}

// sizes returns a tuple of extents or strides.
func (t *torchFile) sizes(v any) ([]int, error) {
	tuple, ok := v.(pickle.Tuple)
	if size, is := v.(torchSize); is {
		tuple, ok = pickle.Tuple(size), true
	}
	if !ok || len(tuple) > maxTorchAxes {
		return nil, fmt.Errorf("expected a tuple of at most %d sizes", maxTorchAxes)
	}
	if err := t.decoder.Charge(int64(8 * len(tuple))); err != nil {
		return nil, err
	}
	sizes := make([]int, len(tuple))
	for i, v := range tuple {
		n, ok := v.(int64)
		if !ok || n < 0 || n > maxElements {
			return nil, errors.New("expected sizes that are whole numbers")
		}
		sizes[i] = int(n)
	}
	return sizes, nil
}
