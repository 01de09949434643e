package recipe

var (
	single = []Elem{F32}
	floats = []Elem{F32, F64}
)

// Loops returns the description of every loop that is written in assembly.
func Loops() []*Loop {
	loops := arithmetic()
	for _, r := range All() {
		loops = append(loops, elementary(r))
	}
	return loops
}

// elementary is the loop of a recipe.
func elementary(r *Recipe) *Loop {
	l, b := loop(r.Name, r.Doc, single, r.Params...)
	var args []float
	for n := range r.Params {
		args = append(args, b.Param(n))
	}
	l.write("dst", Own, Ref(b.Apply(r, args...)))
	return l.end(b)
}

// unary is a loop over one operand.
func unary(name, doc string, f func(b *builder, x float) float) *Loop {
	l, b := loop(name, doc, floats, "a")
	l.write("dst", Own, Ref(f(b, b.Param(0))))
	return l.end(b)
}

// binary is a loop over two operands.
func binary(name, doc string, f func(b *builder, x, y float) float) *Loop {
	l, b := loop(name, doc, floats, "a", "b")
	l.write("dst", Own, Ref(f(b, b.Param(0), b.Param(1))))
	return l.end(b)
}

// arithmetic are the loops of internal/kern/arith.go, power.go, rounding.go and select.go.
func arithmetic() []*Loop {
	return []*Loop{
		binary("Add", "a + b", (*builder).Add),
		binary("Sub", "a - b", (*builder).Sub),
		binary("Mul", "a · b", (*builder).Mul),
		binary("Div", "a / b", (*builder).Div),
		unary("Neg", "-a", (*builder).Neg),
		unary("Abs", "|a|", (*builder).Abs),
		unary("Square", "a²", func(b *builder, x float) float { return b.Mul(x, x) }),
		unary("Sqrt", "√a", (*builder).Sqrt),
		unary("Reciprocal", "1 / a", func(b *builder, x float) float { return b.Div(b.Const(1), x) }),
		binary("Maximum", "the larger of a and b, NaN where either is", func(b *builder, x, y float) float {
			return b.If(b.Either(b.Less(x, y), b.IsNaN(y)), y, x)
		}),
		binary("Minimum", "the smaller of a and b, NaN where either is", func(b *builder, x, y float) float {
			return b.If(b.Either(b.Less(y, x), b.IsNaN(y)), y, x)
		}),
		unary("ReLU", "max(a, 0), NaN where a is", func(b *builder, x float) float {
			return b.If(b.Less(x, b.Const(0)), b.Const(0), x)
		}),
		clamp(),
	}
}

func clamp() *Loop {
	l, b := loop("Clamp", "min(max(a, low), high), NaN where a is", floats, "a")
	low, high := l.scalar(b, "low"), l.scalar(b, "high")
	x := b.Param(0)
	x = b.If(b.Less(x, low), low, x)
	l.write("dst", Own, Ref(b.If(b.Less(high, x), high, x)))
	return l.end(b)
}
