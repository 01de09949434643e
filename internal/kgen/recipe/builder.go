package recipe

import (
	"fmt"
	"math"
)

// Results of steps while a recipe is built. Their Go types keep floats, integers and masks apart.
type (
	float Ref
	integ Ref
	mask  Ref
)

// A builder appends steps; a step that exists already is used again.
type builder struct {
	recipe Recipe
	seen   map[string]Ref
}

func newBuilder(elem Elem, name string, params ...string) *builder {
	return &builder{recipe: Recipe{Name: name, Elem: elem, Params: params}, seen: map[string]Ref{}}
}

// double reports whether the recipe is of float64.
func (b *builder) double() bool { return b.recipe.Elem == F64 }

func (b *builder) step(s Step) Ref {
	key := fmt.Sprintf("%d %v %d %p", s.Op, s.Args, s.Bits, s.Table)
	if r, ok := b.seen[key]; ok {
		return r
	}
	r := Ref(len(b.recipe.Steps))
	b.recipe.Steps = append(b.recipe.Steps, s)
	b.seen[key] = r
	return r
}

func (b *builder) float(op Op, args ...Ref) float { return float(b.step(Step{Op: op, Args: args})) }
func (b *builder) integ(op Op, args ...Ref) integ { return integ(b.step(Step{Op: op, Args: args})) }
func (b *builder) mask(op Op, args ...Ref) mask   { return mask(b.step(Step{Op: op, Args: args})) }

func (b *builder) Param(n int) float { return float(b.step(Step{Op: Param, Bits: uint64(n)})) }

// Bool is parameter n of a loop, whose elements are bools.
func (b *builder) Bool(n int) mask { return mask(b.step(Step{Op: ParamMask, Bits: uint64(n)})) }

// IntParam is parameter n of a loop, whose elements are integers.
func (b *builder) IntParam(n int) integ { return integ(b.step(Step{Op: ParamInt, Bits: uint64(n)})) }

// Const is a constant; it panics where v is not a number of the recipe's type, so that no coefficient is rounded unseen.
func (b *builder) Const(v float64) float {
	if !b.double() && float64(float32(v)) != v {
		panic(fmt.Sprintf("the constant %v is not a float32: Rounded makes the nearest of it", v))
	}
	return b.constant(v)
}

func (b *builder) constant(v float64) float {
	return float(b.step(Step{Op: ConstFloat, Bits: math.Float64bits(v)}))
}

// FloatBits is the float32 with the bits, which is a float64 as well.
func (b *builder) FloatBits(bits uint32) float {
	return b.constant(float64(math.Float32frombits(bits)))
}

func (b *builder) NaN() float      { return b.FloatBits(0x7fc00000) }
func (b *builder) Inf() float      { return b.FloatBits(0x7f800000) }
func (b *builder) NegInf() float   { return b.FloatBits(0xff800000) }
func (b *builder) NegZero() float  { return b.FloatBits(0x80000000) }
func (b *builder) Int(v int) integ { return integ(b.step(Step{Op: ConstInt, Bits: uint64(v)})) }

func (b *builder) Add(x, y float) float    { return b.float(Add, Ref(x), Ref(y)) }
func (b *builder) Sub(x, y float) float    { return b.float(Sub, Ref(x), Ref(y)) }
func (b *builder) Mul(x, y float) float    { return b.float(Mul, Ref(x), Ref(y)) }
func (b *builder) Div(x, y float) float    { return b.float(Div, Ref(x), Ref(y)) }
func (b *builder) FMA(x, y, z float) float { return b.float(FMA, Ref(x), Ref(y), Ref(z)) }
func (b *builder) FMAExact(x, y, z float) float {
	return b.float(FMAExact, Ref(x), Ref(y), Ref(z))
}

