package recipe

// erfNear are the coefficients of (erf(x) - x) / x in powers of x*x for |x| < 1, by Remez.
var erfNear = map[Elem][]float64{
	F32: {0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2ce6p-4, -0x1.b7f71ap-6, 0x1.53f224p-8,
		-0x1.a3515ep-11, 0x1.4771fcp-14},
	F64: {0x1.06eba8214db68p-3, -0x1.812746b03799cp-2, 0x1.ce2f21a03f792p-4, -0x1.b82ce311a3343p-6,
		0x1.565bccedde602p-8, -0x1.c02dae8b9f6aap-11, 0x1.f9a29233a57a6p-14, -0x1.f4c7e3d9111eap-17, 0x1.b9683d82c1eb6p-20,
		-0x1.5b784d03bc834p-23, 0x1.d34b47ea7e467p-27, -0x1.a07536508e1aep-31},
}

// erfFar are those of -log(erfc(a)), in powers of a for 1 <= a < 3.94, in float64 of a-1 for 1 <= a, with an error that erfc(a) makes
// small beside 1.
var erfFar = map[Elem][]float64{
	F32: {-0x1.62d864p-13, 0x1.212626p0, 0x1.444d26p-1, 0x1.bb44d8p-4, -0x1.9aea22p-6, 0x1.105f8ep-8,
		-0x1.c4508p-12, 0x1.5d6b48p-16},
	F64: {0x1.d97fbf27aa2a1p0, 0x1.51c9b0006c22ap1, 0x1.afabc11a2a716p-1, 0x1.5477f09a3ed11p-5, -0x1.48c9d391e09f8p-7,
		0x1.033f5b922bddbp-9, -0x1.f1b09f228dde9p-13, -0x1.b9274fa0b91a5p-16, 0x1.c846fb9d7504dp-16,
		-0x1.4465b29619277p-17, 0x1.1daccff8c1504p-19, -0x1.b2672d6405f01p-23, -0x1.fddf52f00c371p-25,
		0x1.2347873f678fbp-25, -0x1.298250af56f98p-27, 0x1.71788ca2c3715p-30, -0x1.0c3e11e7aa73cp-33,
		0x1.5f3d1857da3f5p-38},
}

// Erf is the error function.
func Erf(elem Elem) *Recipe {
	b := newBuilder(elem, "Erf", "x")
	x := b.Param(0)
	a := b.Abs(x)
	if b.double() {
		a = atMost(b, a, 5.9375)
	}
	near := b.FMA(a, b.Horner(b.Mul(a, a), erfNear[elem]...), a)
	var far float
	if b.double() {
		r, n, _ := expParts(b, b.Neg(b.Horner(b.Sub(a, b.Const(1)), erfFar[elem]...)), 0)
		far = b.FMA(b.Neg(expMantissa(b, r)), powerOfTwo(b, n, 0), b.Const(1))
	} else {
		far = b.Sub(b.Const(1), expNear(b, b.Neg(b.Horner(a, erfFar[elem]...))))
		far = b.If(b.Less(b.Const(3.9375), a), b.Const(1), far)
	}
	y := b.WithSign(b.If(b.Less(a, b.Const(1)), near, far), x)
	if !b.double() {
		y = b.If(b.IsNaN(x), b.NaN(), y)
	}
	return b.Return(y, b.pick(1.2, 1), `2/√π times the integral of e**-t*t from 0 to x.
Below 1 x + x*p(x*x), above 1 - e**-h(x), both polynomials by Remez; from 3.9375 on it is 1, of float64 from 5.9375 on.`)
}
