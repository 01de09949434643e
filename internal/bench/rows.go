package bench

import (
	"fmt"

	"cresset/tensor"
)

// rows are ops along an axis of a matrix.
func rows() []Case {
	var cases []Case
	for _, s := range [][2]int{{128, 128}, {4096, 1024}} {
		m, n := s[0], s[1]
		add := func(name string, f func(x *tensor.Tensor)) {
			cases = append(cases, Case{fmt.Sprintf("%s/%dx%d", name, m, n), float64(m) * float64(n), "elem", func() func() {
				x := tensor.Randn(m, n)
				return func() { f(x) }
			}})
		}
		add("softmax", func(x *tensor.Tensor) { x.Softmax(1).Release() })
		add("log_softmax", func(x *tensor.Tensor) { x.LogSoftmax(1).Release() })
		add("sum_rows", func(x *tensor.Tensor) { x.SumAxes([]int{1}, false).Release() })
		add("sum_columns", func(x *tensor.Tensor) { x.SumAxes([]int{0}, false).Release() })
		add("max_rows", func(x *tensor.Tensor) { release(x.MaxAxis(1, false)) })
		add("max_columns", func(x *tensor.Tensor) { release(x.MaxAxis(0, false)) })
		cases = append(cases, layerNorm(m, n), crossEntropy(m, n))
	}
	return cases
}

func release(x, y *tensor.Tensor) {
	x.Release()
	y.Release()
}

func layerNorm(m, n int) Case {
	return Case{fmt.Sprintf("layer_norm/%dx%d", m, n), float64(m) * float64(n), "elem", func() func() {
		x, w, b := tensor.Randn(m, n), tensor.Ones(n), tensor.Zeros(n)
		return func() { x.LayerNorm([]int{n}, w, b, 1e-5).Release() }
	}}
}

func crossEntropy(m, n int) Case {
	return Case{fmt.Sprintf("cross_entropy/%dx%d", m, n), float64(m) * float64(n), "elem", func() func() {
		x, labels := tensor.Randn(m, n), tensor.RandInt(0, n, m)
		return func() { step(func(s *tensor.Scope) { tensor.CrossEntropy(s.Enter(x), labels, tensor.LossOptions{}) }) }
	}}
}
