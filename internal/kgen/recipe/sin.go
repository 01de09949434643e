package recipe

// halfPi is π/2 in three parts of as many bits as a number has, float32's and float64's; the last is the rest.
var halfPi = map[Elem][3]float64{
	F32: {0x1.921fb6p0, -0x1.777a5cp-25, -0x1.ee59dap-50},
	F64: {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110},
}

// farTrigBits are the bits of 2**32, from which on the arguments of float64's sine and cosine are reduced elsewhere.
const farTrigBits = (1023 + 32) << 52

var twoOverPi = &Table{
	Name: "twoOverPi",
	Doc:  "the bits of 2/π after the point, behind 32 zeros.",
	Words: []uint32{
		0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
	},
}

// nearReduced is a - q*π/2 for 0 <= a < 2**13, of float64 below 2**32, as head + tail, and q in the low bits of an integer (Cody
// and Waite). Near a multiple of π/2 all that remains comes from the later parts, so what each step rounds away is kept.
func nearReduced(b *builder, a float) (head, tail float, q integ) {
	parts := halfPi[b.recipe.Elem]
	shifted, whole := rounded(b, a, b.pick(0x1.45f306p-1, 0x1.45f306dc9c883p-1), 0)
	first := b.FMA(whole, b.Const(-parts[0]), a) // exact, since it is below 2 and a multiple of a's last place
	part, partRest := b.TwoProduct(whole, b.Const(-parts[1]))
	second, lost := b.TwoSum(first, part)
	rest := b.Add(lost, b.FMA(whole, b.Const(-parts[2]), partRest))
	head, tail = b.FastTwoSum(second, rest)
	return head, tail, b.ToBits(shifted)
}

// farReduced is the same for every finite a >= 1 (Payne and Hanek): a = m * 2**k, and of 2/π only the 96 bits count
// from which m makes more than a multiple of 4 and not too little.
func farReduced(b *builder, a float) (head, tail float, q integ) {
	bits := b.ToBits(a)
	m := b.Or(b.And(bits, b.Int(0x7fffff)), b.Int(0x800000))
	at := b.ISub(b.Shr(bits, b.Int(23)), b.Int(120)) // the window's first bit has weight 1/2 after the product with m
	word := b.Shr(at, b.Int(5))
	lookup := func(n int) integ {
		index := word
		if n > 0 {
			index = b.IAdd(word, b.Int(n))
		}
		return b.Lookup(twoOverPi, index)
	}
	shift := b.And(at, b.Int(31))
	window := func(n int) integ {
		// Two shifts to the right, because a shift by 32 is not defined.
		low := b.Shr(b.Shr(lookup(n+1), b.Int(1)), b.ISub(b.Int(31), shift))
		return b.Or(b.Shl(lookup(n), shift), low)
	}
	w0, w1, w2 := window(0), window(1), window(2)
	// The product's upper 64 bits of 96; what overflows them is a multiple of 4.
	product := b.IMul(m, w1)
	low := b.IAdd(product, b.IMulHigh(m, w2))
	high := b.IAdd(b.IMul(m, w0), b.IMulHigh(m, w1))
	high = b.IAdd(high, carry(b, low, product))

	// Two bits of quadrant, then a fraction, rounded to the nearest quadrant: its first bit is its sign.
	fraction := b.Or(b.Shl(high, b.Int(2)), b.Shr(low, b.Int(30)))
	below := b.Shl(low, b.Int(2))
	q = b.IAdd(b.Shr(high, b.Int(30)), b.Shr(fraction, b.Int(31)))
	negative := b.Sar(fraction, b.Int(31))
	fraction, below = b.Xor(fraction, negative), b.Xor(below, negative)

	// Three pieces of at most 24 bits are exact floats; together they lose nothing that counts.
	top := b.FromInt(b.And(fraction, b.Int(-1<<8)))
	middle := b.FromInt(b.Or(b.Shl(b.And(fraction, b.Int(0xff)), b.Int(16)), b.Shr(below, b.Int(16))))
	bottom := b.FromInt(b.And(below, b.Int(0xffff)))
	rest := b.FMAExact(bottom, b.Const(0x1p-16), middle)
	turn := b.Mul(b.FMAExact(rest, b.Const(0x1p-16), top), b.Const(0x1p-32))
	turnTail := b.FMAExact(b.Const(0x1p-32), top, b.Neg(turn))
	turnTail = b.FMAExact(rest, b.Const(0x1p-48), turnTail)
	parts := halfPi[F32]
	head = b.Mul(turn, b.Const(parts[0]))
	tail = b.FMA(turn, b.Const(parts[0]), b.Neg(head))
	tail = b.FMA(turn, b.Const(parts[1]), tail)
	tail = b.FMA(turnTail, b.Const(parts[0]), tail)
	sign := b.And(negative, b.Int(-1<<31))
	flip := func(x float) float { return b.FromBits(b.Xor(b.ToBits(x), sign)) }
	return flip(head), flip(tail), q
}

