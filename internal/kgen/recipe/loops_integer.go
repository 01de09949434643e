package recipe

import "slices"

// integers are the loops of integers, a byte without sign among them: those of internal/kern/arith.go, select.go and comparison.go,
// and casts. They wrap.
func integers() []*Loop {
	zero := func(b *builder) integ { return b.Int(0) }
	return slices.Concat(
		sidedNumber("Add", "a + b", (*builder).IAdd),
		sidedNumber("Sub", "a - b", (*builder).ISub),
		sidedNumber("Mul", "a · b", (*builder).IMul),
		sidedNumber("Maximum", "the larger of a and b", func(b *builder, x, y integ) integ { return b.IfInt(b.ILess(x, y), y, x) }),
		sidedNumber("Minimum", "the smaller of a and b", func(b *builder, x, y integ) integ { return b.IfInt(b.ILess(y, x), y, x) }),
		comparison("Eq", "a == b", (*builder).IEqual),
		comparison("Ne", "a ≠ b", func(b *builder, x, y integ) mask { return b.Not(b.IEqual(x, y)) }),
		comparison("Lt", "a < b", (*builder).ILess),
		comparison("Le", "a ≤ b", func(b *builder, x, y integ) mask { return b.Not(b.ILess(y, x)) }),
		comparison("Gt", "a > b", func(b *builder, x, y integ) mask { return b.ILess(y, x) }),
		comparison("Ge", "a ≥ b", func(b *builder, x, y integ) mask { return b.Not(b.ILess(x, y)) }),
		[]*Loop{
			unary("Neg", "-a", func(b *builder, x integ) integ { return b.ISub(zero(b), x) }),
			unary("Abs", "|a|, the least integer as it is", func(b *builder, x integ) integ {
				return b.IfInt(b.ILess(x, zero(b)), b.ISub(zero(b), x), x)
			}),
			unary("Sign", "-1, 0 or 1 as a is", func(b *builder, x integ) integ {
				return b.IfInt(b.ILess(zero(b), x), b.Int(1), b.IfInt(b.ILess(x, zero(b)), b.Int(-1), zero(b)))
			}),
			unary("Square", "a²", func(b *builder, x integ) integ { return b.IMul(x, x) }),
			clampInt(),
			whereInt(),
			addProducts(),
			addProductsPair(),
		},
		integerCasts(),
	)
}

func clampInt() *Loop {
	d := describe("Clamp", "min(max(a, low), high)", whole, "a")
	low, high, x := repeated[integ](d, "low"), repeated[integ](d, "high"), d.IntParam(0)
	x = d.IfInt(d.ILess(x, low), low, x)
	d.write("dst", Own, Ref(d.IfInt(d.ILess(high, x), high, x)))
	return d.end(d.builder)
}

func whereInt() *Loop {
	d := describe("Where", "a where cond, else b", ints, "cond", "a", "b")
	d.Src[0].Elem = Bool
	d.write("dst", Own, Ref(d.IfInt(d.Bool(0), d.IntParam(1), d.IntParam(2))))
	return d.end(d.builder)
}

// addProducts is a row of an integer matrix product, three steps of it at a time: more slices no loop has.
func addProducts() *Loop {
	d := describe("AddProducts", "sums + x·a + y·b + z·c, of one x, y and z for all", whole, "sums", "a", "b", "c")
	sum := d.IntParam(0)
	for n, name := range []string{"x", "y", "z"} {
		sum = d.IAdd(sum, d.IMul(repeated[integ](d, name), d.IntParam(n+1)))
	}
	d.write("sums", Own, Ref(sum))
	return d.end(d.builder)
}

// addProductsPair is two rows of it, two steps at a time.
func addProductsPair() *Loop {
	d := describe("AddProductsPair", "sums + w·a + x·b and more + y·a + z·b, of one w, x, y and z for all", whole, "sums", "more", "a", "b")
	row := func(at int, x, y string) Ref {
		sum := d.IAdd(d.IntParam(at), d.IMul(repeated[integ](d, x), d.IntParam(2)))
		return Ref(d.IAdd(sum, d.IMul(repeated[integ](d, y), d.IntParam(3))))
	}
	sums, more := row(0, "w", "x"), row(1, "y", "z")
	d.write("sums", Own, sums)
	d.write("more", Own, more)
	return d.end(d.builder)
}

// integerCasts compute with integers: what they read becomes one, and the store makes another type of it.
func integerCasts() []*Loop {
	long := []Elem{I64}
	same := func(_ *builder, x integ) Ref { return Ref(x) }
	return []*Loop{
		readInts("FromI32", "a, an int32, as an int64", long, I32),
		readInts("FromU8", "a, a byte, as an integer", ints, U8),
		readInts("FromF32", "a, a float32, without its fraction, as an int64; the least where that is out of range or a is NaN", long, F32),
		readInts("FromF64", "a, a float64, without its fraction, as an int64; the least where that is out of range or a is NaN", long, F64),
		to("ToI32", "a, an int64, as an int32, which wraps", long, I32, same),
		to("ToU8", "a as a byte, which wraps", ints, U8, same),
		to("ToF32", "a, an int64, as a float32", long, F32, same),
		to("ToF64", "a, an int64, as a float64", long, F64, same),
		to("ToBool", "whether a ≠ 0", whole, Bool, func(b *builder, x integ) Ref { return Ref(b.Not(b.IEqual(x, b.Int(0)))) }),
	}
}

// readInts is the loop that reads elements of another type as integers.
func readInts(name, doc string, elems []Elem, elem Elem) *Loop {
	d := describe(name, doc, elems, "a")
	d.Src[0].Elem = elem
	d.write("dst", Own, Ref(d.IntParam(0)))
	return d.end(d.builder)
}
