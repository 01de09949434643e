package cpu

import (
	"cresset/dtype"
	"cresset/internal/kern"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

func (t *table) addComparisons() {
	addComparison[uint8](t, dtype.Bool) // false < true, as bytes
	addComparison[uint8](t, dtype.Uint8)
	addComparison[int8](t, dtype.Int8)
	addComparison[int16](t, dtype.Int16)
	addComparison[int32](t, dtype.Int32)
	addComparison[int64](t, dtype.Int64)
	addComparison[float32](t, dtype.Float32)
	addComparison[float64](t, dtype.Float64)
	t[op.IsNaN][dtype.Float32] = unary(kern.IsNaN[float32])
	t[op.IsNaN][dtype.Float64] = unary(kern.IsNaN[float64])
}

func addComparison[T dtype.Number](t *table, dt dtype.DType) {
	t[op.Eq][dt] = sided(kern.Eq[T], vec.Eq)
	t[op.Ne][dt] = sided(kern.Ne[T], vec.Ne)
	t[op.Lt][dt] = sided(kern.Lt[T], vec.Lt)
	t[op.Le][dt] = sided(kern.Le[T], vec.Le)
	t[op.Gt][dt] = sided(kern.Gt[T], vec.Gt)
	t[op.Ge][dt] = sided(kern.Ge[T], vec.Ge)
	t[op.Maximum][dt] = sided(kern.Maximum[T], vec.Maximum)
	t[op.Minimum][dt] = sided(kern.Minimum[T], vec.Minimum)
}
