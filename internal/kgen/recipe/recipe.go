// Package recipe holds the elementary functions of float32 and float64 as data: straight lines of fma, add, mul and
// integer steps, without branches, from which the program kgen writes the same function for every kind of device.
//
// A step is an operation that every target has as one instruction or a short fixed sequence, correctly rounded to
// nearest even and without flush to zero. So two devices that follow the same recipe give the same bits.
package recipe

import "math"

// A Recipe is a function of one or two numbers: its last step is the result.
type Recipe struct {
	Name   string   // what the function is called, as in "GELUTanh"
	Elem   Elem     // the type of the numbers, F32 or F64
	Doc    string   // the formula, the way to it and its sources, in lines
	ULP    float64  // the largest error that was measured, in units of the last place
	Params []string // the names of the arguments
	Steps  []Step
}

// A Step applies Op to the results of earlier steps.
type Step struct {
	Op    Op
	Args  []Ref
	Bits  uint64 // a constant as a float64 or an int64, whatever the recipe's type, or the index of a parameter
	Table *Table // for Lookup
}

// Word returns the constant's bits in a recipe or a loop of numbers of that type.
func (s *Step) Word(elem Elem) uint64 {
	switch {
	case elem.Size() == 8:
		return s.Bits
	case s.Op == ConstFloat:
		return uint64(math.Float32bits(float32(math.Float64frombits(s.Bits))))
	case elem.Size() == 1:
		return uint64(uint8(s.Bits))
	}
	return uint64(uint32(s.Bits))
}

// A Ref names a step by its index.
type Ref int

// A Table is an array of 8 or 16 constants that a Lookup step reads.
type Table struct {
	Name  string
	Doc   string
	Words []uint32
	// UpperSeldom says that few indices are in the upper half.
	UpperSeldom bool
}

// A Type is what a step results in.
type Type byte

// The types of steps.
const (
	FloatType Type = 'f' // a number of the recipe's type
	IntType   Type = 'i' // as many bits, read as signed or unsigned by each operation
	MaskType  Type = 'm' // true or false
)

// An Op is an operation. Float operations round to nearest even.
type Op uint8

// The operations, by what their results are. Comments tell of float32; float64 has 64 bits where they say 32.
const (
	Param      Op = iota // an argument of the function, or an element of a loop's operand
	Scalar               // a loop's parameter, the same for all elements
	ConstFloat           // the step's number
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
	Scale                // a * 2**⌊b⌋ for a multiple -252 <= b < 254 of 1/16, of float64 for an integer -2044 <= b <= 2046, rounded once
	Mantissa             // the m of a = m * 2**e with 3/4 <= m < 3/2, of float64 √½ <= m < √2: NaN of NaN, else a number, or NaN where a is negative
	Exponent             // the e of a = b * 2**e with b = Mantissa of a: -∞ of ±0, ∞ of ∞, NaN of NaN, and noNumber where a is negative
	Floor                // ⌊a⌋; this and what follows is for loops
	Ceil                 // ⌈a⌉
	Round                // the integer nearest to a, the even one of two
	Trunc                // a without its fraction

	ConstInt  // the step's integer
	ParamInt  // an element of a loop's operand of integers
	ScalarInt // a loop's parameter of integers
	ToInt     // a without its fraction, the least int32 where that is out of range or a is NaN; for loops
	ToBits    // the bits of the float32 a
	IAdd      // a + b, wrapping
	ISub      // a - b, wrapping
	IMul      // a * b, its low half
	IMulHigh  // a * b unsigned, its high half
	IMin      // the smaller of a and b, unsigned
	IAnd      // a & b
	IOr       // a | b
	IXor      // a ^ b
	Shl       // a << b, 0 <= b < 32
	Shr       // a >> b unsigned, 0 <= b < 32
	Sar       // a >> b signed, 0 <= b < 32
	ISelect   // b where a is true, else c
	Lookup    // the table's word a, counted modulo its length
	ParamMask // an element of a loop's operand of bools
	Less      // a < b, false for NaN
	LessEqual // a <= b, false for NaN
	Equal     // a == b, false for NaN
	IsNaN     // a is NaN
	ILess     // a < b, signed but for bytes
	IEqual    // a == b, for loops
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
	Scale:      {"scale", "ff", FloatType},
	Mantissa:   {"mantissa", "f", FloatType},
	Exponent:   {"exponent", "ff", FloatType},
	Floor:      {"floor", "f", FloatType},
	Ceil:       {"ceil", "f", FloatType},
	Round:      {"round", "f", FloatType},
	Trunc:      {"trunc", "f", FloatType},
	ConstInt:   {"iconst", "", IntType},
	ParamInt:   {"paramint", "", IntType},
	ScalarInt:  {"iscalar", "", IntType},
	ToInt:      {"toint", "f", IntType},
	ToBits:     {"tobits", "f", IntType},
	IAdd:       {"iadd", "ii", IntType},
	ISub:       {"isub", "ii", IntType},
	IMul:       {"imul", "ii", IntType},
	IMulHigh:   {"imulhigh", "ii", IntType},
	IMin:       {"imin", "ii", IntType},
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
	IEqual:     {"iequal", "ii", MaskType},
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

// Single reports whether only recipes of float32 have the operation: AVX2 has no instructions for those of 64 bits, and
// tables hold words of 32.
func (op Op) Single() bool {
	switch op {
	case FromInt, ToInt, IMul, IMulHigh, IMin, Sar, Lookup:
		return true
	}
	return false
}

// Expands reports whether operations that every target has can stand for it.
func (op Op) Expands() bool { return op == Scale || op == Mantissa || op == Exponent }

// noNumber are the bits of the NaN that x86 makes of what is no number.
const noNumber = 0xffc00000

// IsConst reports whether the operation is a constant.
func (op Op) IsConst() bool { return op == ConstFloat || op == ConstInt }
