package tensor

import (
	"math"

	"cresset/dtype"
	"cresset/internal/op"
)

// MultinomialOption is an option of Multinomial: WithReplacement, or a *Generator to draw from.
type MultinomialOption interface{ multinomialOption() }

func (WithReplacement) multinomialOption() {}
func (*Generator) multinomialOption()      {}

// Multinomial draws n columns of each row of x, a matrix, or n elements of a vector, with probabilities that are proportional to the
// elements, and returns their indices as int64. No column is drawn twice unless WithReplacement(true) is given. For a seed they are
// PyTorch's on the CPU; with replacement a draw may fall to the neighbour where it is within a rounding of their boundary, and GPUs
// draw others. It waits for the device, because the probabilities are checked. It records no gradient.
func (x *Tensor) Multinomial(n int, opts ...MultinomialOption) *Tensor {
	refuseNil("multinomial", "input", 1, x)
	replace, g := false, (*Generator)(nil)
	for _, opt := range opts {
		switch o := opt.(type) {
		case WithReplacement:
			replace = bool(o)
		case *Generator:
			g = o
		}
	}
	x.checkMultinomial(n, replace)
	x = x.Detach()
	if n > 1 && replace {
		return x.drawnAgain(n, g)
	}
	x.checkProbabilities(true)
	if x.layout.Size() == 0 {
		return x.zerosAs(dtype.Int64, x.shapeOfDraws(n))
	}
	last := x.layout.Rank() - 1
	race := x.Div(x.like(op.Exponential, x.dtype).draw(op.Exponential, g, op.Draw{A: 1}))
	if n == 1 {
		return race.ArgMaxAxis(last, true)
	}
	_, winners := race.TopK(n, last)
	return winners
}

// drawnAgain draws with replacement: the column where the sum of the probabilities reaches a uniform number.
func (x *Tensor) drawnAgain(n int, g *Generator) *Tensor {
	x.checkProbabilities(false)
	if x.dtype != dtype.Float64 {
		x = x.cast(dtype.Float32)
	}
	last, shape := x.layout.Rank()-1, x.shapeOfDraws(n)
	if x.layout.Size() == 0 {
		return x.zerosAs(dtype.Int64, shape)
	}
	sums := x.CumSum(last)
	bounds := sums.Div(sums.Narrow(last, x.layout.Shape()[last]-1, 1))
	draws := x.empty(op.Uniform, dtype.Float64, shape).draw(op.Uniform, g, op.Draw{B: 1})
	return SearchSorted(bounds, draws)
}

func (x *Tensor) shapeOfDraws(n int) Shape {
	shape := x.Shape()
	shape[len(shape)-1] = n
	return shape
}

func (x *Tensor) checkMultinomial(n int, replace bool) {
	const name = "multinomial"
	shape := x.layout.Shape()
	switch rank := len(shape); {
	case rank != 1 && rank != 2:
		fail(name, ErrShape, "prob_dist must be 1 or 2 dim", x)
	case !x.dtype.IsFloat():
		fail(name, ErrDType, "multinomial only supports floating-point dtypes for input, got: "+x.dtype.ScalarName(), x)
	case n <= 0:
		fail(name, ErrValue, "cannot sample n_sample <= 0 samples", x)
	case !replace && n > shape[rank-1]:
		fail(name, ErrValue, "cannot sample n_sample > prob_dist.size(-1) samples without replacement", x)
	case shape[rank-1] > 1<<24:
		fail(name, ErrValue, "number of categories cannot exceed 2^24", x)
	}
}

// checkProbabilities panics where a row is no distribution; race tells which text it gets.
func (x *Tensor) checkProbabilities(race bool) {
	wrong := func(text string) { fail("multinomial", ErrValue, text, x) }
	if x.layout.Size() > 0 {
		low, high := x.AMinMax(nil)
		least, most := hostSlice[float64](low)[0], hostSlice[float64](high)[0]
		switch negative, endless := !(least >= 0), math.IsInf(most, 1); {
		case race && (negative || endless):
			wrong("probability tensor contains either `inf`, `nan` or element < 0")
		case negative:
			wrong("invalid multinomial distribution (encountering probability entry < 0)")
		case endless:
			wrong("invalid multinomial distribution (encountering probability entry = infinity or NaN)")
		}
	}
	if x.SumAxes([]int{-1}).EqScalar(0).Any().Item().(bool) {
		wrong("invalid multinomial distribution (sum of probabilities <= 0)")
	}
}
