package program

import (
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// reducer is a device whose regions have reductions of rows.
type reducer struct{ batcher }

// Order is one for sums and another one for extremes.
func (d *reducer) Order(c *backend.Call) backend.RowOrder {
	return backend.RowOrder{Threads: 32, Group: 4, InTurn: c.Op == op.AMax}
}

// reduce adds a call that reduces rows of four of eight elements to one each.
func (s *script) reduce(o op.Op, out, in string) {
	s.calls = append(s.calls, &Call{
		Op: o, DType: dtype.Float32, Params: op.Reduce{Axes: 2}, Out: []backend.View{s.each(out)}, In: []backend.View{s.view(in + "2")},
	})
}

// each is a view of two elements, one for each row.
func (s *script) each(name string) backend.View {
	return backend.View{Buf: s.slot(name), Layout: layout.Fresh(2), DType: dtype.Float32}
}

// spread adds an op of x and of what there is one of for each row.
func (s *script) spread(o op.Op, out, x, each string) {
	v := s.each(each)
	v.Layout = new(layout.Of(layout.Shape{2, 4}, []int{1, 0}, 0))
	s.calls = append(s.calls, &Call{Op: o, DType: dtype.Float32, Out: []backend.View{s.view(out + "2")}, In: []backend.View{s.view(x + "2"), v}})
}

// TestReductionsJoinRegions looks at the regions of calls with reductions of rows among them.
func TestReductionsJoinRegions(t *testing.T) {
	for _, tc := range []struct {
		name  string
		write func(s *script)
		kept  []string
		want  [][3]int // of each region: steps, those of rows, and stores
	}{
		{"ops before, of rows and behind", func(s *script) {
			s.then(op.Exp, "b", "a")
			s.reduce(op.SumAxes, "c", "b")
			s.calls = append(s.calls, &Call{Op: op.Tanh, DType: dtype.Float32, Out: []backend.View{s.each("d")}, In: []backend.View{s.each("c")}})
			s.spread(op.Mul, "e", "b", "d")
		}, []string{"e"}, [][3]int{{4, 2, 1}}},
		{"a softmax", func(s *script) {
			s.then(op.Exp, "b2", "a2")
			s.calls = append(s.calls, &Call{Op: op.Softmax, DType: dtype.Float32, Params: op.Axis{Axis: 1}, Out: []backend.View{s.view("c2")}, In: []backend.View{s.view("b2")}})
			s.reduce(op.SumAxes, "d", "c")
		}, []string{"d"}, [][3]int{{3, 1, 1}}},
		{"a softmax along another axis", func(s *script) {
			s.then(op.Exp, "b2", "a2")
			s.calls = append(s.calls, &Call{Op: op.Softmax, DType: dtype.Float32, Params: op.Axis{Axis: 0}, Out: []backend.View{s.view("c2")}, In: []backend.View{s.view("b2")}})
		}, []string{"c"}, [][3]int{{1, 0, 1}}},
		{"what a row has is kept", func(s *script) {
			s.then(op.Exp, "b", "a")
			s.reduce(op.MeanAxes, "c", "b")
		}, []string{"c"}, [][3]int{{2, 1, 1}}},
		{"another order", func(s *script) {
			s.reduce(op.AMax, "b", "a")
			s.spread(op.Mul, "c", "a", "b")
			s.reduce(op.SumAxes, "d", "c")
		}, []string{"d"}, [][3]int{{2, 1, 1}, {1, 1, 1}}},
		{"over what it reads", func(s *script) { // a row is read again behind its sum
			s.reduce(op.SumAxes, "b", "a")
			s.spread(op.Mul, "a", "a", "b")
		}, []string{"a"}, [][3]int{{1, 1, 1}, {1, 0, 1}}},
		{"what was written over what it reads", func(s *script) {
			s.then(op.Exp, "a", "a")
			s.reduce(op.SumAxes, "b", "a")
		}, []string{"a", "b"}, [][3]int{{1, 0, 1}, {1, 1, 1}}},
		{"an element of each row of what is written", func(s *script) {
			s.then(op.Exp, "b", "a")
			s.reduce(op.SumAxes, "c", "b")
			v := s.view("b")
			v.Layout = new(layout.Of(layout.Shape{2}, []int{4}, 0))
			s.calls = append(s.calls, &Call{Op: op.Add, DType: dtype.Float32, Out: []backend.View{s.each("d")}, In: []backend.View{s.each("c"), v}})
		}, []string{"d"}, [][3]int{{1, 0, 1}, {2, 2, 1}}},
	} {
		d, s := new(reducer), &script{named: map[string]*Slot{}}
		tc.write(s)
		var kept []*Slot
		for _, n := range tc.kept {
			kept = append(kept, s.slot(n))
		}
		var got [][3]int
		for _, it := range s.Program(d, s.calls, []*Slot{s.slot("a")}, kept).items {
			if it.piece != nil {
				r, rows := it.piece.(batch).regions[0], 0
				for i := range r.Steps {
					if r.Steps[i].Row {
						rows++
					}
				}
				got = append(got, [3]int{len(r.Steps), rows, len(r.Out)})
			}
		}
		same := len(got) == len(tc.want)
		for i := range got {
			same = same && got[i] == tc.want[i]
		}
		if !same {
			t.Errorf("%s: regions of %v steps, steps of rows and stores, want %v", tc.name, got, tc.want)
		}
	}
}
