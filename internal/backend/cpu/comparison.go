package cpu

import (
	"cresset/dtype"
	"cresset/internal/kern"
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
	t[op.Eq][dt] = binary(kern.Eq[T])
	t[op.Ne][dt] = binary(kern.Ne[T])
	t[op.Lt][dt] = binary(kern.Lt[T])
	t[op.Le][dt] = binary(kern.Le[T])
	t[op.Gt][dt] = binary(kern.Gt[T])
	t[op.Ge][dt] = binary(kern.Ge[T])
	t[op.Maximum][dt] = binary(kern.Maximum[T])
	t[op.Minimum][dt] = binary(kern.Minimum[T])
}
