package recipe

import "math"

// expand returns the steps with those that not every target has in others' terms, and the results' new places: Scale
// becomes two products with powers of two, Mantissa and Exponent become steps on the number's bits.
func expand(elem Elem, steps []Step, results ...Ref) ([]Step, []Ref) {
	b := newBuilder(elem, "")
	renamed := make([]Ref, len(steps))
	for k, s := range steps {
		args := make([]Ref, len(s.Args))
		for n, a := range s.Args {
			args[n] = renamed[a]
		}
		switch s.Args = args; {
		case s.Op == Scale && b.double():
			renamed[k] = Ref(scaleDouble(b, float(args[0]), float(args[1])))
		case s.Op == Scale:
			renamed[k] = Ref(scaleTwice(b, float(args[0]), float(args[1])))
		case s.Op == Mantissa:
			m, _ := split(b, float(args[0]))
			renamed[k] = Ref(m)
		case s.Op == Exponent:
			_, e := split(b, float(args[0]))
			renamed[k] = Ref(e)
		default:
			renamed[k] = b.step(s)
		}
	}
	places := make([]Ref, len(results))
	for n, r := range results {
		places[n] = renamed[r]
	}
	return keep(b.recipe.Steps, places...)
}

// scaleTwice is x * 2**⌊n⌋ for a multiple -252 <= n < 254 of 1/16: in two steps, of which only the second can round.
func scaleTwice(b *builder, x, n float) float {
	sum, bias := biased(b, n)
	power := func(exponent integ) float { return b.FromBits(b.Shl(exponent, b.Int(23))) }
	if bias == downBias {
		return b.Mul(b.Mul(x, power(sum)), b.Const(0x1p-64))
	}
	first := b.Shr(sum, b.Int(1))
	return b.Mul(b.Mul(x, power(first)), power(b.ISub(sum, first)))
}

// biased is ⌊n⌋ + bias as an integer: from the sum that n is left of, where it has one of the biases, else from one made here.
// Shifts by 23 drop the sum's other bits.
func biased(b *builder, n float) (sum integ, bias float64) {
	if s := b.recipe.Steps[n]; s.Op == Sub {
		unit := &b.recipe.Steps[s.Args[1]]
		for _, bias := range []float64{scaleBias, downBias} {
			switch {
			case unit.Op != ConstFloat:
			case math.Float64frombits(unit.Bits) == magic+bias:
				return b.ToBits(float(s.Args[0])), bias
			case math.Float64frombits(unit.Bits) == sixteenth+bias:
				return b.Shr(b.ToBits(float(s.Args[0])), b.Int(4)), bias
			}
		}
	}
	return b.Shr(b.ToBits(b.Add(n, b.Const(sixteenth+scaleBias))), b.Int(4)), scaleBias
}

// split is x as m * 2**e: see Mantissa and Exponent. Where e is no number, m is 1 or has another sign than it should.
func split(b *builder, x float) (m, e float) {
	if b.double() {
		m, e = splitDouble(b, x)
	} else {
		m, e = splitSingle(b, x)
	}
	e = b.If(b.Less(x, b.Inf()), e, x)
	return m, b.If(b.LessEqual(x, b.Const(0)), b.If(b.Less(x, b.Const(0)), b.FloatBits(noNumber), b.NegInf()), e)
}

// splitSingle is split for x > 0 that is not infinite.
func splitSingle(b *builder, x float) (m, e float) {
	subnormal := b.Less(x, b.Const(0x1p-126))
	normal := b.If(subnormal, b.Mul(x, b.Const(0x1p25)), x)
	place := logExponent(b, normal)
	m = b.FromBits(b.ISub(b.ToBits(normal), place))
	return m, b.FromInt(b.Sar(b.ISub(place, b.IfInt(subnormal, b.Int(25<<23), b.Int(0))), b.Int(23)))
}

// splitDouble is splitSingle of float64.
func splitDouble(b *builder, x float) (m, e float) {
	subnormal := b.Less(x, b.Const(0x1p-1022))
	normal := b.If(subnormal, b.Mul(x, b.Const(0x1p54)), x)
	bias := b.If(subnormal, b.Const(magicDouble+1023+54), b.Const(magicDouble+1023))
	place := logSplit64(b, normal)
	m = b.FromBits(b.IAdd(b.And(place, b.Int(1<<52-1)), b.Int(rootHalf64)))
	return m, exponent64(b, place, bias)
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
