package emit

import (
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
	"cresset/internal/ptx"
)

// buffer stands for memory, which a kernel's text does not depend on.
type buffer struct{}

func (buffer) Size() int { return 0 }

// region is one step of an op on so many operands of a dtype, and one that adds its result to itself, over layouts.
func region(o op.Op, dt dtype.DType, to dtype.DType, layouts ...*layout.Layout) *backend.Region {
	r := &backend.Region{Shape: layouts[0].Shape()}
	s := backend.Step{Op: o, DType: dt, To: to}
	for i, l := range layouts {
		r.In = append(r.In, backend.View{Buf: buffer{}, Layout: l, DType: dt})
		s.From = append(s.From, i)
	}
	r.Steps = []backend.Step{s}
	r.Out = []backend.Store{{Step: 0, View: backend.View{Buf: buffer{}, Layout: layout.Fresh(r.Shape...), DType: to}}}
	return r
}

// TestEveryFormulaIsWritten has the interpreter read a kernel for each op and dtype that has a formula.
func TestEveryFormulaIsWritten(t *testing.T) {
	written := 0
	for _, o := range op.All() {
		for dt := dtype.Bool; dt < dtype.Count; dt++ {
			f := formulaOf(o, dt)
			if f == nil || strings.Contains(f.operands, "b") {
				continue
			}
			to := dt
			if f.result == 'b' {
				to = dtype.Bool
			}
			layouts := []*layout.Layout{layout.Fresh(8, 16), new(layout.Of(layout.Shape{8, 16}, []int{0, 1}, 0)), new(layout.Of(layout.Shape{8, 16}, []int{0, 0}, 0))}
			for _, aligned := range []bool{true, false} {
				k, err := New(region(o, dt, to, layouts[:len(f.operands)]...), aligned)
				if err != nil {
					t.Fatal(err)
				}
				m, err := ptx.Parse(o.String(), string(k.Text()))
				if err != nil {
					t.Fatalf("%s of %s: %v\n%s", o, dt, err, k.Text())
				}
				if words := len(k.AppendWords(nil, []uint64{0}, make([]uint64, len(f.operands)), make([][2]uint64, 1))); m.Kernels[k.Name()].ParamBytes != 8*words {
					t.Errorf("%s of %s: %d words for a parameter of %d bytes", o, dt, words, m.Kernels[k.Name()].ParamBytes)
				}
			}
			written++
		}
	}
	if written < 400 {
		t.Errorf("%d ops and dtypes have formulas, want 400 or more", written)
	}
}

// TestCastsAreWritten has the interpreter read a kernel for each pair of dtypes.
func TestCastsAreWritten(t *testing.T) {
	for from := dtype.Bool; from < dtype.Count; from++ {
		for to := dtype.Bool; to < dtype.Count; to++ {
			r := region(op.Copy, to, to, layout.Fresh(64))
			r.In[0].DType = from
			k, err := New(r, true)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ptx.Parse("cast", string(k.Text())); err != nil {
				t.Fatalf("from %s to %s: %v\n%s", from, to, err, k.Text())
			}
		}
	}
}

// TestKernelsAreSharedAcrossSizes wants one kernel for operands that lie alike, and others for others.
func TestKernelsAreSharedAcrossSizes(t *testing.T) {
	key := func(layouts ...*layout.Layout) string {
		k, err := New(region(op.Add, dtype.Float32, dtype.Float32, layouts...), true)
		if err != nil {
			t.Fatal(err)
		}
		return k.Key()
	}
	row := func(rows, columns int) *layout.Layout {
		return new(layout.Of(layout.Shape{rows, columns}, []int{0, 1}, 0))
	}
	if a, b := key(layout.Fresh(8, 16), row(8, 16)), key(layout.Fresh(32, 64), row(32, 64)); a != b {
		t.Errorf("%q and %q for two sizes", a, b)
	}
	different := map[string]string{}
	for name, k := range map[string]string{
		"without gaps": key(layout.Fresh(8, 16), layout.Fresh(8, 16)),
		"a row":        key(layout.Fresh(8, 16), row(8, 16)),
		"one element":  key(layout.Fresh(8, 16), new(layout.Of(layout.Shape{8, 16}, []int{0, 0}, 0))),
		"an odd row":   key(layout.Fresh(8, 15), row(8, 15)),
		"a column":     key(layout.Fresh(8, 16), new(layout.Of(layout.Shape{8, 16}, []int{1, 0}, 0))),
	} {
		if other, ok := different[k]; ok {
			t.Errorf("%s has the kernel of %s", name, other)
		}
		different[k] = name
	}
}

