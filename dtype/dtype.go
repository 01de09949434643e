// Package dtype names the types of tensor elements, under PyTorch's names and with PyTorch's rules for mixing them.
package dtype

// DType is the type of a tensor's elements. Its zero value is Undefined.
type DType uint8

// The element types, in the order in which PyTorch promotes them. Undefined is the absence of one.
const (
	Undefined DType = iota
	Bool
	Uint8
	Int8
	Int16
	Int32
	Int64
	Float16
	BFloat16
	Float32
	Float64
)

// Count is the number of DType values, Undefined included: the size of a table that is indexed by DType.
const Count = 11

// Default is the type of a tensor that is made without naming one.
const Default = Float32

// kind sorts the types into what promotion and casts tell apart.
type kind uint8

const (
	kindNone kind = iota
	kindBool
	kindUnsigned
	kindSigned
	kindFloat
)

// rows holds what there is to know about each type; tensor types follow from the scalar name.
var rows = [Count]struct {
	name   string
	scalar string
	cpp    string
	size   int
	kind   kind
}{
	Undefined: {"undefined", "Undefined", "undefined", 0, kindNone},
	Bool:      {"bool", "Bool", "bool", 1, kindBool},
	Uint8:     {"uint8", "Byte", "unsigned char", 1, kindUnsigned},
	Int8:      {"int8", "Char", "signed char", 1, kindSigned},
	Int16:     {"int16", "Short", "short int", 2, kindSigned},
	Int32:     {"int32", "Int", "int", 4, kindSigned},
	Int64:     {"int64", "Long", "long int", 8, kindSigned},
	Float16:   {"float16", "Half", "c10::Half", 2, kindFloat},
	BFloat16:  {"bfloat16", "BFloat16", "c10::BFloat16", 2, kindFloat},
	Float32:   {"float32", "Float", "float", 4, kindFloat},
	Float64:   {"float64", "Double", "double", 8, kindFloat},
}

// index returns d as an index of rows; a value that is no type counts as Undefined.
func (d DType) index() int {
	if d >= Count {
		return int(Undefined)
	}
	return int(d)
}

// Name returns the short name, "float32".
func (d DType) Name() string { return rows[d.index()].name }

// String returns the name that PyTorch prints, "torch.float32".
func (d DType) String() string { return "torch." + d.Name() }

// Size returns the bytes that one element takes.
func (d DType) Size() int { return rows[d.index()].size }

// ScalarName returns the name that PyTorch's errors use, "Float" or "Long".
func (d DType) ScalarName() string { return rows[d.index()].scalar }

// CppName returns the C++ name that some of PyTorch's errors use, "long int".
func (d DType) CppName() string { return rows[d.index()].cpp }

// TensorType returns PyTorch's legacy name of a CPU tensor of this type, "torch.FloatTensor".
func (d DType) TensorType() string { return "torch." + d.ScalarName() + "Tensor" }

// IsFloat reports whether d is a floating-point type.
func (d DType) IsFloat() bool { return rows[d.index()].kind == kindFloat }

// IsInteger reports whether d is an integer type; Bool is not one.
func (d DType) IsInteger() bool {
	k := rows[d.index()].kind
	return k == kindSigned || k == kindUnsigned
}

// IsSigned reports whether d holds negative numbers.
func (d DType) IsSigned() bool {
	k := rows[d.index()].kind
	return k == kindSigned || k == kindFloat
}