// carry is 1 where sum = x + y overflowed, told by sum < x unsigned.
func carry(b *builder, sum, x integ) integ {
	flip := b.Int(-1 << 31)
	return b.IfInt(b.ILess(b.Xor(sum, flip), b.Xor(x, flip)), b.Int(1), b.Int(0))
}

// trigTerms are the coefficients of (sin(r) - r) / r**3 and of (cos(r) - 1 + r*r/2) / r**4 in powers of r*r for |r| <= π/4, by Remez.
var trigTerms = map[Elem]struct{ sine, cosine []float64 }{
	F32: {
		[]float64{-0x1.555546p-3, 0x1.110776p-7, -0x1.9952fap-13},
		[]float64{0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e80cp-16},
	},
	F64: {
		[]float64{-0x1.5555555555549p-3, 0x1.111111110f8a5p-7, -0x1.a01a019c15dcap-13, 0x1.71de357ad1766p-19, -0x1.ae5e685694259p-26, 0x1.5d938bf25b143p-33},
		[]float64{0x1.555555555554cp-5, -0x1.6c16c16c1521dp-10, 0x1.a01a019cbf0d9p-16, -0x1.27e4f81265e54p-22, 0x1.1ee9f1119e78fp-29, -0x1.8fb10b14eea3p-37},
	},
}

// reduced is a - q*π/2 for every finite a >= 0 of float32 and those below 2**32 of float64, as nearReduced's results.
func reduced(b *builder, a float) (head, tail float, q integ) {
	if b.double() {
		return nearReduced(b, a)
	}
	farHead, farTail, farQ := farReduced(b, a)
	head, tail, q = nearReduced(b, a)
	isFar := b.LessEqual(b.Const(0x1p13), a)
	return b.If(isFar, farHead, head), b.If(isFar, farTail, tail), b.IfInt(isFar, farQ, q)
}

// quarter is the sine of a turned by q quarters for a = |x|.
func quarter(b *builder, a float, turn int) float {
	head, tail, q := reduced(b, a)
	if turn != 0 {
		q = b.IAdd(q, b.Int(turn))
	}
	terms, top := trigTerms[b.recipe.Elem], 8*b.recipe.Elem.Size()-1
	square := b.Mul(head, head)
	s := b.Horner(square, terms.sine...)
	sine := b.Add(head, b.FMA(b.Mul(square, head), s, tail))
	c := b.FMA(square, b.Horner(square, terms.cosine...), b.Const(-0.5))
	cosine := b.Add(b.Const(1), b.FMA(square, c, b.Neg(b.Mul(head, tail))))

	odd := b.ILess(b.Shl(q, b.Int(top)), b.Int(0))
	y := b.If(odd, cosine, sine)
	return b.FromBits(b.Xor(b.ToBits(y), b.Shl(b.Shr(q, b.Int(1)), b.Int(top))))
}

// Sin is the sine of x radians; that of float64 is called SinNear, since it is right where |x| < 2**32 alone.
func Sin(elem Elem) *Recipe {
	return trig(elem, "Sin", "sin(x)", func(b *builder, x, a float) float {
		return b.FromBits(b.Xor(b.ToBits(quarter(b, a, 0)), b.And(b.ToBits(x), b.signBit())))
	})
}

// Cos is the cosine of x radians, as Sin is the sine.
func Cos(elem Elem) *Recipe {
	return trig(elem, "Cos", "cos(x)", func(b *builder, _, a float) float { return quarter(b, a, 1) })
}

// trig is the recipe of a function of x and |x|.
func trig(elem Elem, name, what string, f func(b *builder, x, a float) float) *Recipe {
	b := newBuilder(elem, name, "x")
	x := b.Param(0)
	a := b.Abs(x)
	if b.double() {
		b.recipe.Name += "Near"
		return b.Return(f(b, x, a), 1.2, what+`, x in radians, where |x| < 2**32.
|x| = q*π/2 + r by Cody and Waite with π/2 in three parts, then a polynomial by Remez for the sine or the cosine of r.`)
	}
	y := b.If(b.Not(b.Less(a, b.Inf())), b.NaN(), f(b, x, a))
	return b.Return(y, 1.3, what+`, x in radians.
|x| = q*π/2 + r: below 2**13 by Cody and Waite with π/2 in three parts, above by Payne and Hanek with 192 bits of 2/π;
then a polynomial by Remez for the sine or the cosine of r.`)
}
