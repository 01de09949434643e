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
}

func addWhere[T dtype.Element](t *table) { t[op.Where][dtype.Of[T]()] = ternary(kern.Where[T]) }