func (b *builder) Sqrt(x float) float     { return b.float(Sqrt, Ref(x)) }
func (b *builder) Floor(x float) float    { return b.float(Floor, Ref(x)) }
func (b *builder) Ceil(x float) float     { return b.float(Ceil, Ref(x)) }
func (b *builder) Round(x float) float    { return b.float(Round, Ref(x)) }
func (b *builder) Trunc(x float) float    { return b.float(Trunc, Ref(x)) }
func (b *builder) Neg(x float) float      { return b.float(Neg, Ref(x)) }
func (b *builder) Abs(x float) float      { return b.float(Abs, Ref(x)) }
func (b *builder) FromBits(x integ) float { return b.float(FromBits, Ref(x)) }
func (b *builder) FromInt(x integ) float  { return b.float(FromInt, Ref(x)) }

// Scale is x * 2**⌊n⌋ for a multiple -252 <= n < 254 of 1/16, rounded once.
func (b *builder) Scale(x, n float) float { return b.float(Scale, Ref(x), Ref(n)) }

// Split is x as m * 2**e: see Mantissa and Exponent.
func (b *builder) Split(x float) (m, e float) {
	m = b.float(Mantissa, Ref(x))
	return m, b.float(Exponent, Ref(x), Ref(m))
}

func (b *builder) ToInt(x float) integ         { return b.integ(ToInt, Ref(x)) }
func (b *builder) ToBits(x float) integ        { return b.integ(ToBits, Ref(x)) }
func (b *builder) IAdd(x, y integ) integ       { return b.integ(IAdd, Ref(x), Ref(y)) }
func (b *builder) ISub(x, y integ) integ       { return b.integ(ISub, Ref(x), Ref(y)) }
func (b *builder) IMul(x, y integ) integ       { return b.integ(IMul, Ref(x), Ref(y)) }
func (b *builder) IMulHigh(x, y integ) integ   { return b.integ(IMulHigh, Ref(x), Ref(y)) }
func (b *builder) IMin(x, y integ) integ       { return b.integ(IMin, Ref(x), Ref(y)) }
func (b *builder) And(x, y integ) integ        { return b.integ(IAnd, Ref(x), Ref(y)) }
func (b *builder) Or(x, y integ) integ         { return b.integ(IOr, Ref(x), Ref(y)) }
func (b *builder) Xor(x, y integ) integ        { return b.integ(IXor, Ref(x), Ref(y)) }
func (b *builder) Shl(x, n integ) integ        { return b.integ(Shl, Ref(x), Ref(n)) }
func (b *builder) Shr(x, n integ) integ        { return b.integ(Shr, Ref(x), Ref(n)) }
func (b *builder) Sar(x, n integ) integ        { return b.integ(Sar, Ref(x), Ref(n)) }
func (b *builder) Less(x, y float) mask        { return b.mask(Less, Ref(x), Ref(y)) }
func (b *builder) LessEqual(x, y float) mask   { return b.mask(LessEqual, Ref(x), Ref(y)) }
func (b *builder) Equal(x, y float) mask       { return b.mask(Equal, Ref(x), Ref(y)) }
func (b *builder) IsNaN(x float) mask          { return b.mask(IsNaN, Ref(x)) }
func (b *builder) ILess(x, y integ) mask       { return b.mask(ILess, Ref(x), Ref(y)) }
func (b *builder) IEqual(x, y integ) mask      { return b.mask(IEqual, Ref(x), Ref(y)) }
func (b *builder) Both(x, y mask) mask         { return b.mask(MaskAnd, Ref(x), Ref(y)) }
func (b *builder) Either(x, y mask) mask       { return b.mask(MaskOr, Ref(x), Ref(y)) }
func (b *builder) Not(x mask) mask             { return b.mask(MaskNot, Ref(x)) }
func (b *builder) If(c mask, x, y float) float { return b.float(Select, Ref(c), Ref(x), Ref(y)) }

func (b *builder) IfInt(c mask, x, y integ) integ { return b.integ(ISelect, Ref(c), Ref(x), Ref(y)) }

