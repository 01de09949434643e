package cpu

import (
	"cresset/dtype"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func (t *table) addReductions() {
	addReduction[int64, uint8](t)
	addReduction[int64, int8](t)
	addReduction[int64, int16](t)
	addReduction[int64, int32](t)
	addReduction[int64, int64](t)
	addReduction[float32, float32](t)
	addReduction[float64, float64](t)
	addReductionFloat[float32](t)
	addReductionFloat[float64](t)
}

// addReduction adds reductions of S, whose sums and products are D.
func addReduction[D, S dtype.Number](t *table) {
	dt := dtype.Of[S]()
	t[op.Sum][dt] = steady(kern.SumMiddle[D, S])
	t[op.SumAxes][dt] = t[op.Sum][dt]
	t[op.Prod][dt] = reduceRows(kern.ProdRow[D, S])
	t[op.ProdAxis][dt] = t[op.Prod][dt]
	t[op.CumSum][dt] = mapRows(kern.CumSumRow[D, S])
	t[op.CountNonZero][dt] = reduceRows(kern.CountRow[S])
	t[op.AnyTrue][dt] = reduceRows(kern.AnyRow[S])
	t[op.AllTrue][dt] = reduceRows(kern.AllRow[S])

	t[op.Max][dt] = reduceRows(kern.MaxValueRow[S])
	t[op.AMax][dt] = t[op.Max][dt]
	t[op.MaxAxis][dt] = reducePairs(kern.MaxRow[S])
	t[op.ArgMax][dt] = reduceRows(kern.ArgMaxRow[S])
	t[op.Min][dt] = reduceRows(kern.MinValueRow[S])
	t[op.AMin][dt] = t[op.Min][dt]
	t[op.MinAxis][dt] = reducePairs(kern.MinRow[S])
	t[op.ArgMin][dt] = reduceRows(kern.ArgMinRow[S])
}

func addReductionFloat[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.Mean][dt] = steady(kern.MeanMiddle[T])
	t[op.MeanAxes][dt] = t[op.Mean][dt]
	t[op.Var][dt] = reduceRowsWith(func(row []T, p op.Reduce) T { return kern.VarRow(row, p.Correction) })
	t[op.Std][dt] = reduceRowsWith(func(row []T, p op.Reduce) T { return kern.StdRow(row, p.Correction) })
	t[op.Norm][dt] = reduceRowsWith(func(row []T, p op.Reduce) T { return kern.NormRow(row, p.P) })
	t[op.LogSumExp][dt] = reduceRows(kern.LogSumExpRow[T])

	t[op.CumSumGrad][dt] = mapRows(kern.CumSumGrad[T])
	t[op.ProdGrad][dt] = spread(func(dy, _ T, x, dx []T, _ op.Reduce) { kern.ProdGrad(dy, x, dx) })
	t[op.ShareGrad][dt] = spread(func(dy, y T, x, dx []T, _ op.Reduce) { kern.ShareGrad(dy, y, x, dx) })
	t[op.PickGrad][dt] = rowMajor(pickGrad[T])
	t[op.VarGrad][dt] = spread(func(dy, _ T, x, dx []T, p op.Reduce) { kern.VarGrad(dy, x, dx, p.Correction) })
	t[op.StdGrad][dt] = spread(func(dy, y T, x, dx []T, p op.Reduce) { kern.StdGrad(dy, y, x, dx, p.Correction) })
	t[op.NormGrad][dt] = spread(func(dy, y T, x, dx []T, p op.Reduce) { kern.NormGrad(dy, y, x, dx, p.P) })
	t[op.LogSumExpGrad][dt] = spread(func(dy, y T, x, dx []T, _ op.Reduce) { kern.LogSumExpGrad(dy, y, x, dx) })
}
