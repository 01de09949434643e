package recipe

// arithmeticOps are sums and products, and what is done to one number without an elementary function. The first four come first:
// they are loops whose calls are as long as the work on a few elements.
var arithmeticOps = []Elementwise{
	{
		Op: "Add", Name: "add", GradFn: "AddBackward0", Doc: "a + b", HandBool: "Or",
		Sided: true, Halves: true,
		Float: (*builder).Add, Int: (*builder).IAdd,
	},
	{
		Op: "Sub", Name: "sub", GradFn: "SubBackward0", Doc: "a - b",
		Sided: true, Halves: true,
		Float: (*builder).Sub, Int: (*builder).ISub,
	},
	{
		Op: "Mul", Name: "mul", GradFn: "MulBackward0", Doc: "a · b", HandBool: "And",
		Sided: true, Halves: true,
		Float: (*builder).Mul, Int: (*builder).IMul,
	},
	{
		Op: "Div", Name: "div", GradFn: "DivBackward0", Doc: "a / b",
		Sided: true, Halves: true,
		Float: (*builder).Div,
	},
	{
		Op: "Maximum", Name: "maximum", GradFn: "MaximumBackward0", Doc: "the larger of a and b, NaN where either is", HandBool: "Or",
		Sided: true, Halves: true,
		Float: func(b *builder, x, y float) float { return b.If(b.Either(b.Less(x, y), b.IsNaN(y)), y, x) },
		Int:   func(b *builder, x, y integ) integ { return b.IfInt(b.ILess(x, y), y, x) },
	},
	{
		Op: "Minimum", Name: "minimum", GradFn: "MinimumBackward0", Doc: "the smaller of a and b, NaN where either is", HandBool: "And",
		Sided: true, Halves: true,
		Float: func(b *builder, x, y float) float { return b.If(b.Either(b.Less(y, x), b.IsNaN(y)), y, x) },
		Int:   func(b *builder, x, y integ) integ { return b.IfInt(b.ILess(y, x), y, x) },
	},
	{
		Op: "Neg", Name: "neg", GradFn: "NegBackward0", Doc: "-a", HandHalf: "NegHalf",
		Float: (*builder).Neg,
		Int:   func(b *builder, a integ) integ { return b.ISub(b.Int(0), a) },
	},
	{
		Op: "Abs", Name: "abs", Kernel: "abs_cpu", GradFn: "AbsBackward0", Doc: "|a|; the least integer is its own", HandHalf: "AbsHalf",
		Float: (*builder).Abs,
		Int: func(b *builder, a integ) integ {
			return b.IfInt(b.ILess(a, b.Int(0)), b.ISub(b.Int(0), a), a)
		},
	},
	{
		Op: "Sign", Name: "sign", GradFn: "SignBackward0", Doc: "-1, 0 or 1 as a is, 0 for NaN",
		Float: func(b *builder, a float) float {
			return b.If(b.Less(b.Const(0), a), b.Const(1), b.If(b.Less(a, b.Const(0)), b.Const(-1), b.Const(0)))
		},
		Int: func(b *builder, a integ) integ {
			return b.IfInt(b.ILess(b.Int(0), a), b.Int(1), b.IfInt(b.ILess(a, b.Int(0)), b.Int(-1), b.Int(0)))
		},
	},
	{Op: "Floor", Name: "floor", Kernel: "floor_vml_cpu", GradFn: "FloorBackward0", Doc: "⌊a⌋", Float: (*builder).Floor, Halves: true},
	{Op: "Ceil", Name: "ceil", Kernel: "ceil_vml_cpu", GradFn: "CeilBackward0", Doc: "⌈a⌉", Float: (*builder).Ceil, Halves: true},
	{Op: "Round", Name: "round", Kernel: "round_vml_cpu", GradFn: "RoundBackward0", Doc: "the integer nearest to a, the even one of two", Float: (*builder).Round, Halves: true},
	{Op: "Trunc", Name: "trunc", Kernel: "trunc_vml_cpu", GradFn: "TruncBackward0", Doc: "a without its fraction", Float: (*builder).Trunc, Halves: true},
	{
		Op: "Square", Name: "square", GradFn: "PowBackward0", Doc: "a²", Halves: true,
		Float: func(b *builder, a float) float { return b.Mul(a, a) },
		Int:   func(b *builder, a integ) integ { return b.IMul(a, a) },
	},
	{
		Op: "Cube", Name: "cube", GradFn: "PowBackward0", Doc: "a³, the product of the square and a", HandHalf: "CubeHalf",
		Float: func(b *builder, a float) float { return b.Mul(b.Mul(a, a), a) },
	},
	{Op: "Sqrt", Name: "sqrt", GradFn: "SqrtBackward0", Doc: "√a", Float: (*builder).Sqrt, Halves: true},
	{
		Op: "Reciprocal", Name: "reciprocal", GradFn: "ReciprocalBackward0", Doc: "1 / a", Halves: true,
		Float: func(b *builder, a float) float { return b.Div(b.Const(1), a) },
	},
	{
		Op: "Clamp", Name: "clamp", GradFn: "ClampBackward1", Doc: "min(max(a, low), high), NaN where a is", Halves: true,
		Params: []string{"low", "high"}, Try: []float64{-1, 2}, Bounds: true,
		Float: func(b *builder, a, low, high float) float {
			a = b.If(b.Less(a, low), low, a)
			return b.If(b.Less(high, a), high, a)
		},
		Int: func(b *builder, a, low, high integ) integ {
			a = b.IfInt(b.ILess(a, low), low, a)
			return b.IfInt(b.ILess(high, a), high, a)
		},
	},
}

// divisionOps are divisions with a remainder. An integer divided by zero is an error.
var divisionOps = []Elementwise{
	{
		Op: "FloorDivide", Name: "floor_divide", Kernel: "div_floor_cpu", Operands: []string{"a", "b"}, Doc: "⌊a / b⌋",
		HandFloat: "FloorDivide", HandInt: "FloorDivideInt", Divides: true,
	},
	{
		Op: "DivTrunc", Name: "div_trunc", Kernel: "div_trunc_cpu", GradFn: "DivBackward2", Doc: "a / b without its fraction", HandInt: "DivTruncInt", Divides: true,
		Float: func(b *builder, x, y float) float { return b.Trunc(b.Div(x, y)) },
	},
	{
		Op: "Remainder", Name: "remainder", Kernel: "remainder_cpu", GradFn: "RemainderBackward0", Operands: []string{"a", "b"}, Doc: "the rest of a / b, with the sign of b",
		HandFloat: "Remainder", HandInt: "RemainderInt", Divides: true,
	},
	{
		Op: "Fmod", Name: "fmod", Kernel: "fmod_cpu", GradFn: "FmodBackward0", Operands: []string{"a", "b"}, Doc: "the rest of a / b, with the sign of a",
		HandFloat: "Fmod", HandInt: "FmodInt", Divides: true,
	},
}
