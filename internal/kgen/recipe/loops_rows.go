package recipe

// Rows returns the description of every loop over rows that is written in assembly: those of internal/kern/rowsum.go,
// softmax.go, norm.go and reduce_extreme.go.
func Rows() []*Loop {
	loops := []*Loop{
		sumOf("Sum", "Σ a", floats, func(d description, x float) { d.fold(FoldSum, x) }, "a"),
		dot(),
		sumOf("Moments", "Σ a, Σ a²", single, func(d description, x float) {
			d.fold(FoldSum, x)
			d.fold(FoldDot, x, x)
		}, "a"),
		deviations(),
		sumOf("Largest", "the largest a, NaN where one is", floats, func(d description, x float) { d.fold(FoldMax, x) }, "a"),
		sumOf("Smallest", "the smallest a, NaN where one is", floats, func(d description, x float) { d.fold(FoldMin, x) }, "a"),
	}
	loops = append(loops, softmaxes()...)
	return append(loops, layerNorms()...)
}

// sumOf is a loop that writes no elements.
func sumOf(name, doc string, elems []Elem, f func(d description, x float), src ...string) *Loop {
	d := describeRows(name, doc, elems, src...)
	f(d, d.Param(0))
	return d.folded()
}

func dot() *Loop {
	return sumOf("SumProducts", "Σ a·b", floats, func(d description, x float) { d.fold(FoldDot, x, d.Param(1)) }, "a", "b")
}

func deviations() *Loop {
	return sumOf("Deviations", "Σ (a - mean)², the mean in two parts", floats, func(d description, x float) {
		x = d.from(x)
		d.fold(FoldDot, x, x)
	}, "a")
}

// from is x less two scalars, of which the second is what the first left out.
func (d description) from(x float) float {
	return d.Sub(d.Sub(x, d.scalar("mean")), d.scalar("rest"))
}

func softmaxes() []*Loop {
	exp := describeRows("ExpShifted", "e**(a - largest), and their sum", single, "a")
	y := exp.Apply(ExpBelow(), exp.Sub(exp.Param(0), exp.scalar("largest")))
	exp.fold(FoldSum, y)

	scale := describeRows("Scale", "a · factor", floats, "a")
	shift := describeRows("Shift", "a - first - second", floats, "a")
	grad := describeRows("SoftmaxGrad", "y·(dy - sum)", floats, "dy", "y")
	logGrad := describeRows("LogSoftmaxGrad", "dy - e**y · sum", single, "dy", "y")
	return []*Loop{
		exp.dst(y),
		sumOf("SumExp", "Σ e**(a - largest)", single, func(d description, x float) {
			d.fold(FoldSum, d.Apply(ExpBelow(), d.Sub(x, d.scalar("largest"))))
		}, "a"),
		scale.dst(scale.Mul(scale.Param(0), scale.scalar("factor"))),
		shift.dst(shift.Sub(shift.Sub(shift.Param(0), shift.scalar("first")), shift.scalar("second"))),
		grad.dst(grad.Mul(grad.Param(1), grad.Sub(grad.Param(0), grad.scalar("sum")))),
		logGrad.dst(logGrad.Sub(logGrad.Param(0), logGrad.Mul(logGrad.Apply(Exp(), logGrad.Param(1)), logGrad.scalar("sum")))),
	}
}

func layerNorms() []*Loop {
	plain := describeRows("Normalize", "(a - mean)·rstd, the mean in two parts", floats, "a")
	affine := describeRows("NormalizeAffine", "(a - mean)·rstd·w + b, the mean in two parts", floats, "a", "w", "b")
	affine.Src[1].Same, affine.Src[2].Same = true, true
	return []*Loop{
		plain.dst(plain.normalized(plain.Param(0))),
		affine.dst(affine.Add(affine.Mul(affine.normalized(affine.Param(0)), affine.Param(1)), affine.Param(2))),
		layerNormSums("LayerNormSums", "Σ dy, Σ dy·h with h = (x - mean)·rstd", "dy", "x"),
		layerNormSums("LayerNormSumsWeighted", "Σ dy·w, Σ dy·w·h with h = (x - mean)·rstd", "dy", "x", "w"),
		layerNormGrad("LayerNormGrad", "rstd·(dy - first - h·second) with h = (x - mean)·rstd", "dy", "x"),
		layerNormGrad("LayerNormGradWeighted", "rstd·(dy·w - first - h·second) with h = (x - mean)·rstd", "dy", "x", "w"),
	}
}

// normalized is (x - mean)·rstd.
func (d description) normalized(x float) float { return d.Mul(d.from(x), d.scalar("rstd")) }

// weighted is dy, or dy·w where the loop has weights.
func (d description) weighted() float {
	if len(d.Src) < 3 {
		return d.Param(0)
	}
	d.Src[2].Same = true
	return d.Mul(d.Param(0), d.Param(2))
}

func layerNormSums(name, doc string, src ...string) *Loop {
	d := describeRows(name, doc, floats, src...)
	g := d.weighted()
	mean, rstd := d.scalar("mean"), d.scalar("rstd")
	h := d.Mul(d.Sub(d.Param(1), mean), rstd)
	d.fold(FoldSum, g)
	d.fold(FoldDot, g, h)
	return d.folded()
}

func layerNormGrad(name, doc string, src ...string) *Loop {
	d := describeRows(name, doc, floats, src...)
	g := d.weighted()
	mean, rstd := d.scalar("mean"), d.scalar("rstd")
	h := d.Mul(d.Sub(d.Param(1), mean), rstd)
	rest := d.Sub(d.Sub(g, d.scalar("first")), d.Mul(h, d.scalar("second")))
	return d.dst(d.Mul(rstd, rest))
}
