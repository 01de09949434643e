package recipe

// π/2 in three parts of 53 bits, and 2/π.
const (
	halfPi0Double = 0x1.921fb54442d18p0
	halfPi1Double = 0x1.1a62633145c07p-54
	halfPi2Double = -0x1.f1976b7ed8fbcp-110
	invPi2Double  = 0x1.45f306dc9c883p-1
)

// farTrigBits are the bits of 2**32, from which on the sine's and the cosine's arguments are reduced elsewhere.
const farTrigBits = (1023 + 32) << 52

// reduced64 is a - q*π/2 for 0 <= a < 2**32, as head + tail, and q in the low bits of an integer (Cody and Waite).
func reduced64(b *builder, a float) (head, tail float, q integ) {
	shifted := b.FMA(a, b.Const(invPi2Double), b.Const(magicDouble))
	whole := b.Sub(shifted, b.Const(magicDouble))
	first := b.FMA(whole, b.Const(-halfPi0Double), a) // exact, since it is below 2 and a multiple of 2**-53
	part, partRest := b.TwoProduct(whole, b.Const(-halfPi1Double))
	second, lost := b.TwoSum(first, part)
	rest := b.Add(lost, b.FMA(whole, b.Const(-halfPi2Double), partRest))
	head, tail = b.FastTwoSum(second, rest)
	return head, tail, b.ToBits(shifted)
}

// quarter64 is quarter for 0 <= a < 2**32.
func quarter64(b *builder, a float, turn int) float {
	head, tail, q := reduced64(b, a)
	if turn != 0 {
		q = b.IAdd(q, b.Int(turn))
	}
	square := b.Mul(head, head)
	s := b.Horner(square, -0x1.5555555555549p-3, 0x1.111111110f8a5p-7, -0x1.a01a019c15dcap-13, 0x1.71de357ad1766p-19,
		-0x1.ae5e685694259p-26, 0x1.5d938bf25b143p-33)
	sine := b.Add(head, b.FMA(b.Mul(square, head), s, tail))
	c := b.Horner(square, 0x1.555555555554cp-5, -0x1.6c16c16c1521dp-10, 0x1.a01a019cbf0d9p-16, -0x1.27e4f81265e54p-22,
		0x1.1ee9f1119e78fp-29, -0x1.8fb10b14eea3p-37)
	c = b.FMA(square, c, b.Const(-0.5))
	cosine := b.Add(b.Const(1), b.FMA(square, c, b.Neg(b.Mul(head, tail))))

	odd := b.ILess(b.Shl(q, b.Int(63)), b.Int(0))
	y := b.If(odd, cosine, sine)
	return b.FromBits(b.Xor(b.ToBits(y), b.Shl(b.Shr(q, b.Int(1)), b.Int(63))))
}

const trigDoc64 = `
|x| = q*π/2 + r by Cody and Waite with π/2 in three parts, then a polynomial by Remez for the sine or the cosine of r.`

// SinNear64 is the sine of x radians where |x| < 2**32.
func SinNear64() *Recipe {
	b := newDouble("SinNear", "x")
	x := b.Param(0)
	y := quarter64(b, b.Abs(x), 0)
	y = b.FromBits(b.Xor(b.ToBits(y), b.And(b.ToBits(x), b.signBit())))
	return b.Return(y, 1.2, `sin(x), x in radians, where |x| < 2**32.`+trigDoc64)
}

// CosNear64 is the cosine of x radians where |x| < 2**32.
func CosNear64() *Recipe {
	b := newDouble("CosNear", "x")
	return b.Return(quarter64(b, b.Abs(b.Param(0)), 1), 1.2, `cos(x), x in radians, where |x| < 2**32.`+trigDoc64)
}
