package optim

import (
	"fmt"
	"iter"
	"math"

	"cresset/dtype"
	"cresset/internal/statedict"
	"cresset/tensor"
)

// Adjust is how Muon fits the learning rate to the shape [a, b] of a parameter; none is as AdjustOriginal.
type Adjust string

// AdjustOriginal multiplies it by √max(1, a/b), AdjustMatchRMSAdamW by 0.2·√max(a, b), AdjustSpectralUnclamped by √(a/b).
const (
	AdjustOriginal          Adjust = "original"
	AdjustMatchRMSAdamW     Adjust = "match_rms_adamw"
	AdjustSpectralUnclamped Adjust = "spectral_unclamped"
)

func (a Adjust) set(f *figures) { f.adjust = a }
func (Adjust) muon()            {}

// NSCoefficients are those of Muon's iterations a·x + b·x³ + c·x⁵ of Newton and Schulz, 3.4445, -4.775 and 2.0315 unless given.
func NSCoefficients(a, b, c float64) MuonOption {
	return option(func(f *figures) { f.coefficients = []float64{a, b, c} })
}

// NSSteps is how many iterations a step of Muon takes, 5 unless given.
func NSSteps(n int) MuonOption { return option(func(f *figures) { f.steps = n }) }

// NewMuon returns Muon on matrices, which steps by their momentum made nearly orthogonal, in bfloat16. It panics where a parameter
// has other than two axes.
func NewMuon(ps iter.Seq2[string, *tensor.Tensor], opts ...MuonOption) *Algorithm {
	return newAlgorithm(muon, ps, opts)
}

var muon = &form{
	class: "Muon", composed: true,
	defaults: figures{lr: 1e-3, weightDecay: 0.1, momentum: 0.95, nesterov: true, eps: 1e-7, steps: 5,
		coefficients: []float64{3.4445, -4.775, 2.0315}},
	tensors: zeroed("momentum_buffer"),
	settings: func(f *figures) []setting {
		return []setting{{"weight_decay", &f.weightDecay}, {"momentum", &f.momentum}, {"nesterov", &f.nesterov},
			{"ns_coefficients", &f.coefficients}, {"eps", &f.eps}, {"ns_steps", &f.steps}, {"adjust_lr_fn", entry{
				put: func() any {
					if f.adjust == "" {
						return nil
					}
					return string(f.adjust)
				},
				take: func(d *statedict.Dict, name string) { f.adjust = Adjust(d.String(name)) },
			}}}
	},
	check: func(f *figures) {
		if !(f.momentum >= 0) {
			refuse(tensor.ErrValue, "momentum should be >= 0 but is: "+python(f.momentum))
		}
		if !(f.weightDecay >= 0) {
			refuse(tensor.ErrValue, "weight decay should be >= 0 but is: "+python(f.weightDecay))
		}
		if f.steps >= 100 {
			refuse(tensor.ErrValue, "Number of steps must be less than 100 for computational efficiency")
		}
		f.adjust.ratio(1, 1)
	},
	suits: func(p *tensor.Tensor) {
		if p.Dim() != 2 {
			refuse(tensor.ErrValue, fmt.Sprintf("Muon only supports 2D parameters whereas we found a parameter with size: %v", p.Shape()))
		}
	},
	update: func(u *update) {
		f, momentum := u.f, u.tensors["momentum_buffer"]
		u.p = u.param.Detach()
		blend(momentum, u.grad, 1-f.momentum)
		direction := momentum
		if f.nesterov {
			direction = u.grad.Clone()
			blend(direction, momentum, f.momentum)
		}
		u.p.MulScalarInPlace(1 - u.lr*f.weightDecay)
		u.p.AddScaledInPlace(f.orthogonal(direction).To(u.p.DType()), -u.lr*f.adjust.ratio(u.p.Size(0), u.p.Size(1)))
	},
}

// orthogonal returns a matrix near the closest one whose singular values are 1.
func (f *figures) orthogonal(x *tensor.Tensor) *tensor.Tensor {
	tall := x.Size(0) > x.Size(1)
	x = x.To(dtype.BFloat16)
	if tall {
		x = x.T()
	}
	x = x.Div(x.Norm().Clamp(f.eps, nil))
	for range f.steps {
		gram := x.MM(x.T())
		x = x.AddMMScaled(gram.AddMMScaled(gram, gram, f.coefficients[1], f.coefficients[2]), x, f.coefficients[0], 1)
	}
	if tall {
		x = x.T()
	}
	return x
}

// ratio returns the factor of the learning rate for a matrix [a, b].
func (adjust Adjust) ratio(a, b int) float64 {
	x, y := float64(a), float64(b)
	switch adjust {
	case "", AdjustOriginal:
		return math.Sqrt(max(1, x/y))
	case AdjustMatchRMSAdamW:
		return 0.2 * math.Sqrt(max(x, y))
	case AdjustSpectralUnclamped:
		return math.Sqrt(x / y)
	}
	refuse(tensor.ErrValue, fmt.Sprintf("Adjust learning rate function %s is not supported", string(adjust)))
	return 0
}
