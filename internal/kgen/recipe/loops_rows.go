package recipe

import "slices"

// Rows returns the description of every loop over rows that is written in assembly: those of internal/kern/lanes.go,
// softmax.go, norm.go, column.go and reduce_extreme.go.
func Rows() []*Loop {
	loops := []*Loop{
		foldOf("Sum", "Σ a", FoldSum),
		dot(),
		deviations(),
		foldOf("Largest", "the largest a, NaN where one is", FoldMax),
		foldOf("Smallest", "the smallest a, NaN where one is", FoldMin),
		top(),
		first(),
		firstFar(),
		foldInts("Largest", "the largest a", FoldMax),
		foldInts("Smallest", "the smallest a", FoldMin),
		firstInt(),
	}
	loops = append(loops, softmaxes()...)
	loops = append(loops, layerNorms()...)
	loops = append(loops, ofBothHalves(foldOf("Sum", "Σ a", FoldSum), deviations(), normalizeAffine(), normalizeWeighted())...)
	return append(loops, besideColumn()...)
}

// manyLanes is how many vectors of lanes loops fold into that do little else: additions wait for each other.
const manyLanes = 4

// foldOf is a loop that folds the elements as they are.
func foldOf(name, doc string, op FoldOp) *Loop {
	d := describeRows(name, doc, floats, "a")
	d.Lanes, d.Ahead = manyLanes, true
	d.fold(op, d.Param(0))
	return d.folded()
}

// top is a softmax's, which has its rows in a cache.
func top() *Loop {
	l := foldOf("Top", "the largest a that is not NaN, -∞ where none is", FoldTop)
	l.Ahead = false
	return l
}

func first() *Loop {
	d := describeRows("First", "the place of the first a that equals value, -1 where none does", floats, "a")
	d.first(d.Equal(d.Param(0), d.scalar("value")))
	return d.folded()
}

func firstFar() *Loop {
	d := describeRows("FirstFar", "the place of the first a that is NaN or not below 2**32 in size, -1 where none is", double, "a")
	d.first(d.ILess(d.Int(farTrigBits-1), d.ToBits(d.Abs(d.Param(0)))))
	return d.folded()
}

// foldInts is foldOf for integers.
func foldInts(name, doc string, op FoldOp) *Loop {
	d := describeRows(name, doc, ints, "a")
	d.Lanes, d.Ahead = manyLanes, true
	d.foldInt(op, d.IntParam(0))
	return d.folded()
}

func firstInt() *Loop {
	d := describeRows("First", "the place of the first a that equals value, -1 where none does", ints, "a")
	d.first(d.IEqual(d.IntParam(0), repeated[integ](d, "value")))
	return d.folded()
}

func dot() *Loop {
	d := describeRows("SumProducts", "Σ a·b", floats, "a", "b")
	d.Lanes, d.Ahead = manyLanes, true
	d.fold(FoldDot, d.Param(0), d.Param(1))
	return d.folded()
}

func deviations() *Loop {
	d := describeRows("Deviations", "Σ (a - shift), Σ (a - shift)²", floats, "a")
	d.Ahead = true
	x := d.Sub(d.Param(0), d.scalar("shift"))
	d.fold(FoldSum, x)
	d.fold(FoldDot, x, x)
	return d.folded()
}

// from is x less two scalars, of which the second is what the first left out.
func (d description) from(x float) float {
	return d.Sub(d.Sub(x, d.scalar("mean")), d.scalar("rest"))
}

func softmaxes() []*Loop {
	scale := describeRows("Scale", "a · factor", floats, "a")
	shift := describeRows("Shift", "a - first - second", floats, "a")
	grad := describeRows("SoftmaxGrad", "y·(dy - sum)", floats, "dy", "y")
	within := cached(slices.Concat(each(crossEntropyGrad), each(logSoftmaxGrad), []*Loop{
		scale.dst(scale.Mul(scale.Param(0), scale.scalar("factor"))),
		grad.dst(grad.Mul(grad.Param(1), grad.Sub(grad.Param(0), grad.scalar("sum")))),
	}))
	return slices.Concat(each(expShifted), each(sumExp), within, []*Loop{shift.dst(shift.shifted(shift.Param(0)))})
}

func expShifted(elems []Elem) *Loop {
	d := describeRows("ExpShifted", "e**(a - largest), and their sum", elems, "a")
	d.Fetches = true
	y := d.expBelow(d.Sub(d.Param(0), d.scalar("largest")))
	d.fold(FoldSum, y)
	return d.dst(y)
}

func sumExp(elems []Elem) *Loop {
	d := describeRows("SumExp", "Σ e**(a - largest)", elems, "a")
	d.Fetches = true
	d.fold(FoldSum, d.expBelow(d.Sub(d.Param(0), d.scalar("largest"))))
	return d.folded()
}

func crossEntropyGrad(elems []Elem) *Loop {
	d := describeRows("CrossEntropyGrad", "e**(a - first - second) · scale", elems, "a")
	return d.dst(d.Mul(d.expBelow(d.shifted(d.Param(0))), d.scalar("scale")))
}

