package tensor_test

import (
	"fmt"
	"testing"

	"cresset/tensor"
)

// BenchmarkCompiled times six elementwise ops one by one and compiled.
func BenchmarkCompiled(b *testing.B) {
	chain := func(x *tensor.Tensor) *tensor.Tensor {
		return x.Mul(x).AddScalar(0.5).Mul(x).ReLU().Sub(x).MulScalar(0.25)
	}
	for _, n := range []int{1e4, 1e6, 1e7} {
		x := tensor.Rand(n)
		for _, f := range []struct {
			name string
			f    func(x *tensor.Tensor) *tensor.Tensor
		}{{"eager", chain}, {"compiled", tensor.Compile(chain)}} {
			b.Run(fmt.Sprintf("%s/%d", f.name, n), func(b *testing.B) {
				f.f(x)
				b.SetBytes(int64(4 * n))
				for b.Loop() {
					s := tensor.NewScope()
					f.f(s.Enter(x))
					s.Close()
				}
			})
		}
	}
}
