package optim

import (
	"iter"
	"math"

	"cresset/dtype"
	"cresset/internal/statedict"
	"cresset/tensor"
)

// Eps1 is the least mean square of Adafactor, its root: the dtype's unless given.
func Eps1(v float64) AdafactorOption { return option(func(f *figures) { f.eps, f.ownEps = v, true }) }

// Eps2 is the least size of a parameter that Adafactor's steps are made for, 1e-3 unless given.
func Eps2(v float64) AdafactorOption { return option(func(f *figures) { f.eps2 = v }) }

// Beta2Decay is the exponent of the steps' number by which Adafactor's means take less of what is new, -0.8 unless given.
func Beta2Decay(v float64) AdafactorOption { return option(func(f *figures) { f.betaDecay = v }) }

// ClipThreshold is the largest root mean square of Adafactor's steps before they are scaled, 1 unless given: PyTorch's d.
func ClipThreshold(v float64) AdafactorOption { return option(func(f *figures) { f.clip = v }) }

// NewAdafactor returns Adafactor on the parameters, which keeps the mean squares of a matrix's rows and columns alone.
func NewAdafactor(ps iter.Seq2[string, *tensor.Tensor], opts ...AdafactorOption) *Algorithm {
	return newAlgorithm(adafactor, ps, opts)
}

var adafactor = &form{
	class: "Adafactor", floats: true, composed: true, defaults: figures{lr: 1e-2, betaDecay: -0.8, eps2: 1e-3, clip: 1, decoupled: true}, counts: true,
	tensors: func(*figures) []tensors {
		return []tensors{{"row_var", squaresAlong(-1)}, {"col_var", squaresAlong(-2)}, {"variance", ofVectors}}
	},
	settings: func(f *figures) []setting {
		return []setting{{"beta2_decay", &f.betaDecay}, {"d", &f.clip}, {"weight_decay", &f.weightDecay}, {"maximize", &f.maximize},
			{"foreach", always{nil}}, {"eps", entry{
				put: func() any {
					if f.ownEps {
						return [2]any{f.eps, f.eps2}
					}
					return [2]any{nil, f.eps2}
				},
				take: f.takeEps,
			}}}
	},
	check: func(f *figures) {
		should := func(ok bool, what, is string, v float64) {
			if !ok {
				refuse(tensor.ErrValue, what+" should be "+is+" but is: "+python(v))
			}
		}
		should(f.betaDecay <= 0, "beta2_decay", "<= 0", f.betaDecay)
		should(!f.ownEps || f.eps >= 0, "epsilon1", ">= 0", f.eps)
		should(f.eps2 >= 0, "epsilon2", ">= 0", f.eps2)
		should(f.clip >= 1, "Clipping threshold d", ">= 1", f.clip)
		should(f.weightDecay >= 0, "weight_decay", ">= 0", f.weightDecay)
	},
	update: func(u *update) { u.adafactor() },
}

// ofVectors is a tensor like a parameter that has less than two axes.
func ofVectors(p *tensor.Tensor, g *Group) *tensor.Tensor {
	if p.Dim() > 1 {
		return nil
	}
	return zeros(p, g)
}

// squaresAlong keeps a mean square for each line along an axis of a parameter that has two.
func squaresAlong(axis int) func(p *tensor.Tensor, _ *Group) *tensor.Tensor {
	return func(p *tensor.Tensor, _ *Group) *tensor.Tensor {
		if p.Dim() < 2 {
			return nil
		}
		shape := append([]int(nil), p.Shape()...)
		shape[len(shape)+axis] = 1
		return tensor.Like(p).Zeros(shape...)
	}
}

// takeEps reads Adafactor's two, of which None is the dtype's.
func (f *figures) takeEps(d *statedict.Dict, name string) {
	pair := d.Optionals(name)
	if len(pair) != 2 || pair[1] == nil {
		d.Refuse("the state dict's %s should be a number or None, and a number", name)
		return
	}
	f.eps2, f.ownEps = *pair[1], pair[0] != nil
	if f.ownEps {
		f.eps = *pair[0]
	}
}

// adafactor is a step, which waits for a GPU twice: for the sizes of the parameter and of the step.
func (u *update) adafactor() {
	f, g := u.f, u.grad
	u.p = u.param.Detach()
	if f.maximize {
		g = g.Neg()
	}
	steps, size := float64(u.step), math.Sqrt(float64(u.p.NumEl()))
	part := math.Pow(steps, f.betaDecay)
	scale := max(f.eps2, u.p.Norm().Float64()/size) * min(u.lr, 1/math.Sqrt(steps))
	u.shrink()
	eps := f.eps
	if !f.ownEps {
		eps = epsilon(u.p)
	}
	var square *tensor.Tensor
	if u.p.Dim() > 1 {
		along := func(axis int) *tensor.Tensor {
			return g.NormAxes(2, []int{axis}, true).Square().DivScalarInPlace(g.Size(axis))
		}
		rows, columns := u.tensors["row_var"], u.tensors["col_var"]
		blend(rows, along(-1), part)
		blend(columns, along(-2), part)
		square = rows.MatMul(columns).DivInPlace(rows.MeanAxes([]int{-2}, true).ClampInPlace(eps, nil))
	} else {
		square = u.tensors["variance"]
		blend(square, g.Square(), part)
	}
	step := square.Clamp(eps*eps, nil).Rsqrt().MulInPlace(g)
	u.p.AddScaledInPlace(step, -scale/max(1, step.Norm().Float64()/(size*f.clip)))
}

// epsilon is the distance from 1 to the next number of x's dtype.
func epsilon(x *tensor.Tensor) float64 {
	switch x.DType() {
	case dtype.Float64:
		return 0x1p-52
	case dtype.Float16:
		return 0x1p-10
	case dtype.BFloat16:
		return 0x1p-7
	}
	return 0x1p-23
}