// Lookup is the table's word n, counted modulo its length.
func (b *builder) Lookup(t *Table, n integ) integ {
	return integ(b.step(Step{Op: Lookup, Args: []Ref{Ref(n)}, Table: t}))
}

// Horner is c[0] + x*(c[1] + x*(c[2] + ...)), an fma for each coefficient but the last.
func (b *builder) Horner(x float, c ...float64) float {
	y := b.Const(c[len(c)-1])
	for k := len(c) - 2; k >= 0; k-- {
		y = b.FMA(y, x, b.Const(c[k]))
	}
	return y
}

// At is the float32 that stands at n in a table.
func (b *builder) At(t *Table, n integ) float { return b.FromBits(b.Lookup(t, n)) }

// HornerAt is Horner with coefficients from tables.
func (b *builder) HornerAt(x float, n integ, c []*Table) float {
	y := b.At(c[len(c)-1], n)
	for k := len(c) - 2; k >= 0; k-- {
		y = b.FMA(y, x, b.At(c[k], n))
	}
	return y
}

// FastTwoSum is x+y as a rounded sum and its error, exact where |x| >= |y|.
func (b *builder) FastTwoSum(x, y float) (sum, err float) {
	sum = b.Add(x, y)
	return sum, b.Add(b.Sub(x, sum), y)
}

// TwoSum is x+y as a rounded sum and its error, whichever is larger.
func (b *builder) TwoSum(x, y float) (sum, err float) {
	sum = b.Add(x, y)
	part := b.Sub(sum, x)
	return sum, b.Add(b.Sub(x, b.Sub(sum, part)), b.Sub(y, part))
}

// TwoProduct is x*y as a rounded product and its error, exact where nothing underflows.
func (b *builder) TwoProduct(x, y float) (product, err float) {
	product = b.Mul(x, y)
	return product, b.FMA(x, y, b.Neg(product))
}

// WithSign is x with the sign of s, where x is not negative or s is.
func (b *builder) WithSign(x, s float) float {
	sign := b.And(b.ToBits(s), b.signBit())
	return b.FromBits(b.Or(b.ToBits(x), sign))
}

// signBit is the bit of a number that is set where it is negative.
func (b *builder) signBit() integ { return b.Int(-1 << (8*b.recipe.Elem.Size() - 1)) }

// Apply is a function's result for other arguments.
func (b *builder) Apply(function func(Elem) *Recipe, args ...float) float {
	r := function(b.recipe.Elem)
	renamed := make([]Ref, len(r.Steps))
	for k, s := range r.Steps {
		if s.Op == Param {
			renamed[k] = Ref(args[s.Bits])
			continue
		}
		of := make([]Ref, len(s.Args))
		for n, a := range s.Args {
			of[n] = renamed[a]
		}
		s.Args = of
		renamed[k] = b.step(s)
	}
	return float(renamed[len(renamed)-1])
}

// Return ends the recipe with the result y: it drops the steps that y does not need.
func (b *builder) Return(y float, ulp float64, doc string) *Recipe {
	r := b.recipe
	r.Steps, _ = keep(r.Steps, Ref(y))
	r.ULP, r.Doc = ulp, doc
	if err := r.Validate(); err != nil {
		panic(err)
	}
	return &r
}

// keep returns the steps that the results need, and the results' new places.
func keep(steps []Step, results ...Ref) ([]Step, []Ref) {
	needed := make([]bool, len(steps))
	for _, y := range results {
		needed[y] = true
	}
	for k := len(steps) - 1; k >= 0; k-- {
		if needed[k] {
			for _, a := range steps[k].Args {
				needed[a] = true
			}
		}
	}
	renamed := make([]Ref, len(steps))
	var kept []Step
	for k, s := range steps {
		if !needed[k] {
			continue
		}
		renamed[k] = Ref(len(kept))
		for n, a := range s.Args {
			s.Args[n] = renamed[a]
		}
		kept = append(kept, s)
	}
	var places []Ref
	for _, y := range results {
		places = append(places, renamed[y])
	}
	return kept, places
}
