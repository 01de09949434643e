package recipe

// expand returns the steps with those that not every target has in others' terms, and the results' new places: Scale
// becomes two products with powers of two.
func expand(steps []Step, results ...Ref) ([]Step, []Ref) {
	b := newBuilder("")
	renamed := make([]Ref, len(steps))
	for k, s := range steps {
		args := make([]Ref, len(s.Args))
		for n, a := range s.Args {
			args[n] = renamed[a]
		}
		if s.Op == Scale {
			renamed[k] = Ref(scaleTwice(b, float(args[0]), integ(args[1])))
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

// scaleTwice is x * 2**n for -252 < n < 254: in two steps, of which only the second can round.
func scaleTwice(b *builder, x float, n integ) float {
	half := b.Sar(n, b.Int(1))
	return b.Mul(b.Mul(x, powerOfTwo(b, half)), powerOfTwo(b, b.ISub(n, half)))
}

// expanded is the recipe in the operations that every target has.
func (r *Recipe) expanded() *Recipe {
	e := *r
	e.Steps, _ = expand(r.Steps, Ref(len(r.Steps)-1))
	return &e
}

// Expanded is the loop in the operations that every target has.
func (l *Loop) Expanded() *Loop {
	e := *l
	steps, places := expand(l.Steps, l.Ends()...)
	e.Steps = steps
	e.setEnds(places)
	return &e
}
