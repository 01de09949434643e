package program

import (
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// device counts what a program allocates and runs. It computes nothing.
type device struct {
	backend.Backend
	now, peak, calls int
	regions          []*backend.Region
}

type memory struct{ bytes int }

func (m *memory) Size() int { return m.bytes }

func (d *device) Alloc(bytes int) (backend.Buffer, error) {
	d.now++
	d.peak = max(d.peak, d.now)
	return &memory{bytes}, nil
}
func (d *device) Free(backend.Buffer)               { d.now-- }
func (d *device) Run(*backend.Call) error           { d.calls++; return nil }
func (d *device) Fuses(c *backend.Call) bool        { return c.Op != op.Sub }
func (d *device) Joins(o op.Op, _ dtype.DType) bool { return o == op.MM }
func (d *device) Fuse(r *backend.Region) (backend.Fused, error) {
	d.regions = append(d.regions, r)
	return nothing{}, nil
}

// script builds calls over vectors, which are named by letters.
type script struct {
	Builder
	named map[string]*Slot
	calls []*Call
}

func (s *script) slot(name string) *Slot {
	if s.named[name] == nil {
		s.named[name] = s.Slot(32)
	}
	return s.named[name]
}

func (s *script) view(name string) backend.View {
	return backend.View{Buf: s.slot(name[:1]), Layout: layouts[name[1:]], DType: dtype.Float32}
}

// layouts of operands, by what stands behind their names: "" for 8 elements, "r" for the last of them
// alone, "2" for two rows, "h", "m" and "t" for four from the first, the third and the fifth on.
var layouts = map[string]*layout.Layout{
	"": layout.Fresh(8), "r": new(layout.Of(layout.Shape{8}, []int{0}, 7)), "2": layout.Fresh(2, 4),
	"h": new(layout.Of(layout.Shape{4}, []int{1}, 0)), "m": new(layout.Of(layout.Shape{4}, []int{1}, 2)), "t": new(layout.Of(layout.Shape{4}, []int{1}, 4)),
}

// fill adds a call that fills with zeros.
func (s *script) fill(out string) {
	s.calls = append(s.calls, &Call{Op: op.Fill, DType: dtype.Float32, Out: []backend.View{s.view(out)}, In: []backend.View{{DType: dtype.Float32}}})
}

// then adds a call: an op, its result, and its operands.
func (s *script) then(o op.Op, out string, in ...string) {
	c := &Call{Op: o, DType: dtype.Float32, Out: []backend.View{s.view(out)}}
	for _, name := range in {
		c.In = append(c.In, s.view(name))
	}
	s.calls = append(s.calls, c)
}

// TestRegions counts the steps of regions, what they store, and what is allocated.
func TestRegions(t *testing.T) {
	for _, tc := range []struct {
		name   string
		write  func(s *script)
		given  []string
		kept   []string
		steps  []int // of each region
		stores []int
		calls  int // that are in no region
		peak   int
	}{
		{"a chain", func(s *script) {
			s.then(op.Exp, "b", "a")
			s.then(op.Tanh, "c", "b")
			s.then(op.Add, "d", "c", "a")
		}, []string{"a"}, []string{"d"}, []int{3}, []int{1}, 0, 1},
		{"what is kept is stored", func(s *script) {
			s.then(op.Exp, "b", "a")
			s.then(op.Tanh, "c", "b")
		}, []string{"a"}, []string{"b", "c"}, []int{2}, []int{2}, 0, 2},
		{"another call between", func(s *script) {
			s.then(op.Exp, "b", "a")
			s.then(op.Tanh, "b", "b")
			s.then(op.Sub, "c", "b", "a")
			s.then(op.Exp, "d", "c")
			s.then(op.Add, "e", "d", "b")
		}, []string{"a"}, []string{"e"}, []int{2, 2}, []int{1, 1}, 1, 3},
		{"a region moves to where it is read", func(s *script) {
			s.then(op.Exp, "b", "a")
			s.then(op.Sub, "c", "a", "a")
			s.then(op.Tanh, "d", "c")
			s.then(op.Add, "e", "d", "b")
		}, []string{"a"}, []string{"e"}, []int{3}, []int{1}, 1, 2},
		{"not past a change of what it reads", func(s *script) {
			s.then(op.Exp, "b", "a")
			s.then(op.Sub, "a", "a", "a")
			s.then(op.Tanh, "d", "a")
			s.then(op.Add, "e", "d", "b")
		}, []string{"a"}, []string{"e"}, []int{2}, []int{1}, 2, 2},
		{"what is read in another order", func(s *script) {
			s.then(op.Exp, "b", "a")
			s.then(op.Tanh, "c", "br")
		}, []string{"a"}, []string{"c"}, nil, nil, 2, 2},
		{"what is written over", func(s *script) {
			s.then(op.Tanh, "c", "ar")
			s.then(op.Exp, "a", "c")
		}, []string{"a"}, []string{"c"}, nil, nil, 2, 1},
		{"another shape of the same elements", func(s *script) {
			s.then(op.Exp, "b2", "a2")
			s.then(op.Tanh, "c", "b")
		}, []string{"a"}, []string{"c"}, []int{2}, []int{1}, 0, 1},
		{"zeros that parts are written over", func(s *script) {
			s.fill("b")
			s.then(op.Copy, "bh", "ah")
			s.then(op.Add, "bt", "bt", "at")
		}, []string{"a"}, []string{"b"}, []int{2}, []int{2}, 0, 1},
		{"zeros of which some stay", func(s *script) {
			s.fill("b")
			s.then(op.Add, "bt", "bt", "at")
		}, []string{"a"}, []string{"b"}, nil, nil, 2, 1},
		{"zeros that are read", func(s *script) {
			s.fill("b")
			s.then(op.Sub, "c", "b", "a")
			s.then(op.Copy, "bh", "ah")
			s.then(op.Add, "bt", "bt", "at")
		}, []string{"a"}, []string{"b", "c"}, []int{2}, []int{2}, 2, 2},
		{"parts that overlap", func(s *script) {
			s.then(op.Exp, "bh", "ah")
			s.then(op.Tanh, "bm", "ah")
		}, []string{"a"}, []string{"b"}, nil, nil, 2, 1},
		{"a product and a residual", func(s *script) {
			s.then(op.MM, "c", "a", "b")
			s.then(op.Add, "d", "a", "c")
		}, []string{"a", "b"}, []string{"d"}, nil, nil, 1, 1},
		{"a product that is read elsewhere", func(s *script) {
			s.then(op.MM, "c", "a", "b")
			s.then(op.Add, "d", "a", "c")
			s.then(op.Sub, "e", "c", "d")
		}, []string{"a", "b"}, []string{"e"}, nil, nil, 3, 3},
		{"a product and what comes later", func(s *script) {
			s.then(op.MM, "c", "a", "b")
			s.then(op.Sub, "d", "a", "b")
			s.then(op.Add, "e", "d", "c")
		}, []string{"a", "b"}, []string{"e"}, nil, nil, 3, 3},
	} {
		d, s := new(device), &script{named: map[string]*Slot{}}
		tc.write(s)
		slots := func(names []string) (all []*Slot) {
			for _, n := range names {
				all = append(all, s.slot(n))
			}
			return all
		}
		p := s.Program(d, s.calls, slots(tc.given), slots(tc.kept))
		given := make([]Place, len(tc.given))
		for i := range given {
			given[i].Buf = new(memory)
		}
		var steps, stores []int
		for _, r := range d.regions {
			steps, stores = append(steps, len(r.Steps)), append(stores, len(r.Out))
		}
		for i := range p.items {
			if p.items[i].fused != nil {
				p.items[i].fused = nothing{}
			}
		}
		if _, err := p.Run(d, given); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(steps, tc.steps) || !slices.Equal(stores, tc.stores) || d.calls != tc.calls {
			t.Errorf("%s: regions of %v steps, which store %v, and %d calls, want %v, %v and %d", tc.name, steps, stores, d.calls, tc.steps, tc.stores, tc.calls)
		}
		if d.peak != tc.peak || d.now != len(tc.kept)-overlap(tc.given, tc.kept) {
			t.Errorf("%s: %d buffers at most, %d in the end, want %d and what is kept", tc.name, d.peak, d.now, tc.peak)
		}
	}
}

// overlap counts the names that are in both.
func overlap(a, b []string) (n int) {
	for _, name := range a {
		if slices.Contains(b, name) {
			n++
		}
	}
	return n
}

// nothing is a region that computes nothing.
type nothing struct{}

func (nothing) Run([]backend.View, []backend.View) error { return nil }
