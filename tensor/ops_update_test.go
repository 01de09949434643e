package tensor_test

import (
	"math"

	"cresset/internal/op"
	"cresset/tensor"
)

// stepNumbers are the numbers of the updates' rows: powers of two, so that half types lose none.
var stepNumbers = op.Update{
	Rate: -0.5, Sign: -1, Decay: 0.25, Shrink: 0.5, Part: 0.5, Share: 0.75, Rest: 0.25, Root: 0.5, Eps: 0.125, Ahead: -0.25,
	Momentum: 0.5, Rectified: 1, Minus: 0.5, Plus: 1.5, Low: 0.25, High: 1.5,
}

// update returns the row of an update: ref gives the parameter and what is kept of it from p, the gradient g with its sign and weight
// decay, and what was kept.
func update(o op.Op, n op.Update, states int, ref func(p, g float64, s []float64) []float64) opRow {
	return optimizer(o.String()+" step", func(p, g *tensor.Tensor, state []*tensor.Tensor) {
		updateStep(o, n, p, g, state...)
	}, func(v []float64) []float64 { return ref(v[0], n.Sign*v[1]+n.Decay*v[0], v[2:]) }, states)
}

// updateRows are the steps of optimizers that are rows of internal/kgen/recipe's updates.
var updateRows = []opRow{
	update(op.AMSGradStep, stepNumbers, 3, func(p, g float64, s []float64) []float64 {
		mean, square := means(g, s)
		most := max(s[2], square)
		return []float64{p/2 - mean/(math.Sqrt(most)/0.5+0.125)/2, mean, square, most}
	}),
	update(op.AdamaxStep, stepNumbers, 2, func(p, g float64, s []float64) []float64 {
		mean, norm := s[0]+(g-s[0])/2, max(s[1]*0.75, math.Abs(g)+0.125)
		return []float64{p - mean/norm/2, mean, norm}
	}),
	update(op.NAdamStep, stepNumbers, 2, func(p, g float64, s []float64) []float64 {
		mean, square := means(g, s)
		d := math.Sqrt(square/0.5) + 0.125
		return []float64{p/2 - g/d/2 - mean/d/4, mean, square}
	}),
	update(op.RAdamStep, stepNumbers, 2, func(p, g float64, s []float64) []float64 {
		mean, square := means(g, s)
		return []float64{p/2 - mean/(math.Sqrt(square)+0.125)/2, mean, square}
	}),
	update(op.RMSpropStep, stepNumbers, 1, func(p, g float64, s []float64) []float64 {
		square := s[0]*0.75 + g*g/4
		return []float64{p - g/(math.Sqrt(square)+0.125)/2, square}
	}),
	update(op.RMSpropMomentumStep, stepNumbers, 2, func(p, g float64, s []float64) []float64 {
		square := s[0]*0.75 + g*g/4
		velocity := s[1]/2 + g/(math.Sqrt(square)+0.125)
		return []float64{p - velocity/2, square, velocity}
	}),
	update(op.RMSpropCenteredStep, stepNumbers, 2, func(p, g float64, s []float64) []float64 {
		mean, square := centered(g, s)
		return []float64{p - g/(math.Sqrt(square-mean*mean)+0.125)/2, square, mean}
	}).as(spread),
	update(op.RMSpropCenteredMomentumStep, stepNumbers, 3, func(p, g float64, s []float64) []float64 {
		mean, square := centered(g, s)
		velocity := s[2]/2 + g/(math.Sqrt(square-mean*mean)+0.125)
		return []float64{p - velocity/2, square, mean, velocity}
	}).as(spread),
	update(op.AdagradStep, stepNumbers, 1, func(p, g float64, s []float64) []float64 {
		sum := s[0] + g*g
		return []float64{p - g/(math.Sqrt(sum)+0.125)/2, sum}
	}),
	update(op.AdadeltaStep, stepNumbers, 2, func(p, g float64, s []float64) []float64 {
		square := s[0]*0.75 + g*g/4
		delta := math.Sqrt(s[1]+0.125) / math.Sqrt(square+0.125) * g
		return []float64{p - delta/2, square, s[1]*0.75 + delta*delta/4}
	}),
	update(op.RpropStep, op.Update{Sign: 1, Minus: 0.5, Plus: 1.5, Low: 0.25, High: 1.5}, 2, func(p, g float64, s []float64) []float64 {
		// what was before is positive, so that the sign of g tells whether it has changed
		if g < 0 {
			return []float64{p, 0, min(max(s[1]/2, 0.25), 1.5)}
		}
		size := min(max(s[1]*1.5, 0.25), 1.5)
		return []float64{p - size, g, size}
	}),
	update(op.ASGDStep, stepNumbers, 1, func(p, g float64, s []float64) []float64 {
		p = p/2 - g/2
		return []float64{p, s[0] + (p-s[0])/2}
	}),
}

// means moves Adam's running means, which s begins with.
func means(g float64, s []float64) (mean, square float64) {
	return s[0] + (g-s[0])/2, s[1]*0.75 + g*g/4
}

// centered moves the running mean of squares and that of gradients, which s begins with.
func centered(g float64, s []float64) (mean, square float64) {
	return s[1] + (g-s[1])/4, s[0]*0.75 + g*g/4
}

// spread keeps the mean of squares well above the square of the mean.
func spread(r *opRow) { r.in[2].lo, r.in[2].hi, r.in[3].hi = 4, 8, 1 }
