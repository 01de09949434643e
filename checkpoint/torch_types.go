package checkpoint

import (
	"errors"
	"slices"
	"strconv"

	"cresset/dtype"
	"cresset/internal/pickle"
)

// torchType is a dtype of PyTorch.
type torchType struct {
	name    string      // "float32"
	storage string      // its storage class in package torch; "" where a tensor lies in an UntypedStorage and names its dtype
	bytes   int         // of an element
	dtype   dtype.DType // dtype.Undefined where cresset has none
}

var torchTypes = []torchType{
	{"float32", "FloatStorage", 4, dtype.Float32},
	{"float64", "DoubleStorage", 8, dtype.Float64},
	{"float16", "HalfStorage", 2, dtype.Float16},
	{"bfloat16", "BFloat16Storage", 2, dtype.BFloat16},
	{"int64", "LongStorage", 8, dtype.Int64},
	{"int32", "IntStorage", 4, dtype.Int32},
	{"int16", "ShortStorage", 2, dtype.Int16},
	{"int8", "CharStorage", 1, dtype.Int8},
	{"uint8", "ByteStorage", 1, dtype.Uint8},
	{"bool", "BoolStorage", 1, dtype.Bool},

	{"complex64", "ComplexFloatStorage", 8, dtype.Undefined},
	{"complex128", "ComplexDoubleStorage", 16, dtype.Undefined},
	{"complex32", "", 4, dtype.Undefined},
	{"uint16", "", 2, dtype.Undefined},
	{"uint32", "", 4, dtype.Undefined},
	{"uint64", "", 8, dtype.Undefined},
	{"float8_e4m3fn", "", 1, dtype.Undefined},
	{"float8_e4m3fnuz", "", 1, dtype.Undefined},
	{"float8_e5m2", "", 1, dtype.Undefined},
	{"float8_e5m2fnuz", "", 1, dtype.Undefined},
	{"float8_e8m0fnu", "", 1, dtype.Undefined},
	{"float4_e2m1fn_x2", "", 1, dtype.Undefined},
}

// torchTypeOf returns PyTorch's dtype of an entry, nil where it has none.
func torchTypeOf(e *Entry) *torchType {
	for i := range torchTypes {
		if t := &torchTypes[i]; t.name == e.DType || e.Type != dtype.Undefined && t.dtype == e.Type {
			return t
		}
	}
	return nil
}

// unit returns the bytes that storages count their elements in.
func (t *torchType) unit() int {
	if t.storage == "" {
		return 1
	}
	return t.bytes
}

// torchStorageType is a storage class.
type torchStorageType struct{ of *torchType }

// untyped is a storage of bytes.
var untyped = &torchType{name: "uint8", bytes: 1, dtype: dtype.Uint8}

// torchNone is None where it is all that a file holds: a nil tree is that of tensors by name.
type torchNone struct{}

// torchClass is a class of tensors, which a file names beside a tensor with attributes.
type torchClass struct{}

// torchDevice is torch.device's argument, as "cuda:0".
type torchDevice string

// torchSize is torch.Size.
type torchSize pickle.Tuple

// torchLacking are the functions that make tensors of kinds that cresset lacks.
var torchLacking = map[string]string{
	"_rebuild_sparse_tensor":          "a sparse tensor",
	"_rebuild_sparse_csr_tensor":      "a sparse tensor",
	"_rebuild_qtensor":                "a quantized tensor",
	"_rebuild_nested_tensor":          "a nested tensor",
	"_rebuild_meta_tensor_no_storage": "a tensor on the meta device, which has no elements,",
	"_rebuild_wrapper_subclass":       "a tensor of a class of its own",
}

// torchGlobals are what a file may name besides the functions that make tensors.
func torchGlobals() map[string]any {
	globals := map[string]any{
		"torch.storage.UntypedStorage": torchStorageType{untyped},
		"torch.Size":                   pickle.Func(newTorchSize),
		"torch.device":                 pickle.Func(newTorchDevice),
		"torch.Tensor":                 torchClass{},
		"torch.nn.parameter.Parameter": torchClass{},
	}
	for name, what := range torchLacking {
		globals["torch._utils."+name] = pickle.Func(func(pickle.Tuple) (any, error) { return nil, errors.New(what + " is not supported") })
	}
	for i := range torchTypes {
		t := &torchTypes[i]
		globals["torch."+t.name] = t
		if t.storage != "" {
			globals["torch."+t.storage] = torchStorageType{t}
		}
	}
	return globals
}

func newTorchSize(args pickle.Tuple) (any, error) {
	if len(args) == 1 {
		if sizes, ok := args[0].(pickle.Tuple); ok && !slices.ContainsFunc(sizes, notSize) {
			return torchSize(sizes), nil
		}
	}
	return nil, errArguments
}

func notSize(v any) bool {
	n, ok := v.(int64)
	return !ok || n < 0
}

func newTorchDevice(args pickle.Tuple) (any, error) {
	if len(args) != 1 && len(args) != 2 {
		return nil, errArguments
	}
	kind, ok := args[0].(string)
	if ok && len(args) == 2 {
		var index int64
		index, ok = args[1].(int64)
		kind += ":" + strconv.FormatInt(index, 10)
	}
	if !ok || len(kind) > 32 {
		return nil, errArguments
	}
	return torchDevice(kind), nil
}
