package program

import (
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// caster is a device whose Sub takes and gives halves.
type caster struct{ device }

func (d *caster) Takes(o op.Op, _ dtype.DType, i int, as dtype.DType) bool {
	return o == op.Sub && i == 0 && as == dtype.BFloat16
}
func (d *caster) Gives(o op.Op, _ dtype.DType, i int, as dtype.DType) bool {
	return o == op.Sub && i == 0 && as == dtype.BFloat16
}

// TestCastsAreRecast looks at which casts beside a call it does itself.
func TestCastsAreRecast(t *testing.T) {
	for _, tc := range []struct {
		name        string
		write       func(s *script, call func(o op.Op, out string, in ...string))
		kept        string
		calls       int
		takes, give dtype.DType // of the Sub
	}{
		{"a result", func(_ *script, call func(o op.Op, out string, in ...string)) {
			call(op.Sub, "B", "A", "A")
			call(op.Copy, "c", "B")
		}, "c", 1, dtype.Float32, dtype.BFloat16},
		{"an operand", func(_ *script, call func(o op.Op, out string, in ...string)) {
			call(op.Copy, "B", "a")
			call(op.Sub, "C", "B", "A")
		}, "C", 1, dtype.BFloat16, dtype.Float32},
		{"both", func(_ *script, call func(o op.Op, out string, in ...string)) {
			call(op.Copy, "B", "a")
			call(op.Sub, "C", "B", "A")
			call(op.Copy, "d", "C")
		}, "d", 1, dtype.BFloat16, dtype.BFloat16},
		{"a result that is read besides", func(_ *script, call func(o op.Op, out string, in ...string)) {
			call(op.Sub, "B", "A", "A")
			call(op.Copy, "c", "B")
			call(op.Sub, "D", "B", "B")
		}, "c", 3, dtype.Float32, dtype.Float32},
		{"an operand that is read besides", func(_ *script, call func(o op.Op, out string, in ...string)) {
			call(op.Copy, "B", "a")
			call(op.Exp, "D", "B")
			call(op.Sub, "C", "B", "A")
		}, "C", 3, dtype.Float32, dtype.Float32},
		{"an operand whose source changes", func(_ *script, call func(o op.Op, out string, in ...string)) {
			call(op.Copy, "B", "a")
			call(op.Exp, "a", "a")
			call(op.Sub, "C", "B", "A")
		}, "C", 3, dtype.Float32, dtype.Float32},
		{"a result that is asked for", func(_ *script, call func(o op.Op, out string, in ...string)) {
			call(op.Sub, "B", "A", "A")
			call(op.Copy, "c", "B")
		}, "B", 2, dtype.Float32, dtype.Float32},
	} {
		s := &script{named: map[string]*Slot{}}
		view := func(name string) backend.View { // small letters are of halves
			v := backend.View{Buf: s.slot(name), Layout: layout.Fresh(8), DType: dtype.Float32}
			if name >= "a" {
				v.DType = dtype.BFloat16
			}
			return v
		}
		tc.write(s, func(o op.Op, out string, in ...string) {
			c := &Call{Op: o, DType: view(out).DType, Out: []backend.View{view(out)}}
			for _, name := range in {
				c.In = append(c.In, view(name))
			}
			s.calls = append(s.calls, c)
		})
		calls := recast(s.calls, []*Slot{s.slot("a"), s.slot("A"), s.slot(tc.kept)}, new(caster))
		if len(calls) != tc.calls {
			t.Errorf("%s: %d calls, want %d", tc.name, len(calls), tc.calls)
		}
		for _, c := range calls {
			if c.Op == op.Sub && (c.In[0].DType != tc.takes || c.Out[0].DType != tc.give) {
				t.Errorf("%s: of %s, gives %s, want %s and %s", tc.name, c.In[0].DType, c.Out[0].DType, tc.takes, tc.give)
			}
		}
	}
}
