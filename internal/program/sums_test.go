package program

import (
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// summer is a device whose regions have sums.
type summer struct{ batcher }

func (d *summer) Sums(*backend.Call) bool { return true }

// sum adds a call that sums the columns of eight elements, seen as rows of four.
func (s *script) sum(out, in string) {
	s.calls = append(s.calls, &Call{
		Op: op.SumAxes, DType: dtype.Float32, Params: op.Reduce{Axes: 1}, Out: []backend.View{s.view(out + "h")}, In: []backend.View{s.view(in + "2")},
	})
}

// TestSumsJoinRegions looks at the regions of calls with sums among them.
func TestSumsJoinRegions(t *testing.T) {
	for _, tc := range []struct {
		name  string
		write func(s *script)
		kept  []string
		want  [][3]int // of each region: steps, stores and sums
	}{
		{"of what is computed", func(s *script) {
			s.then(op.Exp, "b", "a")
			s.sum("c", "b")
		}, []string{"b", "c"}, [][3]int{{1, 1, 1}}},
		{"of what nobody else reads", func(s *script) {
			s.then(op.Exp, "b", "a")
			s.sum("c", "b")
		}, []string{"c"}, [][3]int{{1, 0, 1}}},
		{"of what is read", func(s *script) {
			s.sum("c", "a")
			s.then(op.Exp, "b", "a")
		}, []string{"b", "c"}, [][3]int{{1, 1, 1}}},
		{"alone", func(s *script) { s.sum("c", "a") }, []string{"c"}, [][3]int{{0, 0, 1}}},
		{"what reads a sum", func(s *script) {
			s.then(op.Exp, "b", "a")
			s.sum("c", "b")
			s.then(op.Tanh, "dh", "ch")
		}, []string{"d"}, [][3]int{{1, 0, 1}, {1, 1, 0}}},
		{"what writes over a sum", func(s *script) {
			s.sum("c", "a")
			s.then(op.Exp, "c", "a")
		}, []string{"c"}, [][3]int{{0, 0, 1}, {1, 1, 0}}},
		{"a sum over what is read", func(s *script) {
			s.then(op.Exp, "b", "a")
			s.sum("a", "b")
		}, []string{"a", "b"}, [][3]int{{1, 1, 0}, {0, 0, 1}}},
	} {
		d, s := new(summer), &script{named: map[string]*Slot{}}
		tc.write(s)
		var kept []*Slot
		for _, n := range tc.kept {
			kept = append(kept, s.slot(n))
		}
		var got [][3]int
		for _, it := range s.Program(d, s.calls, []*Slot{s.slot("a")}, kept).items {
			if it.piece != nil {
				r := it.piece.(batch).regions[0]
				got = append(got, [3]int{len(r.Steps), len(r.Out), len(r.Sums)})
			}
		}
		same := len(got) == len(tc.want)
		for i := range got {
			same = same && got[i] == tc.want[i]
		}
		if !same {
			t.Errorf("%s: regions of %v steps, stores and sums, want %v", tc.name, got, tc.want)
		}
	}
}
