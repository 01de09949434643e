package cpu

import (
	"cresset/dtype"
	"cresset/internal/kern"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

func (t *table) addArithmetic() {
	addNumber[uint8](t)
	addNumber[int8](t)
	addNumber[int16](t)
	addNumber[int32](t)
	addNumber[int64](t)
	addNumber[float32](t)
	addNumber[float64](t)
	addFloat[float32](t)
	addFloat[float64](t)
	t[op.Add][dtype.Bool] = binary(kern.Or)
	t[op.Mul][dtype.Bool] = binary(kern.And)
}

func addNumber[T dtype.Number](t *table) {
	dt := dtype.Of[T]()
	t[op.Add][dt] = sided(kern.Add[T], vec.Add)
	t[op.Sub][dt] = sided(kern.Sub[T], vec.Sub)
	t[op.Mul][dt] = sided(kern.Mul[T], vec.Mul)
	t[op.Neg][dt] = unary(kern.Neg[T])
	t[op.Abs][dt] = unary(kern.Abs[T])
	t[op.Sign][dt] = unary(kern.Sign[T])
	t[op.Square][dt] = unary(kern.Square[T])
}

func addFloat[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.Div][dt] = sided(kern.Div[T], vec.Div)
	t[op.FloorDivide][dt] = binary(kern.FloorDivide[T])
	t[op.DivTrunc][dt] = binary(kern.DivTrunc[T])
	t[op.Remainder][dt] = binary(kern.Remainder[T])
	t[op.Fmod][dt] = binary(kern.Fmod[T])
	t[op.Cube][dt] = unary(kern.Cube[T])
	t[op.Sqrt][dt] = unary(kern.Sqrt[T])
	t[op.Reciprocal][dt] = unary(kern.Reciprocal[T])
	t[op.Floor][dt] = unary(kern.Floor[T])
	t[op.Ceil][dt] = unary(kern.Ceil[T])
	t[op.Round][dt] = unary(kern.Round[T])
	t[op.Trunc][dt] = unary(kern.Trunc[T])
}
