package bench

import (
	"fmt"
	"slices"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// dtypes are workloads in float64, reductions and products of half types, and casts.
func dtypes() []Case {
	return slices.Concat(doubles(), halves(), []Case{cast(dtype.Float32, dtype.BFloat16), cast(dtype.BFloat16, dtype.Float32)})
}

// doubles are workloads in float64.
func doubles() []Case {
	f64 := dtype.Float64
	return []Case{
		mmOf("mm_f64/512", 512, 512, 512, f64),
		of(f64, "add", []int{1e5}, 24, func(x *tensor.Tensor) { x.Add(x).Release() }),
		of(f64, "exp", []int{1e5}, 16, func(x *tensor.Tensor) { x.Exp().Release() }),
		of(f64, "log", []int{1e5}, 16, func(x *tensor.Tensor) { x.Log().Release() }),
		of(f64, "tanh", []int{1e5}, 16, func(x *tensor.Tensor) { x.Tanh().Release() }),
		of(f64, "gelu", []int{1e5}, 16, func(x *tensor.Tensor) { x.GELU().Release() }),
		of(f64, "sum_rows", []int{1024, 1024}, 8, func(x *tensor.Tensor) { x.SumAxes([]int{1}).Release() }),
		of(f64, "sum_columns", []int{1024, 1024}, 8, func(x *tensor.Tensor) { x.SumAxes([]int{0}).Release() }),
		of(f64, "max_rows", []int{1024, 1024}, 8, func(x *tensor.Tensor) { release(x.MaxAxis(1)) }),
		of(f64, "cumsum", []int{1024, 1024}, 16, func(x *tensor.Tensor) { x.CumSum(1).Release() }),
		of(f64, "softmax", []int{1024, 1024}, 16, func(x *tensor.Tensor) { x.Softmax(1).Release() }),
		layerNorm(1024, 1024, f64),
	}
}

// halves are workloads in bfloat16 and float16.
func halves() (cases []Case) {
	for _, dt := range []dtype.DType{dtype.BFloat16, dtype.Float16} {
		cases = append(cases,
			of(dt, "sum_rows", []int{1024, 1024}, 2, func(x *tensor.Tensor) { x.SumAxes([]int{1}).Release() }),
			of(dt, "sum_columns", []int{1024, 1024}, 2, func(x *tensor.Tensor) { x.SumAxes([]int{0}).Release() }),
			of(dt, "max_rows", []int{1024, 1024}, 2, func(x *tensor.Tensor) { release(x.MaxAxis(1)) }),
			of(dt, "argmax_rows", []int{1024, 1024}, 2, func(x *tensor.Tensor) { x.ArgMaxAxis(1).Release() }),
			of(dt, "softmax", []int{1024, 1024}, 4, func(x *tensor.Tensor) { x.Softmax(1).Release() }),
			layerNorm(1024, 1024, dt))
	}
	return append(cases, bmmBF16(64, 128, 64, 128), bmmBF16(16, 256, 256, 256))
}

// of calls f with a tensor of a dtype, of which bytes an element have to move.
func of(dt dtype.DType, name string, shape []int, bytes float64, f func(x *tensor.Tensor)) Case {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return Case{Name: named(name, dt, shape...), Work: float64(n), Unit: "elem", Bytes: bytes, Make: func(dev device.Device) func() {
		x := tensor.On(dev).Rand(shape...).To(dt)
		return func() { f(x) }
	}}
}

// cast makes elements of one dtype those of another.
func cast(from, to dtype.DType) Case {
	return Case{Name: fmt.Sprintf("cast_%s_%s/1e7", short(from), short(to)), Work: 1e7, Unit: "elem", Bytes: float64(from.Size() + to.Size()), Make: func(dev device.Device) func() {
		x := tensor.On(dev).Rand(1e7).To(from)
		return func() { x.To(to).Release() }
	}}
}

// named is the name of a workload of a dtype other than float32, "softmax_bf16/1024x1024", or of that, which goes without saying.
func named(name string, dt dtype.DType, shape ...int) string {
	if dt != dtype.Float32 {
		name += "_" + short(dt)
	}
	if len(shape) == 1 {
		return name + "/1e5"
	}
	return fmt.Sprintf("%s/%dx%d", name, shape[0], shape[1])
}

// short is the name of a dtype in that of a workload.
func short(dt dtype.DType) string {
	return map[dtype.DType]string{dtype.Float32: "f32", dtype.Float64: "f64", dtype.BFloat16: "bf16", dtype.Float16: "f16"}[dt]
}

// bmmBF16 are products of a batch of matrices in bfloat16.
func bmmBF16(batch, m, k, n int) Case {
	name := fmt.Sprintf("bmm_bf16/%dx%dx%dx%d", batch, m, k, n)
	return Case{Name: name, Work: flops(batch*m, k, n), Unit: "FLOP", Halves: true, Make: func(dev device.Device) func() {
		on := tensor.On(dev).As(dtype.BFloat16)
		a, b := on.Randn(batch, m, k), on.Randn(batch, k, n)
		return func() { a.BMM(b).Release() }
	}}
}
