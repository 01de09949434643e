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
	var loops []*Loop
	for _, r := range slices.Concat(Ops(), Functions()) {
		if r.Plain == "" {
			loops = append(loops, r.Loops()...)
		}
	}
	return slices.Concat(loops, selections(), casts(), halves(), optimizers(), updateLoops(), []*Loop{boxMuller()}, integerCasts(), columns(), words(), divisions())
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

// A number is what a loop over elements of one type takes and gives: by the type of its formula one of floats or of integers.
type number interface{ float | integ }

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

// to is a loop over one operand that writes elements of any type.
func to[N number](name, doc string, elems []Elem, elem Elem, f func(b *builder, x N) Ref) *Loop {
	d := describe(name, doc, elems, "a")
	d.write("dst", elem, f(d.builder, element[N](d, 0)))
	return d.end(d.builder)
}

// cached marks loops whose results stay in a cache.
func cached(loops []*Loop) []*Loop {
	for _, l := range loops {
		l.Cached = true
	}
	return loops
}
