package program

import (
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// placer is a device whose Sub leaves results anywhere.
type placer struct{ device }

func (d *placer) Places(o op.Op, _ dtype.DType, _ int) bool { return o == op.Sub }

// TestResultsArePlaced looks at where a call leaves results that copies put beside each other: [heads, tokens, size], whose memory is [tokens, heads,
// size], in halves of rows.
func TestResultsArePlaced(t *testing.T) {
	const heads, tokens, size = 2, 3, 4
	for _, tc := range []struct {
		name  string
		kept  []string
		other func(s *script, view func(name string) backend.View) // between call and copies
		calls int
	}{
		{"both", []string{"d"}, nil, 1},
		{"what is asked for stays", []string{"d", "b"}, nil, 2},
		{"what is read besides stays", []string{"d"}, func(s *script, view func(name string) backend.View) {
			s.calls = append(s.calls, &Call{Op: op.Exp, DType: dtype.Float32, Out: []backend.View{view("e")}, In: []backend.View{view("b")}})
		}, 3},
		{"what is written in between stays", []string{"d"}, func(s *script, view func(name string) backend.View) {
			all := view("d")
			all.Layout = layout.Fresh(2 * heads * tokens * size)
			s.calls = append(s.calls, &Call{Op: op.Exp, DType: dtype.Float32, Out: []backend.View{all}, In: []backend.View{all}})
		}, 4},
	} {
		s := &script{named: map[string]*Slot{}}
		view := func(name string) backend.View {
			return backend.View{Buf: s.slot(name), Layout: layout.Fresh(tokens, heads*size), DType: dtype.Float32}
		}
		made := func(name string) backend.View {
			v := view(name)
			v.Layout = new(layout.Of(layout.Shape{heads, tokens, size}, []int{size, heads * size, 1}, 0))
			return v
		}
		s.calls = append(s.calls, &Call{Op: op.Sub, DType: dtype.Float32, Out: []backend.View{made("b"), made("c")}, In: []backend.View{view("a")}})
		if tc.other != nil {
			tc.other(s, view)
		}
		for n, name := range []string{"b", "c"} {
			to := view("d")
			to.Layout = new(layout.Of(layout.Shape{tokens, heads * size}, []int{2 * heads * size, 1}, n*heads*size))
			s.calls = append(s.calls, &Call{Op: op.Copy, DType: dtype.Float32, Out: []backend.View{to}, In: []backend.View{view(name)}})
		}
		asked := []*Slot{s.slot("a")}
		for _, name := range tc.kept {
			asked = append(asked, s.slot(name))
		}
		calls := placed(s.calls, asked, new(placer))
		if len(calls) != tc.calls {
			t.Errorf("%s: %d calls, want %d", tc.name, len(calls), tc.calls)
		}
		for n, v := range calls[0].Out {
			if v.Buf == s.slot("d") && (v.Layout.Offset != n*heads*size || !slices.Equal(v.Layout.Strides(), []int{size, 2 * heads * size, 1})) {
				t.Errorf("%s: result %d goes to %v", tc.name, n, v.Layout)
			}
		}
	}
}
