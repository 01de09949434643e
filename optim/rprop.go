package optim

import (
	"iter"

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
		f, g, before, size := u.f, u.direction(), u.tensors["prev"], u.tensors["step_size"]
		product := g.Mul(before)
		turned := product.LtScalar(0)
		size.MulInPlace(tensor.OnesLike(product).MaskedFill(product.GtScalar(0), f.etas[1]).MaskedFill(turned, f.etas[0]))
		size.ClampInPlace(f.sizes[0], f.sizes[1])
		before.CopyInPlace(g.MaskedFill(turned, 0))
		u.p.AddScaledInPlace(before.Sign().MulInPlace(size), -1)
	},
}
