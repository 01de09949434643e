package ptx

import "math"

// approximations are the instructions whose result hardware only comes near to. Here it is the number nearest to the exact one,
// and .ftz makes zeros of subnormal operands and results.
var approximations = approximationForms()

func approximationForms() map[string]form {
	forms := map[string]form{}
	for name, f := range map[string]func(float64) float64{
		"ex2.approx": math.Exp2, "lg2.approx": math.Log2, "tanh.approx": math.Tanh,
		"sin.approx": math.Sin, "cos.approx": math.Cos, "sqrt.approx": math.Sqrt,
		"rcp.approx":   func(x float64) float64 { return 1 / x },
		"rsqrt.approx": func(x float64) float64 { return 1 / math.Sqrt(x) },
	} {
		plain := func(d, a, _, _ *lanes32) {
			for i := range d {
				d[i] = u32(float32(f(float64(f32(a[i])))))
			}
		}
		forms[name+".f32"] = form{1, plain, nil}
		forms[name+".ftz.f32"] = form{1, flushing(plain), nil}
	}
	for _, name := range []string{"div.approx", "div.full"} {
		forms[name+".f32"] = form{2, divFloat[float32, uint32], nil}
		forms[name+".ftz.f32"] = form{2, flushing(divFloat[float32, uint32]), nil}
	}
	for name, op := range map[string]form{
		"add": {2, addFloat[float32, uint32], nil}, "sub": {2, subFloat[float32, uint32], nil}, "mul": {2, mulFloat[float32, uint32], nil},
		"fma": {3, fmaF32, nil},
	} {
		forms[name+".rn.ftz.f32"] = form{op.sources, flushing(op.op32), nil}
		forms[name+".ftz.f32"] = form{op.sources, flushing(op.op32), nil}
	}
	for _, name := range []string{"min", "max"} {
		of := map[string]func(a, b float64) float64{"min": math.Min, "max": math.Max}[name]
		forms[name+".NaN.f32"] = form{2, func(d, a, b, _ *lanes32) {
			for i := range d {
				if v := float32(of(float64(f32(a[i])), float64(f32(b[i])))); v == v {
					d[i] = u32(v)
				} else {
					d[i] = nanOf32
				}
			}
		}, nil}
	}
	return forms
}

// nanOf32 is the NaN that instructions on float32 make.
const nanOf32 = 0x7fffffff

// flushing is op with .ftz.
func flushing(op op32) op32 {
	return func(d, a, b, c *lanes32) {
		x, y, z := *a, *b, *c
		flush(&x)
		flush(&y)
		flush(&z)
		op(d, &x, &y, &z)
		flush(d)
	}
}

// flush makes zeros of subnormal numbers.
func flush(v *lanes32) {
	for i := range v {
		if v[i]&0x7f800000 == 0 {
			v[i] &= 1 << 31
		}
	}
}
