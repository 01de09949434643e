package recipe

// combinationOps join three operands.
var combinationOps = []Elementwise{
	{
		Op: "Lerp", Name: "lerp", Kernel: "lerp_kernel_tensor", GradFn: "LerpBackward1", Doc: "a + c·(b - a), from b where |c| ≥ 1/2",
		Float: func(b *builder, x, y, w float) float {
			d := b.Sub(y, x)
			near, far := b.Add(x, b.Mul(w, d)), b.Sub(y, b.Mul(d, b.Sub(b.Const(1), w)))
			return b.If(b.Less(b.Abs(w), b.Const(0.5)), near, far)
		},
	},
	{
		Op: "AddCMul", Name: "addcmul", Kernel: "addcmul_cpu_out", GradFn: "AddcmulBackward0", Doc: "a + value·b·c",
		Params: []string{"value"}, Try: []float64{3},
		Float: func(b *builder, x, y, z, value float) float { return b.Add(x, b.Mul(b.Mul(value, y), z)) },
		Int: func(b *builder, x, y, z, value integ) integ {
			return b.IAdd(x, b.IMul(b.IMul(value, y), z))
		},
	},
	{
		Op: "AddCDiv", Name: "addcdiv", Kernel: "addcdiv_cpu_out", GradFn: "AddcdivBackward0", Doc: "a + value·b/c",
		Params: []string{"value"}, Try: []float64{3},
		Float: func(b *builder, x, y, z, value float) float { return b.Add(x, b.Div(b.Mul(value, y), z)) },
	},
}
