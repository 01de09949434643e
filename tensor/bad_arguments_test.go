package tensor

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// arguments are drawn at random, mostly small, sometimes absurd.
type arguments struct{ *rand.Rand }

func (a *arguments) number() int {
	return []int{-3, -2, -1, 0, 1, 2, 3, 4, 7, math.MaxInt, math.MinInt, 1 << 40}[a.IntN(12)]
}

func (a *arguments) list() []int {
	s := make([]int, a.IntN(5))
	for i := range s {
		s[i] = a.number()
	}
	return s
}

func (a *arguments) floats() *Tensor {
	shape := make([]int, a.IntN(4))
	for i := range shape {
		shape[i] = a.IntN(4)
	}
	x := Ones(shape...)
	if x.Dim() > 1 && a.IntN(2) == 0 {
		x = x.Transpose(0, -1)
	}
	return x.SetRequiresGrad(true)
}

func (a *arguments) indices() *Tensor {
	x := a.floats().Detach()
	switch a.IntN(4) {
	case 0:
		return x.Bool()
	case 1:
		return x.Float()
	case 2:
		return x.Long().SubScalar(2)
	}
	return x.Long().MulScalar(a.IntN(4))
}

// opsOfArguments are the ops that take sizes, axes or indices.
var opsOfArguments = []struct {
	name string
	f    func(a *arguments, x *Tensor) any
}{
	{"view", func(a *arguments, x *Tensor) any { return x.View(a.list()...) }},
	{"reshape", func(a *arguments, x *Tensor) any { return x.Reshape(a.list()...) }},
	{"flatten", func(a *arguments, x *Tensor) any { return x.Flatten(a.number(), a.number()) }},
	{"unflatten", func(a *arguments, x *Tensor) any { return x.Unflatten(a.number(), a.list()...) }},
	{"expand", func(a *arguments, x *Tensor) any { return x.Expand(a.list()...) }},
	{"transpose", func(a *arguments, x *Tensor) any { return x.Transpose(a.number(), a.number()) }},
	{"permute", func(a *arguments, x *Tensor) any { return x.Permute(a.list()...) }},
	{"squeeze", func(a *arguments, x *Tensor) any { return x.SqueezeAxis(a.list()...) }},
	{"unsqueeze", func(a *arguments, x *Tensor) any { return x.Unsqueeze(a.number()) }},
	{"slice", func(a *arguments, x *Tensor) any { return x.Slice(a.number(), a.number(), a.number(), a.number()) }},
	{"narrow", func(a *arguments, x *Tensor) any { return x.Narrow(a.number(), a.number(), a.number()) }},
	{"select", func(a *arguments, x *Tensor) any { return x.Select(a.number(), a.number()) }},
	{"at", func(a *arguments, x *Tensor) any { return x.At(a.list()...) }},
	{"split", func(a *arguments, x *Tensor) any { return x.Split(a.number(), a.number()) }},
	{"split sizes", func(a *arguments, x *Tensor) any { return x.SplitSizes(a.list(), a.number()) }},
	{"unbind", func(a *arguments, x *Tensor) any { return x.Unbind(a.number()) }},
	{"pad", func(a *arguments, x *Tensor) any { return x.Pad(a.list(), a.number()) }},
	{"cat", func(a *arguments, x *Tensor) any { return Cat([]*Tensor{x, a.floats()}, a.number()) }},
	{"stack", func(a *arguments, x *Tensor) any { return Stack([]*Tensor{x, a.floats()}, a.number()) }},
	{"index", func(a *arguments, x *Tensor) any { return x.Index(a.indices(), a.indices()) }},
	{"index select", func(a *arguments, x *Tensor) any { return x.IndexSelect(a.number(), a.indices()) }},
	{"index add", func(a *arguments, x *Tensor) any { return x.IndexAdd(a.number(), a.indices(), x) }},
	{"gather", func(a *arguments, x *Tensor) any { return x.Gather(a.number(), a.indices()) }},
	{"scatter add", func(a *arguments, x *Tensor) any { return x.ScatterAdd(a.number(), a.indices(), a.floats()) }},
	{"masked select", func(a *arguments, x *Tensor) any { return x.MaskedSelect(a.indices()) }},
	{"tril", func(a *arguments, x *Tensor) any { return x.Tril(a.number()) }},
	{"triu", func(a *arguments, x *Tensor) any { return x.Triu(a.number()) }},
	{"embedding", func(a *arguments, x *Tensor) any { return Embedding(x, a.indices(), PaddingIndex(a.number())) }},
	{"one hot", func(a *arguments, _ *Tensor) any { return OneHot(a.indices(), a.number()) }},
	{"sort", func(a *arguments, x *Tensor) any { v, _ := x.Sort(a.number(), Descending(true)); return v }},
	{"topk", func(a *arguments, x *Tensor) any { v, _ := x.TopK(a.number(), a.number()); return v }},
	{"searchsorted", func(a *arguments, x *Tensor) any { return SearchSorted(x, a.floats(), Right(a.IntN(2) == 0)) }},
	{"multinomial", func(a *arguments, x *Tensor) any {
		return x.Abs().Multinomial(a.number(), WithReplacement(a.IntN(2) == 0))
	}},
	{"non zero", func(a *arguments, _ *Tensor) any { return a.indices().NonZero() }},
	{"diagonal", func(a *arguments, x *Tensor) any { return x.Diagonal(a.number(), a.number(), a.number()) }},
	{"diag_embed", func(a *arguments, x *Tensor) any { return x.DiagEmbed(a.number(), a.number(), a.number()) }},
	{"unfold", func(a *arguments, x *Tensor) any { return x.Unfold(a.number(), a.number(), a.number()) }},
	{"movedim", func(a *arguments, x *Tensor) any { return x.MoveAxis(a.list(), a.list()) }},
	{"tensor_split", func(a *arguments, x *Tensor) any { return x.TensorSplit(a.number(), a.number()) }},
	{"tensor_split at", func(a *arguments, x *Tensor) any { return x.TensorSplitAt(a.list(), a.number()) }},
	{"roll", func(a *arguments, x *Tensor) any { return x.Roll(a.list(), a.list()...) }},
	{"flip", func(a *arguments, x *Tensor) any { return x.Flip(a.list()...) }},
	{"rot90", func(a *arguments, x *Tensor) any { return x.Rot90(a.number(), a.number(), a.number()) }},
	{"repeat", func(a *arguments, x *Tensor) any { return x.Repeat(a.list()...) }},
	{"repeat_interleave", func(a *arguments, x *Tensor) any { return x.RepeatInterleave(a.number(), a.number()) }},
	{"repeat_interleave by counts", func(a *arguments, x *Tensor) any { return x.RepeatInterleave(a.indices(), a.number()) }},
	{"combinations", func(a *arguments, x *Tensor) any { return x.Combinations(a.number(), WithReplacement(a.IntN(2) == 0)) }},
}

// Whatever the arguments, an op gives a result or an *Error: Try lets any other panic through, which would end this test.
func TestBadArgumentsAreErrors(t *testing.T) {
	a := &arguments{rand.New(rand.NewPCG(6, 6))}
	for _, c := range opsOfArguments {
		done := 0
		for range 400 {
			err := Try(func() {
				if y, ok := c.f(a, a.floats()).(*Tensor); ok && y.RequiresGrad() && y.NumEl() < 1000 {
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
