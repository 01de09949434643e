package recipe

// expand returns the steps with those that not every target has in others' terms, and the results' new places: Scale
// becomes two products with powers of two.
func expand(elem Elem, steps []Step, results ...Ref) ([]Step, []Ref) {
	b := newBuilder("")
	b.recipe.Elem = elem
	renamed := make([]Ref, len(steps))
	for k, s := range steps {
		args := make([]Ref, len(s.Args))
		for n, a := range s.Args {
			args[n] = renamed[a]
		}
		if s.Op == Scale {
			scale := scaleTwice
			if b.double() {
				scale = scaleDouble
			}
			renamed[k] = Ref(scale(b, float(args[0]), float(args[1])))
			continue
		}
		s.Args = args
		renamed[k] = b.step(s)
	}
	places := make([]Ref, len(results))
	for n, r := range results {
		places[n] = renamed[r]
	}
	return keep(b.recipe.Steps, places...)
}

// scaleTwice is x * 2**⌊n⌋ for a multiple -252 <= n < 254 of 1/16: in two steps, of which only the second can round.
func scaleTwice(b *builder, x, n float) float {
	const bias = 2 * 127 // of both powers' exponents
	// 1.5 * 2**19 leaves 4 bits for n's fraction. What else stands above the sum's low bits, the shifts by 23 drop.
	sum := b.Shr(b.ToBits(b.Add(n, b.Const(0x1.8p19+bias))), b.Int(4))
	first := b.Shr(sum, b.Int(1))
	power := func(exponent integ) float { return b.FromBits(b.Shl(exponent, b.Int(23))) }
	return b.Mul(b.Mul(x, power(first)), power(b.ISub(sum, first)))
}

// scaleDouble is scaleTwice of float64, for an integer -2044 <= n <= 2046.
func scaleDouble(b *builder, x, n float) float {
	const bias = 2 * 1023
	sum := b.ToBits(b.Add(n, b.Const(magicDouble+bias)))
	first := b.Shr(sum, b.Int(1))
	power := func(exponent integ) float { return b.FromBits(b.Shl(exponent, b.Int(52))) }
	return b.Mul(b.Mul(x, power(first)), power(b.ISub(sum, first)))
}

// expanded is the recipe in the operations that every target has.
func (r *Recipe) expanded() *Recipe {
	e := *r
	e.Steps, _ = expand(r.Elem, r.Steps, Ref(len(r.Steps)-1))
	return &e
}

// Expanded is the loop in the operations that every target has.
func (l *Loop) Expanded() *Loop {
	e := *l
	steps, places := expand(l.Elems[0], l.Steps, l.Ends()...)
	e.Steps = steps
	e.setEnds(places)
	return &e
}
