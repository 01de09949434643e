package tensor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
)

// Views, joins and indexing are linear: whatever x, the gradient g of Σ w·f(x) has Σ g·x = Σ w·f(x), exactly but for
// rounding. So no finite differences are needed to test them.
var linearOps = []struct {
	name  string
	sizes []int
	f     func(x *Tensor) *Tensor
}{
	{"view", []int{2, 6}, func(x *Tensor) *Tensor { return x.Contiguous().View(3, -1) }},
	{"reshape", []int{2, 3, 4}, func(x *Tensor) *Tensor { return x.Transpose(0, 2).Reshape(6, 4) }},
	{"flatten", []int{2, 3, 4}, func(x *Tensor) *Tensor { return x.Flatten(1, -1) }},
	{"unflatten", []int{2, 6}, func(x *Tensor) *Tensor { return x.Unflatten(1, 3, -1) }},
	{"t", []int{2, 3}, func(x *Tensor) *Tensor { return x.T() }},
	{"transpose", []int{2, 3, 4}, func(x *Tensor) *Tensor { return x.Transpose(0, -1) }},
	{"permute", []int{2, 3, 4}, func(x *Tensor) *Tensor { return x.Permute(2, 0, 1) }},
	{"expand", []int{3, 1}, func(x *Tensor) *Tensor { return x.Expand(2, -1, 4) }},
	{"squeeze", []int{1, 3, 1}, func(x *Tensor) *Tensor { return x.Squeeze() }},
	{"squeeze axis", []int{1, 3, 1}, func(x *Tensor) *Tensor { return x.SqueezeAxis(0, 1) }},
	{"unsqueeze", []int{2, 3}, func(x *Tensor) *Tensor { return x.Unsqueeze(-2) }},
	{"slice", []int{5, 3}, func(x *Tensor) *Tensor { return x.Slice(0, 1, End, 2) }},
	{"select", []int{2, 3, 4}, func(x *Tensor) *Tensor { return x.Select(1, 2) }},
	{"at", []int{2, 3, 4}, func(x *Tensor) *Tensor { return x.At(1, -1, 2) }},
	{"empty slice", []int{2, 3}, func(x *Tensor) *Tensor { return x.Slice(1, 2, 2) }},
	{"cat", []int{2, 3}, func(x *Tensor) *Tensor { return Cat([]*Tensor{x, Ones(0), x.MulScalar(2), x.T().T()}, -1) }},
	{"stack", []int{2, 3}, func(x *Tensor) *Tensor { return Stack([]*Tensor{x, x}, -1) }},
	{"pad", []int{3, 4}, func(x *Tensor) *Tensor { return x.Pad([]int{-1, 2, 1, -1}, 0) }},
	{"index select", []int{3, 4}, func(x *Tensor) *Tensor { return x.IndexSelect(1, longs(3, 0, 3)) }},
	{"index select nothing", []int{3, 4}, func(x *Tensor) *Tensor { return x.IndexSelect(0, longs()) }},
	{"index select of one", nil, func(x *Tensor) *Tensor { return x.IndexSelect(0, longs(0)) }},
	{"index add to", []int{3, 2}, func(x *Tensor) *Tensor { return x.IndexAdd(0, longs(2, 2), Zeros(2, 2).To(x)) }},
	{"index add from", []int{3, 2}, func(x *Tensor) *Tensor { return Zeros(4, 2).To(x).IndexAdd(0, longs(2, 0, 2), x) }},
	{"gather", []int{2, 3, 2}, func(x *Tensor) *Tensor { return x.Gather(1, longs(2, 2, 0, 1, 1, 1).View(1, 3, 2)) }},
	{"gather scalar", nil, func(x *Tensor) *Tensor { return x.Gather(0, longs(0).View()) }},
	{"scatter add to", []int{3, 2}, func(x *Tensor) *Tensor {
		return x.ScatterAdd(0, longs(0, 2).View(1, 2), Zeros(1, 2).To(x))
	}},
	{"scatter add from", []int{3, 2}, func(x *Tensor) *Tensor {
		return Zeros(4, 2).To(x).ScatterAdd(0, longs(3, 1, 3, 0).View(2, 2), x)
	}},
	{"index", []int{4, 3}, func(x *Tensor) *Tensor { return x.Index(longs(-1, 0, -1)) }},
	{"index pairs", []int{4, 3}, func(x *Tensor) *Tensor { return x.Index(longs(3, 0).View(2, 1), longs(0, 2)) }},
	{"index second", []int{4, 3, 2}, func(x *Tensor) *Tensor { return x.Index(All, longs(2, 2)) }},
	{"index around", []int{4, 3, 2}, func(x *Tensor) *Tensor { return x.Index(longs(3, 0), All, longs(1, 1)) }},
	{"index mask", []int{2, 3}, func(x *Tensor) *Tensor {
		return x.Index(FromSlice([]bool{true, false, true, false, true, false}, 2, 3))
	}},
	{"index all", []int{2, 3}, func(x *Tensor) *Tensor { return x.Index(All, All) }},
	{"index truth", []int{2, 3}, func(x *Tensor) *Tensor { return x.Index(FromSlice([]bool{true}).View()) }},
	{"masked select", []int{3, 1}, func(x *Tensor) *Tensor { return x.MaskedSelect(FromSlice([]bool{true, false, true})) }},
	{"tril", []int{2, 3, 4}, func(x *Tensor) *Tensor { return x.Tril(1) }},
	{"triu", []int{4, 3}, func(x *Tensor) *Tensor { return x.Triu(-1) }},
	{"embedding", []int{4, 3}, func(x *Tensor) *Tensor { return Embedding(x, longs(3, 0, 3, 1).View(2, 2).Int()) }},
	{"split", []int{5, 2}, func(x *Tensor) *Tensor { p := x.Split(2, 0); return p[0].Mul(Ones(2, 2).To(x)).Add(p[1]) }},
}

func TestLinearOpsAreTheirGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(sizes ...int) *Tensor {
		x := Zeros(sizes...).Double()
		for i := range Data[float64](x) {
			Data[float64](x)[i] = r.NormFloat64()
		}
		return x
	}
	for _, c := range linearOps {
		for _, strided := range []bool{false, true} {
			x := random(c.sizes...)
			if strided {
				x = stridedCopy(x)
			}
			x = x.SetRequiresGrad(true)
			y := c.f(x)
			w := random(y.Shape()...)
			if strided {
				w = stridedCopy(w)
			}
			y.Backward(Gradient(w))
			got, want := dot(x.Grad(), x.Detach()), dot(w, y.Detach())
			if !x.Grad().Shape().Equal(x.Shape()) || !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("%s, strided %v: Σ g·x = %v, want Σ w·f(x) = %v", c.name, strided, got, want)
			}
		}
	}
}

// stridedCopy returns the same elements in a layout with gaps and axes in another order.
func stridedCopy(x *Tensor) *Tensor {
	if x.Dim() == 0 {
		return Stack([]*Tensor{x, x}, 0).Select(0, 1)
	}
	axes := make([]int, x.Dim())
	for i := range axes {
		axes[i] = len(axes) - 1 - i
	}
	y := x.Permute(axes...).Contiguous()
	return Stack([]*Tensor{y, y}, -1).Select(-1, 1).Permute(axes...)
}

func dot(a, b *Tensor) float64 {
	sum := 0.0
	for i, v := range Values[float64](a) {
		sum += v * Values[float64](b)[i]
	}
	return sum
}

// The same elements come out whatever the layout and the dtype.
func TestLinearOpsOfAnyLayoutAndDType(t *testing.T) {
	for _, c := range linearOps {
		n, _ := Shape(c.sizes).NumEl()
		x := Arange(0, n, 1).Double().Reshape(c.sizes...)
		want := c.f(x)
		for dt := dtype.Uint8; dt < dtype.Count; dt++ {
			for _, y := range []*Tensor{x.To(dt), stridedCopy(x).To(dt), stridedCopy(x.To(dt))} {
				got := c.f(y)
				if got.DType() != dt && c.name != "cat" {
					t.Errorf("%s of %s has dtype %s", c.name, dt, got.DType())
				}
				if !got.Shape().Equal(want.Shape()) || !slices.Equal(Values[float64](got), Values[float64](want)) {
					t.Errorf("%s of %s: %v, want %v", c.name, dt, got, want)
				}
			}
		}
	}
}

// Index names elements as nested loops would.
func TestIndexAgainstLoops(t *testing.T) {
	x := counted(4, 3, 2)
	i, j, k := longs(3, -4), longs(0, 2), longs(1, 1)
	for _, c := range []struct {
		indices []any
		want    *Tensor
	}{
		{[]any{i}, Stack([]*Tensor{x.At(3), x.At(0)}, 0)},
		{[]any{i, j}, Stack([]*Tensor{x.At(3, 0), x.At(0, 2)}, 0)},
		{[]any{i, j, k}, Stack([]*Tensor{x.At(3, 0, 1), x.At(0, 2, 1)}, 0)},
		{[]any{All, j}, Stack([]*Tensor{x.Select(1, 0), x.Select(1, 2)}, 1)},
		{[]any{All, j, k}, Stack([]*Tensor{x.Select(1, 0).Select(1, 1), x.Select(1, 2).Select(1, 1)}, 1)},
		{[]any{i, All, k}, Stack([]*Tensor{x.At(3).Select(1, 1), x.At(0).Select(1, 1)}, 0)},
		{[]any{i.View(2, 1), j}, Stack([]*Tensor{
			Stack([]*Tensor{x.At(3, 0), x.At(3, 2)}, 0), Stack([]*Tensor{x.At(0, 0), x.At(0, 2)}, 0)}, 0)},
		{[]any{longs(2).View()}, x.At(2)},
		{[]any{longs()}, x.Slice(0, 0, 0)},
		{[]any{FromSlice([]uint8{0, 1, 0, 2})}, Stack([]*Tensor{x.At(1), x.At(3)}, 0)},
		{[]any{FromSlice([]bool{false, true, false, false}), longs(2, 0)}, Stack([]*Tensor{x.At(1, 2), x.At(1, 0)}, 0)},
	} {
		got := x.Index(c.indices...)
		if !got.Shape().Equal(c.want.Shape()) || !slices.Equal(Values[float64](got), Values[float64](c.want)) {
			t.Errorf("Index(%v) = %v, want %v", c.indices, got, c.want)
		}
	}
}
