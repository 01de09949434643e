package recipe

import "slices"

var (
	single = []Elem{F32}
	double = []Elem{F64}
	floats = []Elem{F32, F64}
	ints   = []Elem{I32, I64}
	whole  = []Elem{I32, I64, U8}
)

// Loops returns the description of every loop that is written in assembly. What a loop of floats does to integers has the
// same name.
func Loops() []*Loop {
	loops := arithmetic()
	loops = append(loops, comparisons()...)
	loops = append(loops, casts()...)
	loops = append(loops, halves()...)
	loops = append(loops, activations()...)
	loops = append(loops, losses()...)
	loops = append(loops, optimizers()...)
	loops = append(loops, boxMuller())
	loops = append(loops, integers()...)
	for _, r := range slices.Concat(All(), Derivatives(), CPU(), Float64()) {
		loops = append(loops, elementary(r))
	}
	loops = append(loops, columns()...)
	loops = append(loops, strips()...)
	loops = append(loops, words()...)
	return append(loops, divisions()...)
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
func (d description) scalar(name string) float { return float(d.Loop.scalar(d.builder, Scalar, name)) }

// dst ends the description of a loop with one result.
func (d description) dst(y float) *Loop {
	d.write("dst", Own, Ref(y))
	return d.end(d.builder)
}

// Rounded is a constant rounded to the type of a loop that computes with one alone.
func (b *builder) Rounded(v float64) float {
	if !b.double() {
		v = float64(float32(v))
	}
	return b.Const(v)
}

// each are the loops of one name that a formula with elementary functions makes, one for each type of float: its builder's
// of tells which function it takes.
func each(loop func(elems []Elem) *Loop) []*Loop { return []*Loop{loop(single), loop(double)} }

// inPieces are the recipes that loops of package kern apply to pieces that stay in a cache.
var inPieces = map[string]bool{"ExpBelow": true, "SinNear": true, "CosNear": true}

// elementary is the loop of a recipe.
func elementary(r *Recipe) *Loop {
	d := describe(r.Name, r.Doc, []Elem{r.Elem}, r.Params...)
	d.Cached = inPieces[r.Name]
	var args []float
	for n := range r.Params {
		args = append(args, d.Param(n))
	}
	return d.dst(d.Apply(r, args...))
}

// A number is what a loop over elements of one type takes and gives: by the type of its formula one of floats or of integers.
type number interface{ float | integ }

// numbersOf are the types of number that loops compute with by a formula over N.
func numbersOf[N number]() []Elem {
	if _, ok := any(N(0)).(integ); ok {
		return whole
	}
	return floats
}

// element is an element of operand n.
func element[N number](d description, n int) N {
	if _, ok := any(N(0)).(integ); ok {
		return N(d.IntParam(n))
	}
	return N(d.Param(n))
}

// repeated is a parameter that stands for an operand.
func repeated[N number](d description, name string) N {
	if _, ok := any(N(0)).(integ); ok {
		return N(d.Loop.scalar(d.builder, ScalarInt, name))
	}
	return N(d.scalar(name))
}

// unary is a loop over one operand.
func unary[N number](name, doc string, f func(b *builder, x N) N) *Loop {
	return to(name, doc, numbersOf[N](), Own, func(b *builder, x N) Ref { return Ref(f(b, x)) })
}

// to is a loop over one operand that writes elements of any type.
func to[N number](name, doc string, elems []Elem, elem Elem, f func(b *builder, x N) Ref) *Loop {
	d := describe(name, doc, elems, "a")
	d.write("dst", elem, f(d.builder, element[N](d, 0)))
	return d.end(d.builder)
}

// binary is a loop over two operands.
func binary(name, doc string, f func(b *builder, x, y float) float) *Loop {
	d := describe(name, doc, floats, "a", "b")
	return d.dst(f(d.builder, d.Param(0), d.Param(1)))
}

// sided are a loop over two operands and those in which b or a is the same for all elements.
func sided[N number](name, doc string, elem Elem, f func(b *builder, x, y N) Ref) []*Loop {
	end := func(d description, x, y N) *Loop {
		d.write("dst", elem, f(d.builder, x, y))
		return d.end(d.builder)
	}
	elems := numbersOf[N]()
	both := describe(name, doc, elems, "a", "b")
	right := describe(name+"Right", doc+", with one b for all a", elems, "a")
	left := describe(name+"Left", doc+", with one a for all b", elems, "b")
	return []*Loop{
		end(both, element[N](both, 0), element[N](both, 1)),
		end(right, element[N](right, 0), repeated[N](right, "b")),
		end(left, repeated[N](left, "a"), element[N](left, 0)),
	}
}

// sidedNumber are the sided loops of an operation whose result is a number.
func sidedNumber[N number](name, doc string, f func(b *builder, x, y N) N) []*Loop {
	return sided(name, doc, Own, func(b *builder, x, y N) Ref { return Ref(f(b, x, y)) })
}

// comparison are the sided loops of an operation whose result is a bool.
func comparison[N number](name, doc string, f func(b *builder, x, y N) mask) []*Loop {
	return sided(name, doc, Bool, func(b *builder, x, y N) Ref { return Ref(f(b, x, y)) })
}
