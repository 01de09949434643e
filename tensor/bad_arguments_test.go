package tensor

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// Whatever the arguments, an op gives a result or an *Error: Try lets any other panic through, which would end this test.
func TestBadArgumentsAreErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	n := func() int { // mostly small, sometimes absurd
		return []int{-3, -2, -1, 0, 1, 2, 3, 4, 7, math.MaxInt, math.MinInt, 1 << 40}[r.IntN(12)]
	}
	some := func() []int {
		s := make([]int, r.IntN(5))
		for i := range s {
			s[i] = n()
		}
		return s
	}
	floats := func() *Tensor {
		shape := make([]int, r.IntN(4))
		for i := range shape {
			shape[i] = r.IntN(4)
		}
		x := Ones(shape...)
		if x.Dim() > 1 && r.IntN(2) == 0 {
			x = x.Transpose(0, -1)
		}
		return x.SetRequiresGrad(true)
	}
	indices := func() *Tensor {
		x := floats().Detach()
		switch r.IntN(4) {
		case 0:
			return x.Bool()
		case 1:
			return x.Float()
		case 2:
			return x.Long().SubScalar(2)
		}
		return x.Long().MulScalar(r.IntN(4))
	}
	ops := []struct {
		name string
		f    func(x *Tensor) any
	}{
		{"view", func(x *Tensor) any { return x.View(some()...) }},
		{"reshape", func(x *Tensor) any { return x.Reshape(some()...) }},
		{"flatten", func(x *Tensor) any { return x.Flatten(n(), n()) }},
		{"unflatten", func(x *Tensor) any { return x.Unflatten(n(), some()...) }},
		{"expand", func(x *Tensor) any { return x.Expand(some()...) }},
		{"transpose", func(x *Tensor) any { return x.Transpose(n(), n()) }},
		{"permute", func(x *Tensor) any { return x.Permute(some()...) }},
		{"squeeze", func(x *Tensor) any { return x.SqueezeAxis(some()...) }},
		{"unsqueeze", func(x *Tensor) any { return x.Unsqueeze(n()) }},
		{"slice", func(x *Tensor) any { return x.Slice(n(), n(), n(), n()) }},
		{"narrow", func(x *Tensor) any { return x.Narrow(n(), n(), n()) }},
		{"select", func(x *Tensor) any { return x.Select(n(), n()) }},
		{"at", func(x *Tensor) any { return x.At(some()...) }},
		{"split", func(x *Tensor) any { return x.Split(n(), n()) }},
		{"split sizes", func(x *Tensor) any { return x.SplitSizes(some(), n()) }},
		{"unbind", func(x *Tensor) any { return x.Unbind(n()) }},
		{"pad", func(x *Tensor) any { return x.Pad(some(), n()) }},
		{"cat", func(x *Tensor) any { return Cat([]*Tensor{x, floats()}, n()) }},
		{"stack", func(x *Tensor) any { return Stack([]*Tensor{x, floats()}, n()) }},
		{"index", func(x *Tensor) any { return x.Index(indices(), indices()) }},
		{"index select", func(x *Tensor) any { return x.IndexSelect(n(), indices()) }},
		{"index add", func(x *Tensor) any { return x.IndexAdd(n(), indices(), x) }},
		{"gather", func(x *Tensor) any { return x.Gather(n(), indices()) }},
		{"scatter add", func(x *Tensor) any { return x.ScatterAdd(n(), indices(), floats()) }},
		{"masked select", func(x *Tensor) any { return x.MaskedSelect(indices()) }},
		{"tril", func(x *Tensor) any { return x.Tril(n()) }},
		{"triu", func(x *Tensor) any { return x.Triu(n()) }},
		{"embedding", func(x *Tensor) any { return Embedding(x, indices(), n()) }},
		{"one hot", func(*Tensor) any { return OneHot(indices(), n()) }},
		{"sort", func(x *Tensor) any { v, _ := x.Sort(n(), true); return v }},
		{"topk", func(x *Tensor) any { v, _ := x.TopK(n(), n(), true); return v }},
		{"non zero", func(*Tensor) any { return indices().NonZero() }},
	}
	for _, c := range ops {
		done := 0
		for range 400 {
			err := Try(func() {
				if y, ok := c.f(floats()).(*Tensor); ok && y.RequiresGrad() && y.NumEl() < 1000 {
					y.Sum().Backward()
				}
				done++
			})
			if e := (*Error)(nil); err != nil && (!errors.As(err, &e) || e.Error() == "") {
				t.Errorf("%s: %v is not a typed error", c.name, err)
			}
		}
		if done == 0 {
			t.Errorf("%s never worked: the arguments are too wild", c.name)
		}
	}
}
