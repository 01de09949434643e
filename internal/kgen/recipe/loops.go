package recipe

import "math"

var (
	single = []Elem{F32}
	floats = []Elem{F32, F64}
)

// Loops returns the description of every loop that is written in assembly.
func Loops() []*Loop {
	loops := arithmetic()
	loops = append(loops, comparisons()...)
	loops = append(loops, casts()...)
	loops = append(loops, activations()...)
	loops = append(loops, losses()...)
	loops = append(loops, optimizers()...)
	for _, r := range append(All(), CPU()...) {
		loops = append(loops, elementary(r))
	}
	return append(loops, columns()...)
}

// A description names a loop's operands and says what becomes of them.
type description struct {
	*Loop
	*builder
}

// describe starts the description of a loop over operands of one type.
func describe(name, doc string, elems []Elem, src ...string) description {
	l, b := loop(name, doc, elems, src...)
	return description{l, b}
}

// scalar is a parameter that is the same for all elements.
func (d description) scalar(name string) float { return d.Loop.scalar(d.builder, name) }

// dst ends the description of a loop with one result.
func (d description) dst(y float) *Loop {
	d.write("dst", Own, Ref(y))
	return d.end(d.builder)
}

// Rounded is a constant rounded to float32, for loops that compute with that alone.
func (b *builder) Rounded(v float64) float { return b.FloatBits(math.Float32bits(float32(v))) }

// elementary is the loop of a recipe.
func elementary(r *Recipe) *Loop {
	d := describe(r.Name, r.Doc, single, r.Params...)
	var args []float
	for n := range r.Params {
		args = append(args, d.Param(n))
	}
	return d.dst(d.Apply(r, args...))
}

// unary is a loop over one operand.
func unary(name, doc string, f func(b *builder, x float) float) *Loop {
	d := describe(name, doc, floats, "a")
	return d.dst(f(d.builder, d.Param(0)))
}

// binary is a loop over two operands.
func binary(name, doc string, f func(b *builder, x, y float) float) *Loop {
	d := describe(name, doc, floats, "a", "b")
	return d.dst(f(d.builder, d.Param(0), d.Param(1)))
}

// sided are a loop over two operands and those in which b or a is the same for all elements.
func sided(name, doc string, elem Elem, f func(b *builder, x, y float) Ref) []*Loop {
	end := func(d description, x, y float) *Loop {
		d.write("dst", elem, f(d.builder, x, y))
		return d.end(d.builder)
	}
	both := describe(name, doc, floats, "a", "b")
	right := describe(name+"Right", doc+", with one b for all a", floats, "a")
	left := describe(name+"Left", doc+", with one a for all b", floats, "b")
	return []*Loop{
		end(both, both.Param(0), both.Param(1)),
		end(right, right.Param(0), right.scalar("b")),
		end(left, left.scalar("a"), left.Param(0)),
	}
}
