package recipe

// mathOps are the elementary functions, each with a recipe for either type of float.
var mathOps = []Elementwise{
	{Op: "Rsqrt", Name: "rsqrt", GradFn: "RsqrtBackward0", Doc: "1/√a", Float: function(Rsqrt)},
	{Op: "Exp", Name: "exp", GradFn: "ExpBackward0", Doc: "e**a", Float: function(Exp)},
	{Op: "Expm1", Name: "expm1", GradFn: "Expm1Backward0", Doc: "e**a - 1", Float: function(Expm1)},
	{Op: "Log", Name: "log", GradFn: "LogBackward0", Doc: "the natural logarithm of a", Float: function(Log)},
	{Op: "Log1p", Name: "log1p", GradFn: "Log1PBackward0", Doc: "log(1 + a)", Float: function(Log1p)},
	{Op: "Sin", Name: "sin", GradFn: "SinBackward0", Doc: "the sine of a, in float64 below 2**32", Float: function(Sin), HandFloat: "Sin"},
	{Op: "Cos", Name: "cos", GradFn: "CosBackward0", Doc: "the cosine of a, in float64 below 2**32", Float: function(Cos), HandFloat: "Cos"},
	{Op: "Erf", Name: "erf", GradFn: "ErfBackward0", Doc: "the error function of a", Float: function(Erf)},
	{
		Op: "Pow", Name: "pow", GradFn: "PowBackward1", Doc: "a to the power b", HandInt: "PowInt",
		Float: func(b *builder, x, y float) float { return b.Apply(Pow, x, y) },
	},
}

// Functions returns loops that are no ops but parts of softmaxes: package kern has them in Go, and package vec in assembly.
func Functions() []*Elementwise {
	return []*Elementwise{
		{Op: "ExpBelow", Name: "exp_below", Doc: "e**a for a ≤ 0, NaN for NaN", Float: function(ExpBelow), Cached: true},
	}
}

// function is the formula that an elementary function is, which has a recipe for either type of float.
func function(f func(Elem) *Recipe) func(b *builder, a float) float {
	return func(b *builder, a float) float { return b.Apply(f, a) }
}
