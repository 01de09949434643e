package program

import (
	"slices"
	"strconv"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// batcher is a device that computes regions of one op at once, at most three.
type batcher struct {
	device
	launches []int // of each launch, how many regions it computes
}

// batch is regions that run at once.
type batch struct {
	on      *batcher
	regions []*backend.Region
}

func (d *batcher) Fuse(r *backend.Region) (backend.Fused, error) {
	return batch{d, []*backend.Region{r}}, nil
}

func (d *batcher) Key(f backend.Fused) (key string) {
	for _, s := range f.(batch).regions[0].Steps {
		key += s.Op.String() + " "
	}
	return key
}

func (d *batcher) Batch(all []backend.Fused) backend.Fused {
	b := batch{on: d}
	for _, f := range all {
		b.regions = append(b.regions, f.(batch).regions...)
	}
	if len(b.regions) > 3 {
		return nil
	}
	return b
}

func (b batch) Run(out, in []backend.View) error {
	b.on.launches = append(b.on.launches, len(b.regions))
	return nil
}

// TestBatches counts what runs at once.
func TestBatches(t *testing.T) {
	for _, tc := range []struct {
		name        string
		write       func(s *script)
		given, kept []string
		want        []int // regions of each launch
		calls       int
	}{
		{"what is given, before it is needed", func(s *script) {
			s.then(op.Exp, "c", "a")
			s.then(op.Sub, "d", "c", "a")
			s.then(op.Exp, "e", "b")
			s.then(op.Sub, "f", "e", "d")
		}, []string{"a", "b"}, []string{"c", "d", "e", "f"}, []int{2}, 2},
		{"what nobody reads yet, later", func(s *script) {
			s.then(op.Sub, "c", "a", "b")
			s.then(op.Exp, "d", "c")
			s.then(op.Sub, "e", "b", "a")
			s.then(op.Exp, "f", "e")
		}, []string{"a", "b"}, []string{"c", "d", "e", "f"}, []int{2}, 2},
		{"what depends on the other", func(s *script) {
			s.then(op.Exp, "c", "a")
			s.then(op.Sub, "d", "c", "a")
			s.then(op.Exp, "e", "d")
		}, []string{"a"}, []string{"e"}, nil, 3},
		{"what changes the other's operand", func(s *script) {
			s.then(op.Exp, "c", "a")
			s.then(op.Sub, "d", "b", "c")
			s.then(op.Sub, "a", "c", "b")
			s.then(op.Exp, "e", "a")
		}, []string{"a", "b"}, []string{"d", "e"}, nil, 4},
		{"other steps", func(s *script) {
			s.then(op.Exp, "c", "a")
			s.then(op.Sub, "d", "a", "b")
			s.then(op.Tanh, "e", "b")
		}, []string{"a", "b"}, []string{"c", "d", "e"}, nil, 3},
		{"at most three", func(s *script) {
			for n, in := range []string{"a", "b", "c", "d", "e"} {
				if s.then(op.Exp, []string{"p", "q", "r", "s", "t"}[n], in); n == 2 {
					s.then(op.Sub, "h", "a", "b")
				}
			}
		}, []string{"a", "b", "c", "d", "e"}, []string{"p", "q", "r", "s", "t", "h"}, []int{3, 2}, 1},
	} {
		d, s := new(batcher), &script{named: map[string]*Slot{}}
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
		if _, err := p.Run(d, given); err != nil {
			t.Fatal(err)
		}
		joined := slices.DeleteFunc(d.launches, func(n int) bool { return n == 1 })
		if !slices.Equal(joined, tc.want) || d.calls != tc.calls {
			t.Errorf("%s: launches of %v regions and %d calls, want %v and %d", tc.name, joined, d.calls, tc.want, tc.calls)
		}
	}
}

// TestBatchesNeedNoMoreMemory has each of eight products followed by what could wait for the last one, where only that would hold all products
// at once.
func TestBatchesNeedNoMoreMemory(t *testing.T) {
	d, s := new(batcher), &script{named: map[string]*Slot{}}
	view := func(name string, n int) backend.View {
		if s.named[name] == nil {
			s.named[name] = s.Slot(4 * n)
		}
		return backend.View{Buf: s.named[name], Layout: layout.Fresh(n), DType: dtype.Float32}
	}
	var kept []*Slot
	for n := range 8 {
		large, head, small := view("large"+strconv.Itoa(n), 1000), view("large"+strconv.Itoa(n), 1000), view("small"+strconv.Itoa(n), 2)
		head.Layout = layout.Fresh(2)
		s.calls = append(s.calls,
			&Call{Op: op.Sub, DType: dtype.Float32, Out: []backend.View{large}, In: []backend.View{view("a", 1000), view("a", 1000)}},
			&Call{Op: op.Exp, DType: dtype.Float32, Out: []backend.View{small}, In: []backend.View{head}})
		kept = append(kept, s.named["small"+strconv.Itoa(n)])
	}
	p := s.Program(d, s.calls, []*Slot{s.named["a"]}, kept)
	if _, err := p.Run(d, []Place{{Buf: new(memory)}}); err != nil {
		t.Fatal(err)
	}
	if d.calls != 16 || len(d.launches) > 0 || p.peak() > 4100 {
		t.Errorf("%d calls and launches of %v regions in %d bytes, want none at once", d.calls, d.launches, p.peak())
	}
}
