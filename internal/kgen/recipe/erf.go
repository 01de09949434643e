package recipe

// Erf is the error function.
func Erf() *Recipe {
	b := newBuilder("Erf", "x")
	x := b.Param(0)
	a := b.Abs(x)
	p := b.Horner(b.Mul(a, a), 0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2ce6p-4, -0x1.b7f71ap-6, 0x1.53f224p-8,
		-0x1.a3515ep-11, 0x1.4771fcp-14)
	near := b.FMA(a, p, a)
	// -log(erfc(a)) for 1 <= a < 3.94.
	h := b.Horner(a, -0x1.62d864p-13, 0x1.212626p0, 0x1.444d26p-1, 0x1.bb44d8p-4, -0x1.9aea22p-6, 0x1.105f8ep-8,
		-0x1.c4508p-12, 0x1.5d6b48p-16)
	far := b.Sub(b.Const(1), expNear(b, b.Neg(h)))
	far = b.If(b.Less(b.Const(3.9375), a), b.Const(1), far)
	y := b.WithSign(b.If(b.Less(a, b.Const(1)), near, far), x)
	y = b.If(b.IsNaN(x), b.NaN(), y)
	return b.Return(y, 1.2, `2/√π times the integral of e**-t*t from 0 to x.
Below 1 x + x*p(x*x), above 1 - e**-h(x), both polynomials by Remez.`)
}
