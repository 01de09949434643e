package bench

import (
	"fmt"

	"cresset/device"
	"cresset/tensor"
)

// byHand are norms and masked softmaxes of elementwise ops and reductions of rows, one by one and compiled.
func byHand() (cases []Case) {
	norm := func(x, w *tensor.Tensor) *tensor.Tensor {
		return x.Mul(x.Mul(x).MeanAxes([]int{-1}, true).AddScalar(1e-5).Rsqrt()).Mul(w)
	}
	softmax := func(x, mask *tensor.Tensor) *tensor.Tensor {
		x = x.MulScalar(0.125).Add(mask)
		e := x.Sub(x.AMax([]int{-1}, true)).Exp()
		return e.Div(e.SumAxes([]int{-1}, true))
	}
	const m, n = 4096, 1024
	of := func(name string, f func(x, row *tensor.Tensor) *tensor.Tensor) Case {
		return Case{Name: fmt.Sprintf("%s/%dx%d", name, m, n), Work: float64(m) * float64(n), Unit: "elem", Bytes: 8, Make: func(dev device.Device) func() {
			x, row := tensor.On(dev).Randn(m, n), tensor.On(dev).Randn(n)
			return func() {
				s := tensor.NewScope()
				defer s.Close()
				f(s.Enter(x), row)
			}
		}}
	}
	return []Case{
		of("rms_norm_by_hand", norm), of("rms_norm_by_hand_compiled", tensor.Compile(norm)),
		of("softmax_by_hand", softmax), of("softmax_by_hand_compiled", tensor.Compile(softmax)),
	}
}

// chains are six elementwise ops that follow each other, one by one and compiled.
func chains() (cases []Case) {
	chain := func(x *tensor.Tensor) *tensor.Tensor {
		return x.Mul(x).AddScalar(0.5).Mul(x).ReLU().Sub(x).MulScalar(0.25)
	}
	scoped := func(f func(x *tensor.Tensor) *tensor.Tensor) func(x *tensor.Tensor) *tensor.Tensor {
		return func(x *tensor.Tensor) *tensor.Tensor {
			s := tensor.NewScope()
			defer s.Close()
			return s.Keep(f(s.Enter(x)))
		}
	}
	for _, size := range []struct {
		name string
		n    int
	}{{"/1e5", 1e5}, {"/1e7", 1e7}} {
		cases = append(cases, unary("chain"+size.name, size.n, scoped(chain)), unary("chain_compiled"+size.name, size.n, scoped(tensor.Compile(chain))))
	}
	return cases
}
