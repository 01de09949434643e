package cpu

import (
	"cresset/dtype"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func (t *table) addLogic() {
	t[op.LogicalAnd][dtype.Bool] = binary(kern.And)
	t[op.LogicalOr][dtype.Bool] = binary(kern.Or)
	t[op.LogicalXor][dtype.Bool] = binary(kern.Xor)
	t[op.LogicalNot][dtype.Bool] = unary(kern.Not)
	t[op.BitwiseAnd][dtype.Bool] = binary(kern.And)
	t[op.BitwiseOr][dtype.Bool] = binary(kern.Or)
	t[op.BitwiseXor][dtype.Bool] = binary(kern.Xor)
	t[op.BitwiseNot][dtype.Bool] = unary(kern.Not)
	addBitwise[uint8](t)
	addBitwise[int8](t)
	addBitwise[int16](t)
	addBitwise[int32](t)
	addBitwise[int64](t)
}

func addBitwise[T dtype.Integer](t *table) {
	dt := dtype.Of[T]()
	t[op.BitwiseAnd][dt] = binary(kern.BitwiseAnd[T])
	t[op.BitwiseOr][dt] = binary(kern.BitwiseOr[T])
	t[op.BitwiseXor][dt] = binary(kern.BitwiseXor[T])
	t[op.BitwiseNot][dt] = unary(kern.BitwiseNot[T])
}
