package program

import (
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// widener is a device whose products of halves give float32, to which they may add.
type widener struct{ device }

func (d *widener) Takes(op.Op, dtype.DType, int, dtype.DType) bool { return false }
func (d *widener) Gives(o op.Op, dt dtype.DType, _ int, as dtype.DType) bool {
	return o == op.MM && dt == dtype.BFloat16 && as == dtype.Float32
}

// TestProductsAreWidened looks at which casts of a product's result it does itself.
func TestProductsAreWidened(t *testing.T) {
	for _, tc := range []struct {
		name  string
		write func(call func(o op.Op, out string, in ...string))
		kept  []string
		calls int
		gives dtype.DType // of the product
		adds  bool
	}{
		{"a result that is asked for", func(call func(o op.Op, out string, in ...string)) {
			call(op.Copy, "B", "b")
		}, []string{"B"}, 1, dtype.Float32, false},
		{"one that is added to a residual", func(call func(o op.Op, out string, in ...string)) {
			call(op.Copy, "B", "b")
			call(op.Add, "C", "A", "B")
		}, []string{"C"}, 1, dtype.Float32, true},
		{"one that an op takes, which casts it by itself", func(call func(o op.Op, out string, in ...string)) {
			call(op.Copy, "B", "b")
			call(op.Exp, "C", "B")
		}, []string{"C"}, 3, dtype.BFloat16, false},
		{"halves that are asked for too", func(call func(o op.Op, out string, in ...string)) {
			call(op.Copy, "B", "b")
		}, []string{"b", "B"}, 2, dtype.BFloat16, false},
		{"halves that are read besides", func(call func(o op.Op, out string, in ...string)) {
			call(op.Copy, "B", "b")
			call(op.Exp, "c", "b")
		}, []string{"B", "c"}, 3, dtype.BFloat16, false},
		{"a residual that changes before", func(call func(o op.Op, out string, in ...string)) {
			call(op.Copy, "B", "b")
			call(op.Exp, "A", "A")
			call(op.Add, "C", "A", "B")
		}, []string{"C"}, 4, dtype.BFloat16, false},
	} {
		s := &script{named: map[string]*Slot{}}
		view := func(name string) backend.View { // small letters are of halves
			v := backend.View{Buf: s.slot(name), Layout: layout.Fresh(2, 4), DType: dtype.Float32}
			if name >= "a" {
				v.DType = dtype.BFloat16
			}
			return v
		}
		call := func(o op.Op, out string, in ...string) {
			c := &Call{Op: o, DType: view(out).DType, Out: []backend.View{view(out)}}
			for _, name := range in {
				c.In = append(c.In, view(name))
			}
			s.calls = append(s.calls, c)
		}
		call(op.MM, "b", "a", "a")
		tc.write(call)
		asked := []*Slot{s.slot("a"), s.slot("A")}
		for _, name := range tc.kept {
			asked = append(asked, s.slot(name))
		}
		d := new(widener)
		calls := widened(s.calls, asked, d, d)
		p := calls[0]
		if len(calls) != tc.calls || p.Out[0].DType != tc.gives || (p.Epilogue != nil) != tc.adds {
			t.Errorf("%s: %d calls, the product gives %s and adds %v, want %d, %s and %v", tc.name, len(calls), p.Out[0].DType, p.Epilogue != nil, tc.calls, tc.gives, tc.adds)
		}
	}
}
