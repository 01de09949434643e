package recipe

// divisions are the loops of internal/kern/division.go, which take the rest of a / b from the quotient: right while that is
// below limit, 2**24 in float32 and 2**53 in float64, so that its integer part is a number and a multiply-add leaves the
// rest without rounding. Elsewhere they give NaN.
func divisions() []*Loop {
	return []*Loop{
		division("Fmod", "the rest of a / b, with the sign of a", func(d description, _, rest, _ float) float { return rest }),
		division("Remainder", "the rest of a / b, with the sign of b", func(d description, y, rest, _ float) float {
			return d.If(d.opposed(rest, y), d.Add(rest, y), rest)
		}),
		floorDivide(),
	}
}

// division is a loop that makes its result of y, the rest and the quotient.
func division(name, doc string, f func(d description, y, rest, quotient float) float) *Loop {
	d := describe(name, doc+"; NaN where |a / b| ≥ limit", floats, "a", "b")
	x, y := d.Param(0), d.Param(1)
	rest, quotient := d.rest(x, y)
	return d.dst(f(d, y, rest, quotient))
}

// floorDivide follows the loop in Go step by step.
func floorDivide() *Loop {
	d := describe("FloorDivide", "⌊a / b⌋; NaN where |a / b| ≥ limit", floats, "a", "b")
	x, y := d.Param(0), d.Param(1)
	rest, quotient := d.rest(x, y)
	q := d.Div(d.Sub(x, rest), y)
	q = d.If(d.opposed(rest, y), d.Sub(q, d.Const(1)), q)
	floor := d.Floor(q)
	floor = d.If(d.Less(d.Const(0.5), d.Sub(q, floor)), d.Add(floor, d.Const(1)), floor)
	return d.dst(d.If(d.Equal(q, d.Const(0)), d.Mul(quotient, d.Const(0)), floor))
}

// rest returns the exact rest of x / y, with the sign of x, and the quotient. Rounding can have lifted that to the next
// integer: then the rest is one y away, on the other side of zero.
func (d description) rest(x, y float) (rest, quotient float) {
	zero := d.Const(0)
	quotient = d.Div(x, y)
	whole := d.Trunc(quotient)
	rest = d.FMA(d.Neg(whole), y, x)
	size := d.Abs(y)
	rest = d.If(d.opposed(rest, x), d.Add(rest, d.If(d.Less(x, zero), d.Neg(size), size)), rest)
	rest = d.If(d.Equal(rest, zero), d.Mul(x, zero), rest) // a zero has the sign of x
	rest = d.If(d.Equal(whole, zero), x, rest)
	return d.If(d.Less(d.Abs(quotient), d.scalar("limit")), rest, d.NaN()), quotient
}

// opposed reports whether one number is positive and the other negative.
func (d description) opposed(x, y float) mask {
	zero := d.Const(0)
	return d.Either(d.Both(d.Less(x, zero), d.Less(zero, y)), d.Both(d.Less(zero, x), d.Less(y, zero)))
}
