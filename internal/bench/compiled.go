package bench

import "cresset/tensor"

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
