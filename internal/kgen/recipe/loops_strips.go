package recipe

import "slices"

// strips are the loops of internal/kern/softmax_strips.go: a row of a strip of columns meets what belongs to each column.
// They are those of softmaxes, whose scalars became operands.
func strips() []*Loop {
	shift := describe("ShiftStrip", "a - first - second", floats, "a", "first", "second")
	grad := describe("SoftmaxGradStrip", "y·(dy - sum)", floats, "dy", "y", "sum")
	all := slices.Concat(each(expStrip), each(logSoftmaxGradStrip), []*Loop{
		shift.dst(shift.Sub(shift.Sub(shift.Param(0), shift.Param(1)), shift.Param(2))),
		grad.dst(grad.Mul(grad.Param(1), grad.Sub(grad.Param(0), grad.Param(2)))),
	})
	return cached(all)
}

// cached marks loops whose results stay in a cache.
func cached(loops []*Loop) []*Loop {
	for _, l := range loops {
		l.Cached = true
	}
	return loops
}

func expStrip(elems []Elem) *Loop {
	d := describe("ExpStrip", "e**(a - largest), largest not less than a", elems, "a", "largest")
	return d.dst(d.expBelow(d.Sub(d.Param(0), d.Param(1))))
}

func logSoftmaxGradStrip(elems []Elem) *Loop {
	d := describe("LogSoftmaxGradStrip", "dy - e**y · sum", elems, "dy", "y", "sum")
	return d.dst(d.Sub(d.Param(0), d.Mul(d.Apply(d.of(Exp, Exp64), d.Param(1)), d.Param(2))))
}
