package layout

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestShapeText(t *testing.T) {
	for _, c := range []struct {
		shape Shape
		want  string
	}{{Shape{}, "torch.Size([])"}, {Shape{2}, "torch.Size([2])"}, {Shape{2, 0, 3}, "torch.Size([2, 0, 3])"}} {
		if got := c.shape.String(); got != c.want {
			t.Errorf("%d axes print as %q, want %q", len(c.shape), got, c.want)
		}
	}
}

func TestNumEl(t *testing.T) {
	const big = 1 << 40
	for _, c := range []struct {
		shape Shape
		n     int
		ok    bool
	}{
		{Shape{}, 1, true}, {Shape{2, 3}, 6, true}, {Shape{2, 0}, 0, true}, {Shape{big, big, 0}, 0, true}, {Shape{big, big}, 0, false},
	} {
		if n, ok := c.shape.NumEl(); n != c.n || ok != c.ok {
			t.Errorf("%v has %d elements, %v, want %d, %v", c.shape, n, ok, c.n, c.ok)
		}
	}
	huge := Contiguous(Shape{big, big})
	if got := huge.Size(); got != -1 {
		t.Errorf("a layout too large to count has size %d, want -1", got)
	}
}

// The cases that PyTorch's documentation of Tensor.to and its observed results name.
func TestPreservedStrides(t *testing.T) {
	for _, c := range []struct {
		name string
		l    Layout
		want []int
	}{
		{"a transposed matrix stays transposed", Contiguous(Shape{2, 3}).Transpose(nil, 0, 1), []int{1, 3}},
		{"gaps are squeezed out", Contiguous(Shape{4, 4}).Narrow(nil, 1, 0, 2, 1).Narrow(nil, 0, 0, 3, 1), []int{2, 1}},
		{"gaps are squeezed out of a transposed matrix", Contiguous(Shape{4, 4}).Narrow(nil, 1, 0, 2, 1).Transpose(nil, 0, 1), []int{1, 2}},
		{"steps too", Contiguous(Shape{6}).Narrow(nil, 0, 0, 6, 2), []int{1}},
		{"expanded axes become real", Contiguous(Shape{2, 1}).Expand(nil, Shape{2, 3}), []int{3, 1}},
		{"expanded axes in front", Contiguous(Shape{3}).Expand(nil, Shape{2, 3}), []int{3, 1}},
		{"other axes keep their order around an expanded one", Contiguous(Shape{2, 3, 1}).Permute(nil, []int{1, 0, 2}).Expand(nil, Shape{3, 2, 4}), []int{4, 12, 1}},
		{"images with channels last", Contiguous(Shape{2, 4, 4, 3}).Permute(nil, []int{0, 3, 1, 2}), []int{48, 1, 12, 3}},
		{"a selected index", Contiguous(Shape{2, 3, 4}).Select(nil, 1, 0), []int{4, 1}},
		{"a number", Contiguous(Shape{}), []int{}},
	} {
		if got := c.l.PreservedStrides(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Preserved strides fill a storage of the layout's size, each place once, and keep those of a layout that does so already.
func TestPreservedStridesFillTheCopy(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 3000 {
		l := randomLayout(r)
		strides := l.PreservedStrides()
		at := offsets(Of(l.Shape(), strides, 0))
		slices.Sort(at)
		for i, o := range at {
			if o != i {
				t.Fatalf("a copy of %+v with strides %v leaves place %d empty", l, strides, i)
			}
		}
		own := offsets(Of(l.Shape(), l.Strides(), 0))
		slices.Sort(own)
		if slices.Equal(own, at) && l.Size() > 0 && !slices.Equal(strides, l.Strides()) {
			t.Fatalf("a copy of %+v has strides %v, want its own", l, strides)
		}
	}
}