// TestBatchesAreWritten has the interpreter read kernels of several regions, whose parameters are those of each.
func TestBatchesAreWritten(t *testing.T) {
	row := new(layout.Of(layout.Shape{8, 16}, []int{0, 1}, 0))
	for _, layouts := range [][]*layout.Layout{{layout.Fresh(8, 16), layout.Fresh(8, 16)}, {layout.Fresh(8, 16), row}} {
		k, err := New(region(op.Add, dtype.Float32, dtype.Float32, layouts...), true)
		if err != nil {
			t.Fatal(err)
		}
		one := len(k.AppendWords(nil, []uint64{0}, make([]uint64, 2), make([][2]uint64, 1)))
		for n, pieces := range map[int]int{2: 2, 3: 4, k.MostPieces(): k.MostPieces()} {
			b := k.Batch(n)
			m, err := ptx.Parse("batch", string(b.Text()))
			if err != nil {
				t.Fatalf("%v\n%s", err, b.Text())
			}
			if got := m.Kernels[b.Name()].ParamBytes; b.Pieces != pieces || got != 8*one*pieces || got != b.ParamBytes() || got > mostParameters {
				t.Errorf("a kernel of %d has room for %d in %d bytes, want %d of %d words", n, b.Pieces, got, pieces, one)
			}
		}
		if a, b := k.Batch(5).Key(), k.Batch(8).Key(); a != b || a == k.Key() {
			t.Errorf("%q and %q for 5 and 8", a, b)
		}
	}
}

// TestRowsAreWritten has the interpreter read kernels that reduce rows, of each order, alone and in a batch, with the words of their parameters.
func TestRowsAreWritten(t *testing.T) {
	across := new(layout.Of(layout.Shape{8, 64}, []int{1, 0}, 0))
	for _, order := range []backend.RowOrder{{Threads: 8, Group: 1, InTurn: true}, {Threads: 8, Group: 4}, {Threads: 32, Group: 4}, {Threads: 128, Group: 4}, {Threads: 512, Group: 4}} {
		for _, o := range []op.Op{op.SumAxes, op.MeanAxes, op.AMax, op.AMin, op.Softmax, op.LogSoftmax} {
			for _, aligned := range []bool{true, false} {
				r := region(op.Mul, dtype.Float32, dtype.Float32, layout.Fresh(8, 64), across)
				s := backend.Step{Op: o, DType: dtype.Float32, From: []int{2}, To: dtype.Float32, Row: foldings[o] != noFold}
				l := layout.Fresh(8, 64)
				if s.Row {
					l = across
				}
				r.Steps, r.Order = append(r.Steps, s), order
				r.Out = append(r.Out, backend.Store{Step: 1, View: backend.View{Buf: buffer{}, Layout: l, DType: dtype.Float32}})
				k, err := New(r, aligned)
				if err != nil {
					t.Fatal(err)
				}
				words := len(k.AppendWords(nil, make([]uint64, 2), make([]uint64, 2), make([][2]uint64, 2)))
				for _, k := range []*Kernel{k, k.Batch(3)} {
					m, err := ptx.Parse(o.String(), string(k.Text()))
					if err != nil {
						t.Fatalf("%s, %v: %v\n%s", o, order, err, k.Text())
					}
					if got := m.Kernels[k.Name()].ParamBytes; got != 8*words*k.Pieces {
						t.Errorf("%s, %v: %d words for a parameter of %d bytes", o, order, words*k.Pieces, got)
					}
				}
			}
		}
	}
}
