package layout

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// pairs returns the offsets that a loop visits together, sorted.
func pairs(p *Loop) [][2]int {
	var all [][2]int
	for run := range p.Runs() {
		a, b := p.Start(0, run), p.Start(1, run)
		for range p.Inner() {
			all = append(all, [2]int{a, b})
			a, b = a+p.InnerStep(0), b+p.InnerStep(1)
		}
	}
	sortPairs(all)
	return all
}

func sortPairs(all [][2]int) {
	slices.SortFunc(all, func(a, b [2]int) int {
		if a[0] != b[0] {
			return a[0] - b[0]
		}
		return a[1] - b[1]
	})
}

// A loop visits each element once, with the offsets of its operands side by side.
func TestLoopVisitsEachElementOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 1000 {
		a := randomLayout(r)
		b := a
		for range 20 { // another layout of the same shape, where chance finds one
			if o := randomView(r, randomLayout(r)); o.Shape().Equal(a.Shape()) {
				b = o
				break
			}
		}
		if r.IntN(2) == 0 {
			b = Of(a.Shape(), ptr(Contiguous(a.Shape())).Strides(), 7)
		}
		var p Loop
		p.Init(&a, &b)
		var want [][2]int
		for i, at := range offsets(a) {
			want = append(want, [2]int{at, offsets(b)[i]})
		}
		sortPairs(want)
		if got := pairs(&p); !slices.Equal(got, want) {
			t.Fatalf("loop over %+v and %+v visits %v, want %v", a, b, got, want)
		}
	}
}

func TestLoopMerges(t *testing.T) {
	row := Contiguous(Shape{2, 3, 4})
	column := row.Permute(nil, []int{2, 1, 0})
	wide := Contiguous(Shape{1, 1, 4}).Expand(nil, Shape{2, 3, 4})
	for _, c := range []struct {
		name        string
		operands    []*Layout
		rank, inner int
	}{
		{"one contiguous", []*Layout{&row}, 1, 24},
		{"the same order of axes", []*Layout{&column, &column}, 1, 24},
		{"two orders of axes", []*Layout{&row, ptr(Contiguous(Shape{4, 3, 2}).Permute(nil, []int{2, 1, 0}))}, 3, 4},
		{"a broadcast row", []*Layout{&row, &wide}, 2, 4},
		{"a number", []*Layout{ptr(Contiguous(Shape{}))}, 1, 1},
	} {
		var p Loop
		p.Init(c.operands...)
		if p.Rank != c.rank || p.Inner() != c.inner {
			t.Errorf("%s: rank %d and runs of %d, want %d and %d", c.name, p.Rank, p.Inner(), c.rank, c.inner)
		}
	}
}

func ptr(l Layout) *Layout { return &l }

func BenchmarkLoopInit(b *testing.B) {
	x := Contiguous(Shape{8, 3, 32, 32})
	y := x.Permute(nil, []int{0, 2, 3, 1}).Permute(nil, []int{0, 3, 1, 2})
	var p Loop
	for b.Loop() {
		p.Init(&x, &y)
	}
}
