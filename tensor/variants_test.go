package tensor

import (
	"math"
	"slices"
	"testing"
)

// variant makes a tensor of some shape from a contiguous leaf.
type variant struct {
	name string
	base Shape                   // of the leaf
	view func(x *Tensor) *Tensor // the leaf under another layout
}

// variantsOf returns the ways in which elements of a shape may lie in memory.
func variantsOf(shape Shape) []variant {
	rank := len(shape)
	same := func(x *Tensor) *Tensor { return x }
	all := []variant{{"contiguous", shape, same}}
	if rank == 0 {
		return all
	}
	back := slices.Clone(shape)
	slices.Reverse(back)
	order := make([]int, rank)
	for i := range order {
		order[i] = rank - 1 - i
	}
	wide := slices.Clone(shape)
	wide[rank-1] = 2*wide[rank-1] + 1
	single := slices.Clone(shape)
	single[0] = 1
	return append(all,
		variant{"transposed", back, func(x *Tensor) *Tensor { return x.Permute(order...) }},
		variant{"sliced", wide, func(x *Tensor) *Tensor { return x.Slice(rank-1, 1, wide[rank-1], 2) }},
		variant{"expanded", single, func(x *Tensor) *Tensor { return x.Expand(shape...) }},
	)
}

// gradCheck compares the gradient of Σ w·f(x) with regard to each leaf with differences of its value.
func gradCheck(t *testing.T, name string, f func(in []*Tensor) *Tensor, leaves ...*Tensor) {
	t.Helper()
	for _, x := range leaves {
		x.SetRequiresGrad(true)
		x.ZeroGrad()
	}
	y := f(leaves)
	w := RandnLike(y)
	y.Backward(Gradient(w))
	value := func() float64 { return f(leaves).Detach().Mul(w).Sum().Float64() }
	const step = 1e-6
	for i, x := range leaves {
		data := Data[float64](x.Detach())
		want := make([]float64, len(data))
		for k, v := range data {
			data[k] = v + step
			up := value()
			data[k] = v - step
			want[k] = (up - value()) / (2 * step)
			data[k] = v
		}
		if got := Values[float64](x.Grad()); !closeTo(got, want, 1e-7*max(1, steepest(want))) {
			t.Errorf("%s: gradient of operand %d is %v, want %v", name, i, got, want)
		}
	}
}

func steepest(s []float64) float64 {
	most := 0.0
	for _, v := range s {
		most = max(most, math.Abs(v))
	}
	return most
}
