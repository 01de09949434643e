package bench

import (
	"fmt"

	"cresset/tensor"
)

// elementwise are ops that touch each element once: in the cache, and with results of their own far beyond it.
func elementwise() []Case {
	type unary struct {
		name string
		f    func(x *tensor.Tensor) *tensor.Tensor
	}
	sizes := []struct {
		name string
		n    int
	}{{"1e3", 1e3}, {"1e5", 1e5}, {"1e7", 1e7}}
	var cases []Case
	for _, s := range sizes {
		cases = append(cases, Case{"add/" + s.name, 12 * float64(s.n), "B", func() func() {
			x, y := tensor.Randn(s.n), tensor.Randn(s.n)
			return func() { x.Add(y).Release() }
		}})
	}
	cases = append(cases, bias(300, 300), bias(4000, 2500), transposed(4000, 2500))
	for _, u := range []unary{
		{"relu", (*tensor.Tensor).ReLU}, {"exp", (*tensor.Tensor).Exp}, {"log", func(x *tensor.Tensor) *tensor.Tensor { return x.Log() }},
		{"sigmoid", (*tensor.Tensor).Sigmoid}, {"tanh", (*tensor.Tensor).Tanh},
		{"gelu", (*tensor.Tensor).GELU}, {"gelu_tanh", (*tensor.Tensor).GELUTanh}, {"silu", (*tensor.Tensor).SiLU},
	} {
		for _, s := range sizes[1:] {
			cases = append(cases, Case{u.name + "/" + s.name, float64(s.n), "elem", func() func() {
				x := tensor.Rand(s.n)
				return func() { u.f(x).Release() }
			}})
		}
	}
	return cases
}

// bias adds a row to every row.
func bias(rows, columns int) Case {
	n := float64(rows) * float64(columns)
	return Case{fmt.Sprintf("add_row/%dx%d", rows, columns), 8 * n, "B", func() func() {
		x, y := tensor.Randn(rows, columns), tensor.Randn(columns)
		return func() { x.Add(y).Release() }
	}}
}

// transposed copies a transposed matrix into row-major order.
func transposed(rows, columns int) Case {
	n := float64(rows) * float64(columns)
	return Case{fmt.Sprintf("transpose/%dx%d", rows, columns), 8 * n, "B", func() func() {
		x := tensor.Randn(rows, columns).T()
		return func() { x.Contiguous().Release() }
	}}
}
