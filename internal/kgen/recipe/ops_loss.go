package recipe

// lossOps are the elements of losses, before they are summed. x is a logit, t its target, p the weight of the positive class.
var lossOps = []Elementwise{
	{
		Op: "MSELoss", Name: "mse_loss", GradFn: "MseLossBackward0", Doc: "(a - b)²",
		Float: func(b *builder, x, y float) float {
			d := b.Sub(x, y)
			return b.Mul(d, d)
		},
	},
	{
		Op: "MSELossGrad", Name: "mse_loss_backward", Doc: "scale·(a - b)·dy",
		Operands: []string{"dy", "a", "b"}, Params: []string{"scale"}, Try: []float64{0.3},
		Float: func(b *builder, dy, x, y, scale float) float { return b.Mul(b.Mul(scale, b.Sub(x, y)), dy) },
	},
	{
		Op: "BCEWithLogits", Name: "binary_cross_entropy_with_logits", GradFn: "BinaryCrossEntropyWithLogitsBackward0",
		Doc:      "(1-t)·x + (1 + (p-1)·t)·log(1 + e**-x), which is -t·p·log σ(x) - (1-t)·log(1 - σ(x)) and does not overflow",
		Operands: []string{"x", "t", "p"},
		Float: func(b *builder, x, t, p float) float {
			one := b.Const(1)
			weight := b.Add(one, b.Mul(b.Sub(p, one), t))
			return b.Add(b.Mul(b.Sub(one, t), x), b.Mul(weight, b.Apply(Softplus, b.Neg(x))))
		},
	},
	{
		Op: "BCEWithLogitsGrad", Name: "binary_cross_entropy_with_logits_backward", Doc: "(1 + (p-1)·t)·σ(x) - p·t",
		Operands: []string{"x", "t", "p"},
		Float: func(b *builder, x, t, p float) float {
			positive := b.Mul(p, t)
			return b.Sub(b.Mul(b.Sub(b.Add(positive, b.Const(1)), t), b.Apply(Sigmoid, x)), positive)
		},
	},
}