func logSoftmaxGrad(elems []Elem) *Loop {
	d := describeRows("LogSoftmaxGrad", "dy - e**y · sum", elems, "dy", "y")
	return d.dst(d.Sub(d.Param(0), d.Mul(d.Apply(Exp, d.Param(1)), d.scalar("sum"))))
}

// expBelow is e**x where x is not positive.
func (d description) expBelow(x float) float { return d.Apply(ExpBelow, x) }

// shifted is x less the two scalars whose sum is the logarithm of Σ e**x.
func (d description) shifted(x float) float {
	return d.Sub(d.Sub(x, d.scalar("first")), d.scalar("second"))
}

// besideColumn are loops of which each row meets one element of a column, where that lies: copies of the elements of
// sub_column/4096x128 take a sixth of its time.
func besideColumn() []*Loop {
	with := func(name, doc string, f func(b *builder, a, column float) float) *Loop {
		d := describeRows(name, doc, floats, "a")
		d.Ahead, d.Strided = true, true // sub_column/4096x128 takes a tenth less time with what is ahead
		return d.dst(f(d.builder, d.Param(0), d.scalar("b")))
	}
	return cached([]*Loop{
		with("AddColumn", "a + b", (*builder).Add), with("SubColumn", "a - b", (*builder).Sub),
		with("MulColumn", "a · b", (*builder).Mul), with("DivColumn", "a / b", (*builder).Div),
	})
}

func layerNorms() []*Loop {
	plain := describeRows("Normalize", "(a - mean)·rstd, the mean in two parts", floats, "a")
	channel := describeRows("NormalizeChannel", "(a - mean)·scale + shift", floats, "a")
	centered := channel.Sub(channel.Param(0), channel.scalar("mean"))
	return []*Loop{
		plain.dst(plain.normalized(plain.Param(0))),
		normalizeAffine(),
		normalizeWeighted(),
		channel.dst(channel.Add(channel.Mul(centered, channel.scalar("scale")), channel.scalar("shift"))),
		layerNormSums("LayerNormSums", "Σ dy, Σ dy·h with h = (x - mean)·rstd", "dy", "x"),
		layerNormSums("LayerNormSumsWeighted", "Σ dy·w, Σ dy·w·h with h = (x - mean)·rstd", "dy", "x", "w"),
		layerNormGrad("LayerNormGrad", "rstd·(dy - first - h·second) with h = (x - mean)·rstd", "dy", "x"),
		layerNormGrad("LayerNormGradWeighted", "rstd·(dy·w - first - h·second) with h = (x - mean)·rstd", "dy", "x", "w"),
		layerNormGrad("LayerNormGradOnto", "onto + LayerNormGrad", "dy", "x", "onto"),
		layerNormGrad("LayerNormGradWeightedOnto", "onto + LayerNormGradWeighted", "dy", "x", "w", "onto"),
		groupNormGrad(),
	}
}

func normalizeAffine() *Loop {
	d := describeRows("NormalizeAffine", "(a - mean)·rstd·w + b, the mean in two parts", floats, "a", "w", "b")
	d.Src[1].Same, d.Src[2].Same = true, true
	return d.dst(d.Add(d.Mul(d.normalized(d.Param(0)), d.Param(1)), d.Param(2)))
}

func normalizeWeighted() *Loop {
	d := describeRows("NormalizeWeighted", "(a - mean)·rstd·w, the mean in two parts", floats, "a", "w")
	d.Src[1].Same = true
	return d.dst(d.Mul(d.normalized(d.Param(0)), d.Param(1)))
}

// normalized is (x - mean)·rstd.
func (d description) normalized(x float) float { return d.Mul(d.from(x), d.scalar("rstd")) }

// weighted is dy, or dy·w where the loop has weights.
func (d description) weighted() float {
	if len(d.Src) < 3 || d.Src[2].Name != "w" {
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
	dx := d.throughNormalized(d.weighted())
	if last := len(src) - 1; src[last] == "onto" {
		dx = d.Add(d.Param(last), dx)
	}
	d.Cached = true
	return d.dst(dx)
}

// groupNormGrad is layerNormGrad where one weight stands for a whole run.
func groupNormGrad() *Loop {
	d := describeRows("GroupNormGrad", "rstd·(dy·weight - first - h·second) with h = (x - mean)·rstd", floats, "dy", "x")
	d.Cached = true
	return d.dst(d.throughNormalized(d.Mul(d.Param(0), d.scalar("weight"))))
}

// throughNormalized is rstd·(g - first - h·second).
func (d description) throughNormalized(g float) float {
	mean, rstd := d.scalar("mean"), d.scalar("rstd")
	h := d.Mul(d.Sub(d.Param(1), mean), rstd)
	return d.Mul(rstd, d.Sub(d.Sub(g, d.scalar("first")), d.Mul(h, d.scalar("second"))))
}
