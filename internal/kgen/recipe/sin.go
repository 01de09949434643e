package recipe

// π/2 in three parts of 24 bits, and 2/π.
const (
	halfPi0 = 0x1.921fb6p0
	halfPi1 = -0x1.777a5cp-25
	halfPi2 = -0x1.ee59dap-50
	invPi2  = 0x1.45f306p-1
)

var twoOverPi = &Table{
	Name: "twoOverPi",
	Doc:  "the bits of 2/π after the point, behind 32 zeros.",
	Words: []uint32{
		0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
	},
}

// nearReduced is a - q*π/2 for 0 <= a < 2**13, as head + tail, and q (Cody and Waite). Near a multiple of π/2 all that
// remains comes from the later parts, so what each step rounds away is kept.
func nearReduced(b *builder, a float) (head, tail float, q integ) {
	whole, q := roundToInt(b, a, invPi2)
	first := b.FMA(whole, b.Const(-halfPi0), a) // exact
	part, partRest := b.TwoProduct(whole, b.Const(-halfPi1))
	second, lost := b.TwoSum(first, part)
	rest := b.Add(lost, b.FMA(whole, b.Const(-halfPi2), partRest))
	head, tail = b.FastTwoSum(second, rest)
	return head, tail, q
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
	head = b.Mul(turn, b.Const(halfPi0))
	tail = b.FMA(turn, b.Const(halfPi0), b.Neg(head))
	tail = b.FMA(turn, b.Const(halfPi1), tail)
	tail = b.FMA(turnTail, b.Const(halfPi0), tail)
	sign := b.And(negative, b.Int(-1<<31))
	flip := func(x float) float { return b.FromBits(b.Xor(b.ToBits(x), sign)) }
	return flip(head), flip(tail), q
}

// carry is 1 where sum = x + y overflowed, told by sum < x unsigned.
func carry(b *builder, sum, x integ) integ {
	flip := b.Int(-1 << 31)
	return b.IfInt(b.ILess(b.Xor(sum, flip), b.Xor(x, flip)), b.Int(1), b.Int(0))
}

// quarter is the sine of a turned by q quarters for a = |x|: both polynomials by Remez for |r| <= π/4, one chosen by q.
func quarter(b *builder, a float, turn int) float {
	const far = 0x1p13
	farHead, farTail, farQ := farReduced(b, a)
	head, tail, q := nearReduced(b, a)
	isFar := b.LessEqual(b.Const(far), a)
	head = b.If(isFar, farHead, head)
	tail = b.If(isFar, farTail, tail)
	q = b.IfInt(isFar, farQ, q)
	if turn != 0 {
		q = b.IAdd(q, b.Int(turn))
	}

	square := b.Mul(head, head)
	s := b.Horner(square, -0x1.555546p-3, 0x1.110776p-7, -0x1.9952fap-13)
	sine := b.Add(head, b.FMA(b.Mul(square, head), s, tail))
	c := b.Horner(square, 0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e80cp-16)
	c = b.FMA(square, c, b.Const(-0.5))
	cosine := b.Add(b.Const(1), b.FMA(square, c, b.Neg(b.Mul(head, tail))))

	odd := b.ILess(b.Shl(q, b.Int(31)), b.Int(0))
	y := b.If(odd, cosine, sine)
	return b.FromBits(b.Xor(b.ToBits(y), b.Shl(b.Shr(q, b.Int(1)), b.Int(31))))
}

const trigDoc = `
|x| = q*π/2 + r: below 2**13 by Cody and Waite with π/2 in three parts, above by Payne and Hanek with 192 bits of 2/π;
then a polynomial by Remez for the sine or the cosine of r.`

// Sin is the sine of x radians.
func Sin() *Recipe {
	b := newBuilder("Sin", "x")
	x := b.Param(0)
	a := b.Abs(x)
	y := b.FromBits(b.Xor(b.ToBits(quarter(b, a, 0)), b.And(b.ToBits(x), b.Int(-1<<31))))
	y = b.If(b.Not(b.Less(a, b.Inf())), b.NaN(), y)
	return b.Return(y, 1.3, `sin(x), x in radians.`+trigDoc)
}

// Cos is the cosine of x radians.
func Cos() *Recipe {
	b := newBuilder("Cos", "x")
	x := b.Param(0)
	a := b.Abs(x)
	y := b.If(b.Not(b.Less(a, b.Inf())), b.NaN(), quarter(b, a, 1))
	return b.Return(y, 1.3, `cos(x), x in radians.`+trigDoc)
}
