package selftest

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/op"
	"cresset/tensor"
)

// quantized are samples of products with weights of int8 and int4: of one row, of few and of many.
func quantized() (samples []sample) {
	for _, n := range [][3]int{{1, 256, 13}, {7, 384, 9}, {12, 128, 21}, {19, 256, 18}, {39, 128, 33}} { // rows, inputs, outputs
		rows, in, out := n[0], n[1], n[2]
		int8s := []operand{of(rows, in), whole(dtype.Int8, 127, out, in), steps32(out, 1), of(out)}
		samples = append(samples, quantizedSample("int8", op.Quantized{Bits: 8}, n, 1024, int8s...),
			quantizedSample("int8 by int8", op.Quantized{Bits: 8, Dynamic: true}, n, 0, int8s...))
		for _, group := range []int{32, 64, 128} {
			int4s := []operand{of(rows, in), words(out, in/8), steps32(out, in/group), of(out), words((out+7)/8, in/group)}
			samples = append(samples, quantizedSample(sized("int4", group), op.Quantized{Bits: 4, Group: group}, n, 1024, int4s...),
				quantizedSample(sized("symmetric int4", group), op.Quantized{Bits: 4, Group: group}, n, 1024, int4s[:4]...))
		}
	}
	for _, n := range [][3]int{{96, 528, 137}, {64, 1040, 126}, {250, 272, 252}} { // large tiles, of which tensor cores multiply int8: a common axis in parts, many rows
		samples = append(samples, bytesSample(n))
	}
	return append(samples, quantizedSample("int8", op.Quantized{Bits: 8}, [3]int{3, 67, 5}, 1024, of(3, 67), whole(dtype.Int8, 127, 5, 67), steps32(5, 1), of(5)))
}

// bytesSample multiplies so many rows, inputs and outputs as int8.
func bytesSample(n [3]int) sample {
	rows, in, out := n[0], n[1], n[2]
	return quantizedSample("int8 by int8", op.Quantized{Bits: 8, Dynamic: true}, n, 0, of(rows, in), whole(dtype.Int8, 127, out, in), steps32(out, 1), of(out))
}

// quantizedSample multiplies x by a weight, its scales and a bias, and zero points where there are any.
func quantizedSample(name string, q op.Quantized, n [3]int, roundings float64, in ...operand) sample {
	return sample{name: sized("linear of "+name, n[:]...), in: in, dtypes: followed, roundings: roundings, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
		var zero *tensor.Tensor
		if len(x) > 4 {
			zero = x[4]
		}
		return inner.QuantizedLinear(x[0], q, x[1], x[2], zero, x[3])
	})}
}

// whole is an operand of whole numbers of at most so much.
func whole(dt dtype.DType, most int, shape ...int) operand {
	return func(_ dtype.DType, seed int64) *tensor.Tensor {
		return tensor.On(device.CPU).As(dtype.Int64).Empty(shape...).RandIntInPlace(-most, most+1, tensor.NewGenerator(seed)).To(dt)
	}
}

// words is an operand of words of eight numbers of 4 bits.
func words(shape ...int) operand { return whole(dtype.Int32, 1<<31-1, shape...) }

// steps32 is an operand of float32 from 1 to 2, which says what a weight's numbers count.
func steps32(shape ...int) operand {
	return func(_ dtype.DType, seed int64) *tensor.Tensor {
		return tensor.Empty(shape...).UniformInPlace(1, 2, tensor.NewGenerator(seed))
	}
}
