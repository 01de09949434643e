package cpu

import (
	"cresset/dtype"
	"cresset/internal/kern"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

func (t *table) addComparisons() {
	addBoolComparison(t)
	addComparison[uint8](t)
	addComparison[int8](t)
	addComparison[int16](t)
	addComparison[int32](t)
	addComparison[int64](t)
	addComparison[float32](t)
	addComparison[float64](t)
	t[op.IsNaN][dtype.Float32] = unary(kern.IsNaN[float32])
	t[op.IsNaN][dtype.Float64] = unary(kern.IsNaN[float64])
}

func addBoolComparison(t *table) {
	t[op.Eq][dtype.Bool] = binary(kern.EqBool)
	t[op.Ne][dtype.Bool] = binary(kern.Xor)
	t[op.Lt][dtype.Bool] = binary(kern.LtBool)
	t[op.Le][dtype.Bool] = binary(kern.LeBool)
	t[op.Gt][dtype.Bool] = binary(kern.GtBool)
	t[op.Ge][dtype.Bool] = binary(kern.GeBool)
	t[op.Maximum][dtype.Bool] = binary(kern.Or)
	t[op.Minimum][dtype.Bool] = binary(kern.And)
}

func addComparison[T dtype.Number](t *table) {
	dt := dtype.Of[T]()
	t[op.Eq][dt] = sided(kern.Eq[T], vec.Eq)
	t[op.Ne][dt] = sided(kern.Ne[T], vec.Ne)
	t[op.Lt][dt] = sided(kern.Lt[T], vec.Lt)
	t[op.Le][dt] = sided(kern.Le[T], vec.Le)
	t[op.Gt][dt] = sided(kern.Gt[T], vec.Gt)
	t[op.Ge][dt] = sided(kern.Ge[T], vec.Ge)
	t[op.Maximum][dt] = sided(kern.Maximum[T], vec.Maximum)
	t[op.Minimum][dt] = sided(kern.Minimum[T], vec.Minimum)
}
