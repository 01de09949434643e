package recipe

// seldom is why an op has no assembly, which would be larger than the rest of the op.
const seldom = "programs seldom wait for it"

// piecewiseOps are made of pieces without elementary functions.
var piecewiseOps = []Elementwise{
	{
		Op: "Hardswish", Name: "hardswish", Kernel: "hardswish_cpu", GradFn: "HardswishBackward0", Doc: "a·min(max(a + 3, 0), 6)/6",
		Float: func(b *builder, a float) float { return b.Div(b.Mul(a, shiftedTo6(b, a)), b.Const(6)) },
		Grad: &Gradient{
			Doc: "0 where x ≤ -3, dy·(x/3 + 1/2) where x < 3, else dy",
			Float: func(b *builder, dy, x float) float {
				middle := b.Mul(dy, b.Add(b.Div(x, b.Const(3)), b.Const(0.5)))
				return b.If(b.LessEqual(x, b.Const(-3)), b.Const(0), b.If(b.Less(x, b.Const(3)), middle, dy))
			},
		},
	},
	{
		Op: "Hardsigmoid", Name: "hardsigmoid", Kernel: "hardsigmoid_cpu", GradFn: "HardsigmoidBackward0", Doc: "min(max(a + 3, 0), 6)/6",
		Float: func(b *builder, a float) float { return b.Div(shiftedTo6(b, a), b.Const(6)) },
		Grad: &Gradient{
			Doc: "dy/6 where -3 < x < 3, else 0",
			Float: func(b *builder, dy, x float) float {
				inside := b.Both(b.Less(b.Const(-3), x), b.Less(x, b.Const(3)))
				sixth := b.Const(0x1.555556p-3) // PyTorch's 1/6 has the digits of a float32 in every dtype
				return b.If(inside, b.Mul(dy, sixth), b.Const(0))
			},
		},
	},
	{
		Op: "HardtanhGrad", Name: "hardtanh_backward", Doc: "dy where low < x < high, else 0",
		Operands: []string{"dy", "x"}, Params: []string{"low", "high"}, Try: []float64{-1, 2},
		Float: func(b *builder, dy, x, low, high float) float {
			return b.If(b.Either(b.LessEqual(x, low), b.LessEqual(high, x)), b.Const(0), dy)
		},
	},
	{
		Op: "Threshold", Name: "threshold", Kernel: "threshold_cpu", GradFn: "ThresholdBackward0", Doc: "value where a ≤ threshold, else a", Plain: seldom,
		Params: []string{"threshold", "value"}, Try: []float64{0.5, 3},
		Float: func(b *builder, a, threshold, value float) float { return b.If(b.LessEqual(a, threshold), value, a) },
		Int:   func(b *builder, a, threshold, value integ) integ { return b.IfInt(b.ILess(threshold, a), a, value) },
	},
	{
		Op: "Hardshrink", Name: "hardshrink", Kernel: "hardshrink_cpu", GradFn: "HardshrinkBackward0", Doc: "0 where |a| ≤ lambda, else a", Plain: seldom,
		Params: []string{"lambda"}, Try: []float64{0.5},
		Float: func(b *builder, a, lambda float) float { return b.If(within(b, a, lambda), b.Const(0), a) },
	},
	{
		Op: "Softshrink", Name: "softshrink", Kernel: "softshrink_check", GradFn: "SoftshrinkBackward0", Doc: "0 where |a| ≤ lambda, else a - lambda or a + lambda, nearer to 0", Plain: seldom,
		Params: []string{"lambda"}, Try: []float64{0.5},
		Float: func(b *builder, a, lambda float) float {
			outside := b.If(b.Less(a, b.Const(0)), b.Add(a, lambda), b.Sub(a, lambda))
			return b.If(within(b, a, lambda), b.Const(0), outside)
		},
	},
	{
		Op: "PReLU", Name: "prelu", Kernel: "prelu_cpu", GradFn: "PreluKernelBackward0", Doc: "a where a > 0, else a·b",
		Float: func(b *builder, a, w float) float { return b.If(b.Less(b.Const(0), a), a, b.Mul(w, a)) },
	},
	{
		Op: "Frac", Name: "frac", Kernel: "frac_cpu", GradFn: "FracBackward0", Doc: "the fraction of a, with its sign", Plain: seldom,
		Float: func(b *builder, a float) float { return b.Sub(a, b.Trunc(a)) },
	},
	{
		Op: "Copysign", Name: "copysign", Kernel: "copysign_cpu", GradFn: "CopysignBackward0", Doc: "|a| with the sign of b", Plain: seldom,
		Float: func(b *builder, x, y float) float { return b.WithSign(b.Abs(x), y) },
	},
	{
		Op: "Heaviside", Name: "heaviside", Doc: "0 where a < 0, b where a is 0, else 1; 0 where a is NaN", HandBool: "Or", Plain: seldom,
		Float: func(b *builder, x, y float) float {
			zero := b.Const(0)
			return b.If(b.Equal(x, zero), y, b.If(b.Less(zero, x), b.Const(1), zero))
		},
		Int: func(b *builder, x, y integ) integ {
			zero := b.Int(0)
			return b.IfInt(b.IEqual(x, zero), y, b.IfInt(b.ILess(zero, x), b.Int(1), zero))
		},
	},
}

// shiftedTo6 is min(max(x + 3, 0), 6), NaN where x is.
func shiftedTo6(b *builder, x float) float {
	return atMost(b, atLeast(b, b.Add(x, b.Const(3)), 0), 6)
}

// within reports whether |x| ≤ limit, false for NaN.
func within(b *builder, x, limit float) mask { return b.LessEqual(b.Abs(x), limit) }
