package cpu

import (
	"cresset/dtype"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func (t *table) addActivations() {
	addReLU[uint8](t)
	addReLU[int8](t)
	addReLU[int16](t)
	addReLU[int32](t)
	addReLU[int64](t)
	addReLU[float32](t)
	addReLU[float64](t)
	addActivation[float32](t)
	addActivation[float64](t)
}

func addReLU[T dtype.Number](t *table) { t[op.ReLU][dtype.Of[T]()] = unary(kern.ReLU[T]) }

func addActivation[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.LeakyReLU][dt] = unaryWith(kern.LeakyReLU[T])
	t[op.Softplus][dt] = unaryWith(kern.Softplus[T])
	t[op.ReLUGrad][dt] = binary(kern.ReLUGrad[T])
	t[op.TanhGrad][dt] = binary(kern.TanhGrad[T])
	t[op.SigmoidGrad][dt] = binary(kern.SigmoidGrad[T])
	t[op.LeakyReLUGrad][dt] = binaryWith(kern.LeakyReLUGrad[T])
	t[op.GELUGrad][dt] = binary(kern.GELUGrad[T])
	t[op.GELUTanhGrad][dt] = binary(kern.GELUTanhGrad[T])
	t[op.SiLUGrad][dt] = binary(kern.SiLUGrad[T])
	t[op.SoftplusGrad][dt] = binaryWith(kern.SoftplusGrad[T])
}
