package tensor

import "fmt"

var goldenReductions = reductionGoldens()

// reductionGoldens spells out the cases that differ in their axis alone.
func reductionGoldens() map[string]goldenOp {
	cases := map[string]goldenOp{
		"sum":  one((*Tensor).Sum),
		"mean": one((*Tensor).Mean),
		"prod": one((*Tensor).Prod),
		"var":  one((*Tensor).Var),
		"std":  one((*Tensor).Std),
		"norm": one((*Tensor).Norm),
	}
	for _, axis := range []int{0, 1, -1} {
		for _, keep := range []bool{false, true} {
			word := map[bool]string{false: "False", true: "True"}[keep]
			over := func(name string, f func(x *Tensor) *Tensor) {
				cases[fmt.Sprintf("%s(dim=%d,keepdim=%s)", name, axis, word)] = one(f)
			}
			axes := []int{axis}
			over("sum", func(x *Tensor) *Tensor { return x.SumAxes(axes, KeepDim(keep)) })
			over("mean", func(x *Tensor) *Tensor { return x.MeanAxes(axes, KeepDim(keep)) })
			over("prod", func(x *Tensor) *Tensor { return x.ProdAxis(axis, KeepDim(keep)) })
			over("amax", func(x *Tensor) *Tensor { return x.AMax(axes, KeepDim(keep)) })
			over("amin", func(x *Tensor) *Tensor { return x.AMin(axes, KeepDim(keep)) })
			over("logsumexp", func(x *Tensor) *Tensor { return x.LogSumExp(axes, KeepDim(keep)) })
			over("var", func(x *Tensor) *Tensor { return x.VarAxes(axes, KeepDim(keep)) })
			over("std", func(x *Tensor) *Tensor { return x.StdAxes(axes, KeepDim(keep)) })
			over("norm", func(x *Tensor) *Tensor { return x.NormAxes(2, axes, KeepDim(keep)) })
		}
		along := func(form string, f goldenOp) { cases[fmt.Sprintf(form, axis)] = f }
		along("max(dim=%d)", func(in []*Tensor) []*Tensor {
			values, indices := in[0].MaxAxis(axis)
			return []*Tensor{values, indices}
		})
		along("argmin(dim=%d)", one(func(x *Tensor) *Tensor { return x.ArgMinAxis(axis) }))
		along("cumsum(%d)", one(func(x *Tensor) *Tensor { return x.CumSum(axis) }))
		along("softmax(%d)", one(func(x *Tensor) *Tensor { return x.Softmax(axis) }))
		along("log_softmax(%d)", one(func(x *Tensor) *Tensor { return x.LogSoftmax(axis) }))
	}
	return cases
}

// one is a case with one input and one result.
func one(f func(x *Tensor) *Tensor) goldenOp {
	return func(in []*Tensor) []*Tensor { return []*Tensor{f(in[0])} }
}
