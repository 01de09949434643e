package cpu

import (
	"cresset/dtype"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func (t *table) addSelection() {
	addWhere[bool](t)
	addWhere[uint8](t)
	addWhere[int8](t)
	addWhere[int16](t)
	addWhere[int32](t)
	addWhere[int64](t)
	addWhere[dtype.F16](t)
	addWhere[dtype.BF16](t)
	addWhere[float32](t)
	addWhere[float64](t)
	t[op.Clamp][dtype.Uint8] = unaryWith(kern.ClampInt[uint8])
	t[op.Clamp][dtype.Int8] = unaryWith(kern.ClampInt[int8])
	t[op.Clamp][dtype.Int16] = unaryWith(kern.ClampInt[int16])
	t[op.Clamp][dtype.Int32] = unaryWith(kern.ClampInt[int32])
	t[op.Clamp][dtype.Int64] = unaryWith(kern.ClampInt[int64])
	t[op.Clamp][dtype.Float32] = unaryWith(kern.Clamp[float32])
	t[op.Clamp][dtype.Float64] = unaryWith(kern.Clamp[float64])
}

func addWhere[T dtype.Element](t *table) { t[op.Where][dtype.Of[T]()] = ternary(kern.Where[T]) }
