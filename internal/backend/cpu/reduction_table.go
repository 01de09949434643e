package cpu

import (
	"cresset/dtype"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func (t *table) addReductions() {
	t.addFolds()
	addExtremes[float32](t)
	addExtremes[float64](t)
	addExtremes[uint8](t)
	addExtremes[int32](t)
	addExtremes[int64](t)
}

func addExtremes[S dtype.Number](t *table) {
	addExtreme(t, kern.Number[S]().MaxMiddle, op.Max, op.AMax, op.MaxAxis, op.ArgMax)
	addExtreme(t, kern.Number[S]().MinMiddle, op.Min, op.AMin, op.MinAxis, op.ArgMin)
	t[op.CumMax][dtype.Of[S]()] = runningExtreme(kern.CumMax[S])
	t[op.CumMin][dtype.Of[S]()] = runningExtreme(kern.CumMin[S])
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
	t[op.Var][dt] = reduceRowsWith(func(row []T, p op.Reduce) T { return kern.VarRow(row, p.Correction) })
	t[op.Std][dt] = reduceRowsWith(func(row []T, p op.Reduce) T { return kern.StdRow(row, p.Correction) })
	t[op.Norm][dt] = reduceRowsWith(func(row []T, p op.Reduce) T { return kern.NormRow(row, p.P) })
	t[op.LogSumExp][dt] = reduceRowsWith(func(row []T, _ op.Reduce) T { return kern.LogSumExpRow(row) })

	t[op.LogCumSumExp][dt] = mapRows(kern.LogCumSumExp[T])
	t[op.CumSumGrad][dt] = mapRows(kern.CumSumGrad[T])
	t[op.ProdGrad][dt] = spread(func(dy, _ T, x, dx []T, _ op.Reduce) { kern.ProdGrad(dy, x, dx) })
	t[op.ShareGrad][dt] = spread(func(dy, y T, x, dx []T, _ op.Reduce) { kern.ShareGrad(dy, y, x, dx) })
	t[op.PickGrad][dt] = rowMajor(pickGrad[T])
	t[op.VarGrad][dt] = spread(func(dy, _ T, x, dx []T, p op.Reduce) { kern.VarGrad(dy, x, dx, p.Correction) })
	t[op.StdGrad][dt] = spread(func(dy, y T, x, dx []T, p op.Reduce) { kern.StdGrad(dy, y, x, dx, p.Correction) })
	t[op.NormGrad][dt] = spread(func(dy, y T, x, dx []T, p op.Reduce) { kern.NormGrad(dy, y, x, dx, p.P) })
	t[op.LogSumExpGrad][dt] = spread(func(dy, y T, x, dx []T, _ op.Reduce) { kern.LogSumExpGrad(dy, y, x, dx) })
}
