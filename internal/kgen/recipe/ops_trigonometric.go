package recipe

import "math"

// trigonometricOps are functions of angles and of their hyperbolic kin, and their inverses.
var trigonometricOps = []Elementwise{
	{Op: "Tan", Name: "tan", GradFn: "TanBackward0", Doc: "the tangent of a, in float64 below 2**32", Float: function(Tan), HandFloat: "Tan", Plain: seldom},
	{Op: "Asin", Name: "asin", GradFn: "AsinBackward0", Doc: "the arc sine of a", Float: function(Asin), Plain: seldom},
	{Op: "Acos", Name: "acos", GradFn: "AcosBackward0", Doc: "the arc cosine of a", Float: function(Acos), Plain: seldom},
	{Op: "Atan", Name: "atan", GradFn: "AtanBackward0", Doc: "the arc tangent of a", Float: function(Atan), Plain: seldom},
	{Op: "Atan2", Name: "atan2", Kernel: "atan2_cpu", GradFn: "Atan2Backward0", Doc: "the angle of the point (b, a)", Float: functionOf2(Atan2), Plain: seldom},
	{Op: "Sinh", Name: "sinh", GradFn: "SinhBackward0", Doc: "the hyperbolic sine of a", Float: function(Sinh), Plain: seldom},
	{Op: "Cosh", Name: "cosh", GradFn: "CoshBackward0", Doc: "the hyperbolic cosine of a", Float: function(Cosh), Plain: seldom},
	{Op: "Asinh", Name: "asinh", GradFn: "AsinhBackward0", Doc: "the inverse of the hyperbolic sine of a", Float: function(Asinh), Plain: seldom},
	{Op: "Acosh", Name: "acosh", GradFn: "AcoshBackward0", Doc: "the inverse of the hyperbolic cosine of a", Float: function(Acosh), Plain: seldom},
	{Op: "Atanh", Name: "atanh", GradFn: "AtanhBackward0", Doc: "the inverse of the hyperbolic tangent of a", Float: function(Atanh), Plain: seldom},
	{Op: "Sinc", Name: "sinc", GradFn: "SincBackward0", Doc: "sin(πa)/(πa), 1 where a is 0", Float: sinc, Plain: seldom},
	{Op: "Hypot", Name: "hypot", Kernel: "hypot_cpu", GradFn: "HypotBackward0", Doc: "√(a² + b²)", Float: functionOf2(Hypot), Plain: seldom},
}

// sinc takes the whole part off a before it multiplies by π, so that the zeros are where a is whole.
func sinc(b *builder, a float) float {
	zero, half, pi := b.Const(0), b.Const(0.5), b.Rounded(math.Pi)
	whole := b.Round(a)
	sine := b.Apply(Sin, b.Mul(pi, b.Sub(a, whole)))
	even := b.Equal(b.Mul(whole, half), b.Round(b.Mul(whole, half)))
	return b.If(b.Equal(a, zero), b.Const(1), b.Div(b.If(even, sine, b.Neg(sine)), b.Mul(pi, a)))
}

// logarithmicOps are powers and logarithms to other bases, and what is made of logarithms.
var logarithmicOps = []Elementwise{
	{Op: "Exp2", Name: "exp2", GradFn: "Exp2Backward0", Doc: "2**a", Float: function(Exp2)},
	{Op: "Log2", Name: "log2", GradFn: "Log2Backward0", Doc: "the logarithm of a to the base 2", Float: function(Log2)},
	{Op: "Log10", Name: "log10", GradFn: "Log10Backward0", Doc: "the logarithm of a to the base 10", Float: function(Log10), Plain: seldom},
	{
		Op: "LogAddExp", Name: "logaddexp", Kernel: "logaddexp_cpu", GradFn: "LogaddexpBackward0", Doc: "log(e**a + e**b)", Plain: seldom,
		Float: func(b *builder, x, y float) float {
			most := b.If(b.Less(x, y), y, x)
			sum := b.Add(most, b.Apply(Softplus, b.Neg(b.Abs(b.Sub(x, y)))))
			same := b.Both(b.Equal(x, y), b.Equal(b.Abs(x), b.Inf())) // whose difference is NaN
			return ofNaN(b, x, ofNaN(b, y, b.If(same, x, sum)))
		},
	},
	{
		Op: "XLogY", Name: "xlogy", Kernel: "xlogy_cpu", GradFn: "XlogyBackward0", Doc: "a·log b, 0 where a is 0; NaN where b is", Plain: seldom,
		Float: func(b *builder, x, y float) float {
			return ofNaN(b, y, b.If(b.Equal(x, b.Const(0)), b.Const(0), b.Mul(x, b.Apply(Log, y))))
		},
	},
}

// functionOf2 is the formula that a function of two numbers is.
func functionOf2(f func(Elem) *Recipe) func(b *builder, x, y float) float {
	return func(b *builder, x, y float) float { return b.Apply(f, x, y) }
}
