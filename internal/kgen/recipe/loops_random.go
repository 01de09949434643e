package recipe

import "math"

// boxMuller makes two normal draws of two uniform ones in [0, 1), by the steps of PyTorch's AVX2 kernel: Cephes' logf, sinf
// and cosf (Moshier, 1992), products fused with the sums that follow.
func boxMuller() *Loop {
	d := describe("BoxMuller", "√(-2 ln(1-a))·cos 2πb and the same with the sine in b, each times std plus mean", single, "a", "b")
	std, mean := d.scalar("std"), d.scalar("mean")
	radius := d.Sqrt(d.Mul(d.Const(-2), cephesLog(d.builder, d.Sub(d.Const(1), d.Param(0)))))
	sin, cos := cephesSinCos(d.builder, d.Mul(d.Rounded(2*math.Pi), d.Param(1)))
	d.write("a", Own, Ref(d.FMA(d.Mul(radius, cos), std, mean)))
	d.write("b", Own, Ref(d.FMA(d.Mul(radius, sin), std, mean)))
	return d.end(d.builder)
}

// cephesLog is ln x of a positive normal x: x = 2**e · (1+f) with 1+f in [√½, √2).
func cephesLog(b *builder, x float) float {
	bits := b.ToBits(x)
	exponent := b.Sar(b.ISub(bits, b.Int(0x3f3504f3)), b.Int(23))
	e := b.FromInt(exponent)
	f := b.Sub(b.FromBits(b.ISub(bits, b.Shl(exponent, b.Int(23)))), b.Const(1))
	z := b.Mul(f, f)
	y := b.Rounded(7.0376836292e-2)
	for _, c := range []float64{
		-1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
	} {
		y = b.FMA(f, y, b.Rounded(c))
	}
	y = b.FMA(b.Mul(f, y), z, b.Mul(e, b.Rounded(-2.12194440e-4)))
	y = b.Sub(y, b.Mul(z, b.Const(0.5)))
	return b.FMA(e, b.Const(0.693359375), b.Add(f, y))
}

// cephesSinCos is the sine and the cosine of x, which is at least 0 and small: x = j·π/4 + r with j even and r in [-π/4, π/4].
func cephesSinCos(b *builder, x float) (sin, cos float) {
	j := b.And(b.IAdd(b.ToInt(b.Mul(x, b.Rounded(1.27323954473516))), b.Int(1)), b.Int(^1))
	n, r := b.FromInt(j), x
	for _, part := range []float64{0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8} {
		r = b.FMA(n, b.Rounded(-part), r)
	}
	z := b.Mul(r, r)
	c := b.FMA(b.Rounded(2.443315711809948e-5), z, b.Rounded(-1.388731625493765e-3))
	c = b.Mul(b.FMA(c, z, b.Rounded(4.166664568298827e-2)), z)
	c = b.Add(b.FMA(c, z, b.Mul(z, b.Const(-0.5))), b.Const(1))
	s := b.FMA(b.Rounded(-1.9515295891e-4), z, b.Rounded(8.3321608736e-3))
	s = b.Mul(b.FMA(s, z, b.Rounded(-1.6666654611e-1)), z)
	s = b.FMA(s, r, r)
	// In the second and the fourth quarter the two change places; in the third and fourth the sine is negative, in the
	// second and third the cosine.
	q := b.Shr(j, b.Int(1))
	odd := b.ILess(b.Int(0), b.And(q, b.Int(1)))
	flip := func(x float, q integ) float {
		return b.FromBits(b.Xor(b.ToBits(x), b.Shl(b.And(q, b.Int(2)), b.Int(30))))
	}
	return flip(b.If(odd, c, s), q), flip(b.If(odd, s, c), b.IAdd(q, b.Int(1)))
}
