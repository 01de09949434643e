package optim

import (
	"iter"

	"cresset/internal/op"
	"cresset/tensor"
)

// Etas are by what Rprop multiplies the step where the gradient's sign has changed and where it has not, 0.5 and 1.2 unless given.
func Etas(minus, plus float64) RpropOption {
	return option(func(f *figures) { f.etas = [2]float64{minus, plus} })
}

// StepSizes are the shortest and the longest step of Rprop, 1e-6 and 50 unless given.
func StepSizes(low, high float64) RpropOption {
	return option(func(f *figures) { f.sizes = [2]float64{low, high} })
}

// NewRprop returns Rprop on the parameters, which goes by the signs of the gradients alone; the first steps are as long as the learning rate.
func NewRprop(ps iter.Seq2[string, *tensor.Tensor], opts ...RpropOption) *Algorithm {
	return newAlgorithm(rprop, ps, opts)
}

var rprop = &form{
	class: "Rprop", defaults: figures{lr: 1e-2, etas: [2]float64{0.5, 1.2}, sizes: [2]float64{1e-6, 50}}, counts: true,
	tensors: func(*figures) []tensors {
		return []tensors{{"prev", zeros}, {"step_size", func(p *tensor.Tensor, g *Group) *tensor.Tensor { return tensor.FullLike(p, g.LR) }}}
	},
	settings: func(f *figures) []setting {
		return append([]setting{{"etas", &f.etas}, {"step_sizes", &f.sizes}, {"maximize", &f.maximize}, capturable}, executed...)
	},
	check: func(f *figures) {
		if !(f.etas[0] > 0 && f.etas[0] < 1 && f.etas[1] > 1) {
			refuse(tensor.ErrValue, "Invalid eta values: "+python(f.etas[0])+", "+python(f.etas[1]))
		}
	},
	update: func(u *update) {
		f, n := u.f, u.numbersOf(u.lr)
		n.Minus, n.Plus, n.Low, n.High = f.etas[0], f.etas[1], f.sizes[0], f.sizes[1]
		u.run(op.RpropStep, n, "prev", "step_size")
	},
}
