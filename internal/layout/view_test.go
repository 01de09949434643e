package layout

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A view of another shape has the same elements in the same order; it is refused only where no strides give that.
func TestViewKeepsElements(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		checkView(t, randomLayout(r), r)
	}
}

func FuzzView(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		r := rand.New(rand.NewPCG(a, b))
		checkView(t, randomLayout(r), r)
	})
}

func checkView(t *testing.T, l Layout, r *rand.Rand) {
	t.Helper()
	shape := randomShape(r, l.Size())
	want := offsets(l)
	v, ok := l.View(shape)
	switch {
	case ok && !v.Shape().Equal(shape):
		t.Fatalf("%+v as %v has shape %v", l, shape, v.Shape())
	case ok && !slices.Equal(offsets(v), want):
		t.Fatalf("%+v as %v has elements at %v, want %v", l, shape, offsets(v), want)
	case !ok && stridesExist(shape, want):
		t.Fatalf("%+v as %v was refused, but strides exist", l, shape)
	}
	if back, ok := v.View(l.Shape()); v.Shape() != nil && (!ok || !slices.Equal(offsets(back), want)) {
		t.Fatalf("%+v as %v and back has elements at %v, want %v", l, shape, offsets(back), want)
	}
	if v, ok := l.View(l.Shape()); !ok || !slices.Equal(offsets(v), want) {
		t.Fatalf("%+v as itself was refused or changed", l)
	}
}

// stridesExist reports whether elements at these offsets can be laid out under shape: each axis' stride is read off its
// second element.
func stridesExist(shape Shape, want []int) bool {
	if len(want) == 0 {
		return true
	}
	strides := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] > 1 {
			strides[i] = want[step] - want[0]
		}
		step *= shape[i]
	}
	return slices.Equal(offsets(Of(shape, strides, want[0])), want)
}

// Each view names the elements that its definition says, told by the offsets of the layout it was made from.
func TestViewsAgainstDefinitions(t *testing.T) {
	l := Of(Shape{2, 3, 4}, []int{1, 20, 4}, 5)
	at := func(i, j, k int) int { return 5 + i + 20*j + 4*k }
	for _, c := range []struct {
		name string
		got  Layout
		want []int
	}{
		{"transpose", l.Transpose(nil, 0, 2).Narrow(nil, 1, 1, 2, 1), []int{at(0, 1, 0), at(1, 1, 0), at(0, 1, 1), at(1, 1, 1), at(0, 1, 2), at(1, 1, 2), at(0, 1, 3), at(1, 1, 3)}},
		{"permute", l.Permute(nil, []int{2, 0, 1}).Select(nil, 0, 3), []int{at(0, 0, 3), at(0, 1, 3), at(0, 2, 3), at(1, 0, 3), at(1, 1, 3), at(1, 2, 3)}},
		{"narrow", l.Narrow(nil, 2, 1, 4, 2).Select(nil, 1, 2), []int{at(0, 2, 1), at(0, 2, 3), at(1, 2, 1), at(1, 2, 3)}},
		{"narrow to nothing", l.Narrow(nil, 2, 4, 4, 1), nil},
		{"huge step", l.Narrow(nil, 2, 1, 4, maxInt).Select(nil, 1, 0), []int{at(0, 0, 1), at(1, 0, 1)}},
		{"select", l.Select(nil, 0, 1).Select(nil, 0, 2), []int{at(1, 2, 0), at(1, 2, 1), at(1, 2, 2), at(1, 2, 3)}},
		{"unsqueeze", l.Unsqueeze(nil, 3).Select(nil, 0, 0).Select(nil, 0, 0), []int{at(0, 0, 0), at(0, 0, 1), at(0, 0, 2), at(0, 0, 3)}},
		{"diagonal", l.Diagonal(2, 1, 1).Select(nil, 0, 1), []int{at(1, 1, 0), at(1, 2, 1)}},
		{"diagonal below", l.Diagonal(2, 1, -2).Select(nil, 0, 0), []int{at(0, 0, 2), at(0, 1, 3)}},
		{"diagonal outside", l.Diagonal(0, 1, maxInt), nil},
		{"diagonal outside, below", l.Diagonal(0, 1, -maxInt-1), nil},
		{"unfold", l.Select(nil, 0, 1).Unfold(1, 2, 2).Select(nil, 0, 2), []int{at(1, 2, 0), at(1, 2, 1), at(1, 2, 2), at(1, 2, 3)}},
		{"unfold that overlaps", l.Select(nil, 0, 1).Select(nil, 0, 2).Unfold(0, 3, 1), []int{at(1, 2, 0), at(1, 2, 1), at(1, 2, 2), at(1, 2, 1), at(1, 2, 2), at(1, 2, 3)}},
		{"windows of nothing", l.Unfold(1, 0, 1), nil},
		{"expand", l.Select(nil, 2, 0).Select(nil, 0, 0).Narrow(nil, 0, 1, 2, 1).Expand(nil, Shape{2, 3}), []int{at(0, 1, 0), at(0, 1, 0), at(0, 1, 0), at(0, 1, 0), at(0, 1, 0), at(0, 1, 0)}},
	} {
		if got := offsets(c.got); !slices.Equal(got, c.want) {
			t.Errorf("%s has elements at %v, want %v", c.name, got, c.want)
		}
	}
}

