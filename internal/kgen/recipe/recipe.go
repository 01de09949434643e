// Package recipe holds the elementary functions of float32 as data: straight lines of fma, add, mul and integer
// steps, without branches, from which the program kgen writes the same function for every kind of device.
//
// A step is an operation that every target has as one instruction or a short fixed sequence, correctly rounded to
// nearest even and without flush to zero. So two devices that follow the same recipe give the same bits.
package recipe

// A Recipe is a function of one or two float32 numbers: its last step is the result.
type Recipe struct {
	Name   string   // what the function is called, as in "GELUTanh"
	Doc    string   // the formula, the way to it and its sources, in lines
	ULP    float64  // the largest error that was measured, in units of the last place
	Params []string // the names of the arguments
	Steps  []Step
}

// A Step applies Op to the results of earlier steps.
type Step struct {
	Op    Op
	Args  []Ref
	Bits  uint32 // the value of a constant, or the index of a parameter
	Table *Table // for Lookup
}

// A Ref names a step by its index.
type Ref int

// A Table is an array of constants that a Lookup step reads.
type Table struct {
	Name  string
	Doc   string
	Words []uint32
}

// A Type is what a step results in.
type Type byte

// The types of steps.
const (
	FloatType Type = 'f' // a float32
	IntType   Type = 'i' // 32 bits, read as signed or unsigned by each operation
	MaskType  Type = 'm' // true or false
)

// An Op is an operation. Float operations round to nearest even.
type Op uint8

// The operations, by what their results are.
const (
	Param      Op = iota // an argument of the function, or an element of a loop's operand
	Scalar               // a loop's parameter, the same for all elements
	ConstFloat           // the float32 with the step's bits
	Add                  // a + b
	Sub                  // a - b
	Mul                  // a * b
	Div                  // a / b
	FMA                  // a*b + c, rounded once
	FMAExact             // the same where a*b is a float32, so that mul and add do as well
	Sqrt                 // √a
	Neg                  // a with the other sign
	Abs                  // a without its sign
	FromBits             // the float32 with the bits a
	FromInt              // the int32 a as a float32
	Select               // b where a is true, else c
	Scale                // a * 2**b for an integer -252 < b < 254, rounded once
	Floor                // ⌊a⌋; this and what follows is for loops
	Ceil                 // ⌈a⌉
	Round                // the integer nearest to a, the even one of two
	Trunc                // a without its fraction

	ConstInt  // the step's bits
	ParamInt  // an element of a loop's operand of integers
	ToInt     // a without its fraction, the least int32 where that is out of range or a is NaN; for loops
	ToBits    // the bits of the float32 a
	IAdd      // a + b, wrapping
	ISub      // a - b, wrapping
	IMul      // a * b, its low half
	IMulHigh  // a * b unsigned, its high half
	IAnd      // a & b
	IOr       // a | b
	IXor      // a ^ b
	Shl       // a << b, 0 <= b < 32
	Shr       // a >> b unsigned, 0 <= b < 32
	Sar       // a >> b signed, 0 <= b < 32
	ISelect   // b where a is true, else c
	Lookup    // the table's word a
	ParamMask // an element of a loop's operand of bools
	Less      // a < b, false for NaN
	LessEqual // a <= b, false for NaN
	Equal     // a == b, false for NaN
	IsNaN     // a is NaN
	ILess     // a < b signed
	MaskAnd   // a and b
	MaskOr    // a or b
	MaskNot   // not a
	numOps
)

// A signature is an operation's name, the types of its arguments, one letter each, and the type of its result.
type signature struct {
	name, args string
	result     Type
}

var signatures = [numOps]signature{
	Param:      {"param", "", FloatType},
	Scalar:     {"scalar", "", FloatType},
	ConstFloat: {"const", "", FloatType},
	Add:        {"add", "ff", FloatType},
	Sub:        {"sub", "ff", FloatType},
	Mul:        {"mul", "ff", FloatType},
	Div:        {"div", "ff", FloatType},
	FMA:        {"fma", "fff", FloatType},
	FMAExact:   {"fmaexact", "fff", FloatType},
	Sqrt:       {"sqrt", "f", FloatType},
	Neg:        {"neg", "f", FloatType},
	Abs:        {"abs", "f", FloatType},
	FromBits:   {"frombits", "i", FloatType},
	FromInt:    {"fromint", "i", FloatType},
	Select:     {"select", "mff", FloatType},
	Scale:      {"scale", "fi", FloatType},
	Floor:      {"floor", "f", FloatType},
	Ceil:       {"ceil", "f", FloatType},
	Round:      {"round", "f", FloatType},
	Trunc:      {"trunc", "f", FloatType},
	ConstInt:   {"iconst", "", IntType},
	ParamInt:   {"paramint", "", IntType},
	ToInt:      {"toint", "f", IntType},
	ToBits:     {"tobits", "f", IntType},
	IAdd:       {"iadd", "ii", IntType},
	ISub:       {"isub", "ii", IntType},
	IMul:       {"imul", "ii", IntType},
	IMulHigh:   {"imulhigh", "ii", IntType},
	IAnd:       {"iand", "ii", IntType},
	IOr:        {"ior", "ii", IntType},
	IXor:       {"ixor", "ii", IntType},
	Shl:        {"shl", "ii", IntType},
	Shr:        {"shr", "ii", IntType},
	Sar:        {"sar", "ii", IntType},
	ISelect:    {"iselect", "mii", IntType},
	Lookup:     {"lookup", "i", IntType},
	ParamMask:  {"parammask", "", MaskType},
	Less:       {"less", "ff", MaskType},
	LessEqual:  {"lessequal", "ff", MaskType},
	Equal:      {"equal", "ff", MaskType},
	IsNaN:      {"isnan", "f", MaskType},
	ILess:      {"iless", "ii", MaskType},
	MaskAnd:    {"and", "mm", MaskType},
	MaskOr:     {"or", "mm", MaskType},
	MaskNot:    {"not", "m", MaskType},
}

// String returns the operation's name.
func (op Op) String() string {
	if op >= numOps {
		return "invalid"
	}
	return signatures[op].name
}

// Result returns the type of the operation's result.
func (op Op) Result() Type { return signatures[op].result }

// ForLoops reports whether only loops have the operation, not functions of numbers.
func (op Op) ForLoops() bool {
	switch op {
	case Scalar, ParamInt, ParamMask, ToInt, Floor, Ceil, Round, Trunc:
		return true
	}
	return false
}

// IsConst reports whether the operation is a constant.
func (op Op) IsConst() bool { return op == ConstFloat || op == ConstInt }
