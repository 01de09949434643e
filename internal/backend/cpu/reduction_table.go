package cpu

import (
	"cresset/dtype"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func (t *table) addReductions() {
	addReduction[int64, int64, uint8](t)
	addReduction[int64, int64, int32](t)
	addReduction[int64, int64, int64](t)
	addReduction[float32, float64, float32](t)
	addReduction[float64, float64, float64](t)
	addReductionFloat[float32](t)
	addReductionFloat[float64](t)
}

// addReduction adds reductions of S, whose sums and products are D, and the sums of parts A.
func addReduction[D, A, S dtype.Number](t *table) {
	dt := dtype.Of[S]()
	t[op.Sum][dt] = sums(kern.SumMiddle[D, S], kern.SumMiddle[A, S], kern.SumMiddle[D, A])
	t[op.SumAxes][dt] = t[op.Sum][dt]
	t[op.Prod][dt] = reduce(kern.ProdMiddle[D, S])
	t[op.ProdAxis][dt] = t[op.Prod][dt]
	t[op.CumSum][dt] = mapRows(kern.CumSumRow[D, S])
	t[op.CountNonZero][dt] = reduce(kern.Number[S]().CountMiddle)
	t[op.AnyTrue][dt] = reduce(kern.Number[S]().AnyMiddle)
	t[op.AllTrue][dt] = reduce(kern.Number[S]().AllMiddle)

	addExtreme(t, kern.Number[S]().MaxMiddle, op.Max, op.AMax, op.MaxAxis, op.ArgMax)
	addExtreme(t, kern.Number[S]().MinMiddle, op.Min, op.AMin, op.MinAxis, op.ArgMin)
}

// addExtreme adds the ops that find an extreme of all, of some axes, of one with its index, and the index alone.
//
//go:noinline
func addExtreme[S dtype.Number](t *table, loop extremeLoop[S], all, axes, pair, index op.Op) {
	dt := dtype.Of[S]()
	t[all][dt] = reduce(func(dst, src []S, outer, n, inner int) error { return loop(dst, nil, src, outer, n, inner) })
	t[axes][dt] = t[all][dt]
	t[pair][dt] = reducePairs(loop)
	t[index][dt] = reduce(func(dst []int64, src []S, outer, n, inner int) error { return loop(nil, dst, src, outer, n, inner) })
}

func addReductionFloat[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.Mean][dt] = sums(kern.MeanMiddle[T, T], kern.MeanMiddle[float64, T], kern.MeanMiddle[T, float64])
	t[op.MeanAxes][dt] = t[op.Mean][dt]
	t[op.Var][dt] = reduceRowsWith(func(row []T, p op.Reduce) T { return kern.VarRow(row, p.Correction) })
	t[op.Std][dt] = reduceRowsWith(func(row []T, p op.Reduce) T { return kern.StdRow(row, p.Correction) })
	t[op.Norm][dt] = norm[T]()
	t[op.LogSumExp][dt] = reduce(kern.Float[T]().LogSumExpMiddle)

	t[op.CumSumGrad][dt] = mapRows(kern.CumSumGrad[T])
	t[op.ProdGrad][dt] = spread(func(dy, _ T, x, dx []T, _ op.Reduce) { kern.ProdGrad(dy, x, dx) })
	t[op.ShareGrad][dt] = spread(func(dy, y T, x, dx []T, _ op.Reduce) { kern.ShareGrad(dy, y, x, dx) })
	t[op.PickGrad][dt] = rowMajor(pickGrad[T])
	t[op.VarGrad][dt] = spread(func(dy, _ T, x, dx []T, p op.Reduce) { kern.VarGrad(dy, x, dx, p.Correction) })
	t[op.StdGrad][dt] = spread(func(dy, y T, x, dx []T, p op.Reduce) { kern.StdGrad(dy, y, x, dx, p.Correction) })
	t[op.NormGrad][dt] = spread(func(dy, y T, x, dx []T, p op.Reduce) { kern.NormGrad(dy, y, x, dx, p.P) })
	t[op.LogSumExpGrad][dt] = spread(func(dy, y T, x, dx []T, _ op.Reduce) { kern.LogSumExpGrad(dy, y, x, dx) })
}