// What a layout says about itself agrees with where its elements lie.
func TestLayoutTellsTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 3000 {
		l := randomLayout(r)
		at := offsets(l)
		if l.Size() != len(at) {
			t.Fatalf("%+v has size %d, want %d", l, l.Size(), len(at))
		}
		rising := true
		for i, o := range at {
			rising = rising && o == l.Offset+i
		}
		if l.IsContiguous() != rising {
			t.Fatalf("%+v is contiguous: %v, want %v", l, l.IsContiguous(), rising)
		}
		if uniform := len(at) > 0 && slices.Min(at) == slices.Max(at); l.IsUniform() != uniform {
			t.Fatalf("%+v is uniform: %v, want %v", l, l.IsUniform(), uniform)
		}
		span := 0
		if len(at) > 0 {
			span = slices.Max(at) - l.Offset + 1
		}
		if l.Span() != span {
			t.Fatalf("%+v spans %d, want %d", l, l.Span(), span)
		}
		if p := l.Packed(); !p.IsContiguous() || p.Offset != 0 || !p.Shape().Equal(l.Shape()) {
			t.Fatalf("%+v packed is %+v", l, p)
		}
		if len(at) == 0 && l.Offset != 0 {
			t.Fatalf("%+v has no elements and an offset", l)
		}
	}
}

func TestInverses(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		l := randomLayout(r)
		if l.Rank() == 0 {
			continue
		}
		want := offsets(l)
		a, b := r.IntN(l.Rank()), r.IntN(l.Rank())
		order := r.Perm(l.Rank())
		back := make([]int, len(order))
		for i, k := range order {
			back[k] = i
		}
		for name, got := range map[string]Layout{
			"transpose": l.Transpose(nil, a, b).Transpose(nil, a, b),
			"permute":   l.Permute(nil, order).Permute(nil, back),
			"unsqueeze": l.Unsqueeze(nil, a).Squeeze(nil, 1<<a),
			"expand":    l.Unsqueeze(nil, 0).Expand(nil, append(Shape{3}, l.Shape()...)).Select(nil, 0, 2),
			"narrow":    l.Narrow(nil, a, 0, l.Shape()[a], 1),
		} {
			if !got.Shape().Equal(l.Shape()) || !slices.Equal(offsets(got), want) {
				t.Fatalf("%s of %+v does not come back: %+v", name, l, got)
			}
		}
	}
}

func TestAxis(t *testing.T) {
	for _, c := range []struct {
		axis, rank, want int
		err              string
	}{
		{0, 2, 0, ""}, {1, 2, 1, ""}, {-1, 2, 1, ""}, {-2, 2, 0, ""}, {0, 0, 0, ""}, {-1, 0, 0, ""},
		{2, 2, 0, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
		{-3, 2, 0, "Dimension out of range (expected to be in range of [-2, 1], but got -3)"},
		{3, 1, 0, "Dimension out of range (expected to be in range of [-1, 0], but got 3)"},
		{1, 0, 0, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"},
	} {
		got, err := Axis(c.axis, c.rank)
		if got != c.want || (err == nil) != (c.err == "") || (err != nil && err.Error() != c.err) {
			t.Errorf("Axis(%d, %d) = %d, %v, want %d, %q", c.axis, c.rank, got, err, c.want, c.err)
		}
	}
}
