package recipe

import "slices"

// arithmetic are the loops of internal/kern/arith.go, power.go, rounding.go and select.go.
func arithmetic() []*Loop {
	return slices.Concat(
		sidedNumber("Add", "a + b", (*builder).Add),
		sidedNumber("Sub", "a - b", (*builder).Sub),
		sidedNumber("Mul", "a · b", (*builder).Mul),
		sidedNumber("Div", "a / b", (*builder).Div),
		sidedNumber("Maximum", "the larger of a and b, NaN where either is", func(b *builder, x, y float) float {
			return b.If(b.Either(b.Less(x, y), b.IsNaN(y)), y, x)
		}),
		sidedNumber("Minimum", "the smaller of a and b, NaN where either is", func(b *builder, x, y float) float {
			return b.If(b.Either(b.Less(y, x), b.IsNaN(y)), y, x)
		}),
		[]*Loop{
			unary("Neg", "-a", (*builder).Neg),
			unary("Abs", "|a|", (*builder).Abs),
			unary("Sign", "-1, 0 or 1 as a is, 0 for NaN", func(b *builder, x float) float {
				return b.If(b.Less(b.Const(0), x), b.Const(1), b.If(b.Less(x, b.Const(0)), b.Const(-1), b.Const(0)))
			}),
			unary("Floor", "⌊a⌋", (*builder).Floor),
			unary("Ceil", "⌈a⌉", (*builder).Ceil),
			unary("Round", "the integer nearest to a, the even one of two", (*builder).Round),
			unary("Trunc", "a without its fraction", (*builder).Trunc),
			unary("Square", "a²", func(b *builder, x float) float { return b.Mul(x, x) }),
			cube(),
			unary("Sqrt", "√a", (*builder).Sqrt),
			unary("Reciprocal", "1 / a", func(b *builder, x float) float { return b.Div(b.Const(1), x) }),
			clamp(),
			where(),
		},
	)
}

func cube() *Loop {
	return unary("Cube", "a³", func(b *builder, x float) float { return b.Mul(b.Mul(x, x), x) })
}

func clamp() *Loop {
	d := describe("Clamp", "min(max(a, low), high), NaN where a is", floats, "a")
	low, high, x := d.scalar("low"), d.scalar("high"), d.Param(0)
	x = d.If(d.Less(x, low), low, x)
	return d.dst(d.If(d.Less(high, x), high, x))
}

func where() *Loop {
	d := describe("Where", "a where cond, else b", floats, "cond", "a", "b")
	d.Src[0].Elem = Bool
	return d.dst(d.If(d.Bool(0), d.Param(1), d.Param(2)))
}

// comparisons are the loops of internal/kern/comparison.go.
func comparisons() []*Loop {
	return slices.Concat(
		comparison("Eq", "a == b", (*builder).Equal),
		comparison("Ne", "a ≠ b", func(b *builder, x, y float) mask { return b.Not(b.Equal(x, y)) }),
		comparison("Lt", "a < b", (*builder).Less),
		comparison("Le", "a ≤ b", (*builder).LessEqual),
		comparison("Gt", "a > b", func(b *builder, x, y float) mask { return b.Less(y, x) }),
		comparison("Ge", "a ≥ b", func(b *builder, x, y float) mask { return b.LessEqual(y, x) }),
		[]*Loop{isNaN()},
	)
}

func isNaN() *Loop {
	d := describe("IsNaN", "whether a is not a number", floats, "a")
	d.write("dst", Bool, Ref(d.builder.IsNaN(d.Param(0))))
	return d.end(d.builder)
}
