package tensor

import (
	"slices"
	"testing"
)

// counted returns 0, 1, 2, … in the given shape.
func counted(sizes ...int) *Tensor {
	n, _ := Shape(sizes).NumEl()
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(i)
	}
	return FromSlice(s, sizes...)
}

func TestSliceClampsAsPython(t *testing.T) {
	x := counted(5)
	for _, c := range []struct {
		start, end, step int
		want             []float64
	}{
		{0, End, 1, []float64{0, 1, 2, 3, 4}},
		{1, 4, 1, []float64{1, 2, 3}},
		{-2, End, 1, []float64{3, 4}},
		{-9, -1, 1, []float64{0, 1, 2, 3}},
		{3, 1, 1, []float64{}},
		{7, 9, 1, []float64{}},
		{0, 9, 2, []float64{0, 2, 4}},
		{1, End, End, []float64{1}},
	} {
		y := x.Slice(0, c.start, c.end, c.step)
		if got := Values[float64](y); !slices.Equal(got, c.want) {
			t.Errorf("Slice(0, %d, %d, %d) = %v, want %v", c.start, c.end, c.step, got, c.want)
		}
		if !y.SharesStorage(x) {
			t.Errorf("Slice(0, %d, %d, %d) copied", c.start, c.end, c.step)
		}
	}
}

func TestPartsGiveTheirGradientToTheWhole(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(x *Tensor) []*Tensor
		want []float64 // of Σ (i+1)·part i
		grad string
	}{
		{"select", func(x *Tensor) []*Tensor { return []*Tensor{x.Select(1, -1)} }, []float64{0, 0, 1, 0, 0, 1}, "SelectBackward0"},
		{"at", func(x *Tensor) []*Tensor { return []*Tensor{x.At(1, 0)} }, []float64{0, 0, 0, 1, 0, 0}, "SelectBackward0"},
		{"slice", func(x *Tensor) []*Tensor { return []*Tensor{x.Slice(1, 0, End, 2)} }, []float64{1, 0, 1, 1, 0, 1}, "SliceBackward0"},
		{"narrow", func(x *Tensor) []*Tensor { return []*Tensor{x.Narrow(1, -2, 2)} }, []float64{0, 1, 1, 0, 1, 1}, "SliceBackward0"},
		{"split", func(x *Tensor) []*Tensor { return x.Split(2, 1) }, []float64{1, 1, 2, 1, 1, 2}, "SplitBackward0"},
		{"split sizes", func(x *Tensor) []*Tensor { return x.SplitSizes([]int{1, 0, 2}, -1) }, []float64{1, 3, 3, 1, 3, 3}, "SplitWithSizesBackward0"},
		{"chunk", func(x *Tensor) []*Tensor { return x.Chunk(2, 0) }, []float64{1, 1, 1, 2, 2, 2}, "SplitBackward0"},
		{"unbind", func(x *Tensor) []*Tensor { return x.Unbind(1) }, []float64{1, 2, 3, 1, 2, 3}, "UnbindBackward0"},
		{"overlapping", func(x *Tensor) []*Tensor { return []*Tensor{x.Slice(1, 0, 2), x.Slice(1, 1, 3)} }, []float64{1, 3, 2, 1, 3, 2}, "SliceBackward0"},
	} {
		x := counted(2, 3).SetRequiresGrad(true)
		var sum *Tensor
		for i, p := range c.f(x) {
			if p.GradFn() != c.grad {
				t.Errorf("%s: grad_fn %s, want %s", c.name, p.GradFn(), c.grad)
			}
			p = p.MulScalar(float64(i + 1)).Sum()
			if sum != nil {
				p = sum.Add(p)
			}
			sum = p
		}
		sum.Backward()
		if got := Values[float64](x.Grad()); !slices.Equal(got, c.want) {
			t.Errorf("%s: gradient %v, want %v", c.name, got, c.want)
		}
	}
}

// A gradient that is pending with other readers must not be changed in place by a part.
func TestPartGradientLeavesSharedGradientAlone(t *testing.T) {
	x, z := counted(3).SetRequiresGrad(true), counted(3).SetRequiresGrad(true)
	y := x.Add(z) // hands one gradient to both
	y.Add(x.Slice(0, 0, 1).Expand(3)).Sum().Backward()
	if got, want := Values[float64](x.Grad()), []float64{4, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("gradient of x %v, want %v", got, want)
	}
	if got, want := Values[float64](z.Grad()), []float64{1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("gradient of z %v, want %v", got, want)
	}
}

func TestChunkSizes(t *testing.T) {
	for _, c := range []struct {
		n, chunks int
		want      []int
	}{
		{16, 3, []int{6, 6, 4}}, {10, 3, []int{4, 4, 2}}, {5, 4, []int{2, 2, 1}}, {9, 4, []int{3, 3, 3}},
		{1, 2, []int{1}}, {0, 2, []int{0, 0}}, {3, End, []int{1, 1, 1}},
	} {
		var got []int
		for _, p := range counted(c.n).Chunk(c.chunks, 0) {
			got = append(got, p.Size(0))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d in %d chunks: %v, want %v", c.n, c.chunks, got, c.want)
		}
	}
}
