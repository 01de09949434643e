package recipe

import "fmt"

// An Update is a step of an optimizer for one element: the parameter and what is kept of it are replaced by what their old values
// and the gradient make. Of a row are generated the op, its loops in Go and assembly, and its kernel.
type Update struct {
	Op, Name string // the op's constant; its name in messages and kernels
	Doc      string
	State    []string // what is kept of the parameter
	Numbers  []string // what is the same for all elements: fields of package op's Update
	Step     func(u updating)
}

// updating is what an update is written with: p is the parameter, g the gradient with its sign and its weight decay.
type updating struct {
	description
	row     *Update
	p, g    float
	numbers map[string]float
}

// Updates returns the table of updates.
func Updates() []*Update {
	var all []*Update
	for i := range updates {
		all = append(all, &updates[i])
	}
	return all
}

// of is a number that is the same for all elements, and old what was kept under a name.
func (u updating) of(number string) float { return u.numbers[number] }

func (u updating) old(state string) float {
	for n, name := range u.row.State {
		if name == state {
			return u.Param(n + 2)
		}
	}
	panic(fmt.Sprintf("%s keeps no %s", u.row.Op, state))
}

// keep replaces what is kept under a name.
func (u updating) keep(state string, v float) { u.write(state, Own, Ref(v)) }

// move adds to the parameter, which is the first that a step writes.
func (u updating) move(p, by float) {
	u.write("p", Own, Ref(u.Add(p, by)))
}

// blended is what is kept under a name, moved towards v by a part of the way.
func (u updating) blended(state string, v, part float) float {
	old := u.old(state)
	return u.Add(old, u.Mul(part, u.Sub(v, old)))
}

// averaged is a share of what is kept under a name, and of v² the rest.
func (u updating) averaged(state string, v float) float {
	return u.Add(u.Mul(u.old(state), u.of("share")), u.Mul(u.of("rest"), u.Mul(v, v)))
}

// larger is the larger of two numbers, NaN where either is.
func (u updating) larger(x, y float) float { return u.If(u.Either(u.Less(x, y), u.IsNaN(y)), y, x) }

// loop is the update as a loop. Its gradient has a sign, and a share of the parameter where decay is not 0: a product with 0 would
// make NaN of infinity.
func (r *Update) loop() *Loop {
	d := describe(r.Op, r.Doc, floats, append([]string{"p", "grad"}, r.State...)...)
	u := updating{description: d, row: r, p: d.Param(0), numbers: map[string]float{}}
	for _, name := range r.Numbers {
		u.numbers[name] = d.scalar(name)
	}
	u.g = d.Mul(u.of("sign"), d.Param(1))
	if decay, ok := u.numbers["decay"]; ok {
		u.g = d.If(d.Equal(decay, d.Const(0)), u.g, d.Add(u.g, d.Mul(decay, u.p)))
	}
	r.Step(u)
	l := d.end(d.builder)
	if len(l.Dst) != 1+len(r.State) || l.Dst[0].Name != "p" {
		panic(fmt.Sprintf("%s: a step writes p and then its %d states", r.Op, len(r.State)))
	}
	return l
}

// updateLoops are the loops of all updates.
func updateLoops() []*Loop {
	var loops []*Loop
	for i := range updates {
		loops = append(loops, updates[i].loop())
	}
	return loops
}
