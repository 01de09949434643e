package bench

import (
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// elementwise are ops that touch each element once: in the cache, and with results of their own far beyond it.
func elementwise() []Case {
	cases := []Case{add("1e3", 1e3), add("1e5", 1e5), add("1e7", 1e7), bias(300, 300), bias(4000, 2500), transposed(4000, 2500)}
	for _, u := range []struct {
		name string
		f    func(x *tensor.Tensor) *tensor.Tensor
	}{
		{"relu", (*tensor.Tensor).ReLU}, {"exp", (*tensor.Tensor).Exp}, {"log", (*tensor.Tensor).Log},
		{"sigmoid", (*tensor.Tensor).Sigmoid}, {"tanh", (*tensor.Tensor).Tanh},
		{"gelu", (*tensor.Tensor).GELU}, {"gelu_tanh", (*tensor.Tensor).GELUTanh}, {"silu", (*tensor.Tensor).SiLU},
	} {
		cases = append(cases, unary(u.name+"/1e5", 1e5, u.f), unary(u.name+"/1e7", 1e7, u.f))
	}
	return append(cases,
		unary("mul_scalar/1e5", 1e5, func(x *tensor.Tensor) *tensor.Tensor { return x.MulScalar(3) }),
		Case{Name: "full/1e5", Work: 1e5, Unit: "elem", Bytes: 4, Make: func(dev device.Device) func() {
			return func() { tensor.On(dev).Full([]int{1e5}, 2.0).Release() }
		}},
		of(dtype.BFloat16, "add", []int{1e5}, 4, func(x *tensor.Tensor) { x.Add(x).Release() }),
		of(dtype.Float16, "add", []int{1e5}, 4, func(x *tensor.Tensor) { x.Add(x).Release() }),
		of(dtype.BFloat16, "transpose", []int{4096, 4096}, 4, func(x *tensor.Tensor) { x.T().Contiguous().Release() }),
		matrix("add_transposed", 1000, 1000, 12, func(x *tensor.Tensor) { x.Add(x.T()).Release() }),
		matrix("sub_column", 4096, 128, 8, func(x *tensor.Tensor) { x.Sub(x.Slice(1, 0, 1)).Release() }))
}

func add(size string, n int) Case {
	return Case{Name: "add/" + size, Work: 12 * float64(n), Unit: "B", Make: func(dev device.Device) func() {
		x, y := tensor.On(dev).Randn(n), tensor.On(dev).Randn(n)
		return func() { x.Add(y).Release() }
	}}
}

func unary(name string, n int, f func(x *tensor.Tensor) *tensor.Tensor) Case {
	return Case{Name: name, Work: float64(n), Unit: "elem", Bytes: 8, Make: func(dev device.Device) func() {
		x := tensor.On(dev).Rand(n)
		return func() { f(x).Release() }
	}}
}

// bias adds a row to every row.
func bias(rows, columns int) Case {
	n := float64(rows) * float64(columns)
	return Case{Name: fmt.Sprintf("add_row/%dx%d", rows, columns), Work: 8 * n, Unit: "B", Make: func(dev device.Device) func() {
		x, y := tensor.On(dev).Randn(rows, columns), tensor.On(dev).Randn(columns)
		return func() { x.Add(y).Release() }
	}}
}

// transposed copies a transposed matrix into row-major order.
func transposed(rows, columns int) Case {
	n := float64(rows) * float64(columns)
	return Case{Name: fmt.Sprintf("transpose/%dx%d", rows, columns), Work: 8 * n, Unit: "B", Make: func(dev device.Device) func() {
		x := tensor.On(dev).Randn(rows, columns).T()
		return func() { x.Contiguous().Release() }
	}}
}
