package recipe

// mathOps are the elementary functions, each with a recipe for either type of float.
var mathOps = []Elementwise{
	{Op: "Rsqrt", Name: "rsqrt", GradFn: "RsqrtBackward0", Doc: "1/√a", Float: function(Rsqrt, Rsqrt64)},
	{Op: "Exp", Name: "exp", GradFn: "ExpBackward0", Doc: "e**a", Float: function(Exp, Exp64)},
	{Op: "Expm1", Name: "expm1", GradFn: "Expm1Backward0", Doc: "e**a - 1", Float: function(Expm1, Expm164)},
	{Op: "Log", Name: "log", GradFn: "LogBackward0", Doc: "the natural logarithm of a", Float: function(Log, Log64)},
	{Op: "Log1p", Name: "log1p", GradFn: "Log1PBackward0", Doc: "log(1 + a)", Float: function(Log1p, Log1p64)},
	{Op: "Sin", Name: "sin", GradFn: "SinBackward0", Doc: "the sine of a, in float64 below 2**32", Float: function(Sin, SinNear64), HandFloat: "Sin"},
	{Op: "Cos", Name: "cos", GradFn: "CosBackward0", Doc: "the cosine of a, in float64 below 2**32", Float: function(Cos, CosNear64), HandFloat: "Cos"},
	{Op: "Erf", Name: "erf", GradFn: "ErfBackward0", Doc: "the error function of a", Float: function(Erf, Erf64)},
	{
		Op: "Pow", Name: "pow", GradFn: "PowBackward1", Doc: "a to the power b", HandInt: "PowInt",
		Float: func(b *builder, x, y float) float { return b.Apply(b.of(Pow, Pow64), x, y) },
	},
}

// Functions returns loops that are no ops but parts of softmaxes: package kern has them in Go, and package vec in assembly. In the
// strips a row of columns meets what belongs to each column.
func Functions() []*Elementwise {
	below := function(ExpBelow, ExpBelow64)
	return []*Elementwise{
		{Op: "ExpBelow", Name: "exp_below", Doc: "e**a for a ≤ 0, NaN for NaN", Float: below, Cached: true},
		{
			Op: "ExpStrip", Name: "exp_strip", Doc: "e**(a - largest), largest not less than a", Operands: []string{"a", "largest"}, Cached: true,
			Float: func(b *builder, a, largest float) float { return below(b, b.Sub(a, largest)) },
		},
		{
			Op: "ShiftStrip", Name: "shift_strip", Doc: "a - first - second", Operands: []string{"a", "first", "second"}, Cached: true,
			Float: func(b *builder, a, first, second float) float { return b.Sub(b.Sub(a, first), second) },
		},
		{
			Op: "SoftmaxGradStrip", Name: "softmax_grad_strip", Doc: "y·(dy - sum)", Operands: []string{"dy", "y", "sum"}, Cached: true,
			Float: func(b *builder, dy, y, sum float) float { return b.Mul(y, b.Sub(dy, sum)) },
		},
		{
			Op: "LogSoftmaxGradStrip", Name: "log_softmax_grad_strip", Doc: "dy - e**y · sum", Operands: []string{"dy", "y", "sum"}, Cached: true,
			Float: func(b *builder, dy, y, sum float) float { return b.Sub(dy, b.Mul(b.Apply(b.of(Exp, Exp64), y), sum)) },
		},
	}
}

// function is the formula that an elementary function is, which has a recipe for either type of float.
func function(single, double func() *Recipe) func(b *builder, a float) float {
	return func(b *builder, a float) float { return b.Apply(b.of(single, double), a) }
}
