package dtype

// The table below reads best with short names.
const (
	b1 = Bool
	u1 = Uint8
	i1 = Int8
	i2 = Int16
	i4 = Int32
	i8 = Int64
	f2 = Float16
	bf = BFloat16
	f4 = Float32
	f8 = Float64
)

// promotions is the table of torch.promote_types.
var promotions = [Count][Count]DType{
	//   b1  u1  i1  i2  i4  i8  f2  bf  f4  f8
	b1: {0, b1, u1, i1, i2, i4, i8, f2, bf, f4, f8},
	u1: {0, u1, u1, i2, i2, i4, i8, f2, bf, f4, f8},
	i1: {0, i1, i2, i1, i2, i4, i8, f2, bf, f4, f8},
	i2: {0, i2, i2, i2, i2, i4, i8, f2, bf, f4, f8},
	i4: {0, i4, i4, i4, i4, i4, i8, f2, bf, f4, f8},
	i8: {0, i8, i8, i8, i8, i8, i8, f2, bf, f4, f8},
	f2: {0, f2, f2, f2, f2, f2, f2, f2, f4, f4, f8},
	bf: {0, bf, bf, bf, bf, bf, bf, f4, bf, f4, f8},
	f4: {0, f4, f4, f4, f4, f4, f4, f4, f4, f4, f8},
	f8: {0, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8},
}

// Promote returns the smallest type that holds both a and b by PyTorch's table (torch.promote_types); it is Undefined where
// either is.
func Promote(a, b DType) DType { return promotions[a.index()][b.index()] }

// CanCast reports whether an in-place operation may store a result of type from in a tensor of type to: never floats in
// integers, and only bools in bools.
func CanCast(from, to DType) bool {
	if from.IsFloat() && to.IsInteger() {
		return false
	}
	return from == Bool || to != Bool
}

// Tier says how much an operand weighs in a Promotion.
type Tier uint8

// The tiers, the heaviest first.
const (
	Dimensioned Tier = iota // a tensor with at least one axis
	ZeroDim                 // a tensor without axes
	Wrapped                 // a number of the language
)

// Promotion finds the type of an operation's result (torch.result_type) from its operands. Its zero value is ready to use:
//
//	var p dtype.Promotion
//	p.Add(dtype.Dimensioned, dtype.Int64)
//	p.Add(dtype.Wrapped, dtype.Float64)
//	p.Result() // torch.float32
type Promotion struct {
	tiers [3]DType // by Tier; Undefined where the tier has no operand
}

// Add takes an operand into account. Numbers of the language have one size only: a Wrapped float counts as Default, a
// Wrapped integer as Int64.
func (p *Promotion) Add(t Tier, d DType) {
	if t == Wrapped {
		d = widen(d)
	}
	p.tiers[t] = promoteDefined(p.tiers[t], d)
}

// Result returns the type of the result; Undefined without operands.
func (p *Promotion) Result() DType {
	return combine(p.tiers[Dimensioned], combine(p.tiers[ZeroDim], p.tiers[Wrapped]))
}

func widen(d DType) DType {
	if d.IsFloat() {
		return Default
	}
	if d.IsInteger() {
		return Int64
	}
	return d
}

// promoteDefined is Promote where Undefined means that there is no operand.
func promoteDefined(a, b DType) DType {
	if a == Undefined {
		return b
	}
	if b == Undefined {
		return a
	}
	return Promote(a, b)
}

// combine lets a lower tier change the higher one's category (bool, integer, float), but not its size.
func combine(higher, lower DType) DType {
	if higher.IsFloat() {
		return higher
	}
	if higher == Undefined || higher == Bool || lower.IsFloat() {
		return promoteDefined(higher, lower)
	}
	return higher
}
