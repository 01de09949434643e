package optim

import (
	"fmt"
	"iter"

	"cresset/tensor"
)

// AdamOptions are the figures of Adam and AdamW. A zero stands for PyTorch's default: LR 1e-3, Beta1 0.9, Beta2 0.999,
// Eps 1e-8, and WeightDecay 0 for Adam, 1e-2 for AdamW. AdamW without decay is Adam; for a Beta or Eps of zero the
// smallest float64 will do, which changes no float32.
type AdamOptions struct {
	LR           float64
	Beta1, Beta2 float64
	Eps          float64
	WeightDecay  float64
	Maximize     bool
}

// Adam is Adam, and AdamW where the weight decay is decoupled; tensor.AdamStep tells the formula.
type Adam struct {
	params
	rate
	options   AdamOptions
	decoupled bool
	states    []adamState
}

type adamState struct {
	mean, square *tensor.Tensor
	step         int
}

var _ Optimizer = (*Adam)(nil)

// NewAdam returns an Adam optimizer of the parameters; weight decay is added to the gradient.
func NewAdam(ps iter.Seq2[string, *tensor.Tensor], o AdamOptions) *Adam { return newAdam(ps, o, false) }

// NewAdamW returns an AdamW optimizer of the parameters: weight decay shrinks the parameter itself.
func NewAdamW(ps iter.Seq2[string, *tensor.Tensor], o AdamOptions) *Adam {
	defaultTo(&o.WeightDecay, 1e-2)
	return newAdam(ps, o, true)
}

func newAdam(ps iter.Seq2[string, *tensor.Tensor], o AdamOptions, decoupled bool) *Adam {
	defaultTo(&o.LR, 1e-3)
	defaultTo(&o.Beta1, 0.9)
	defaultTo(&o.Beta2, 0.999)
	defaultTo(&o.Eps, 1e-8)
	nonNegative("learning rate", o.LR)
	nonNegative("epsilon value", o.Eps)
	nonNegative("weight_decay value", o.WeightDecay)
	for i, beta := range []float64{o.Beta1, o.Beta2} {
		if !(beta >= 0 && beta < 1) {
			refuse(tensor.ErrValue, fmt.Sprintf("Invalid beta parameter at index %d: %v", i, beta))
		}
	}
	a := &Adam{params: collect(ps), rate: rate{lr: o.LR}, options: o, decoupled: decoupled}
	a.states = make([]adamState, len(a.params))
	return a
}

func defaultTo(v *float64, d float64) {
	if *v == 0 {
		*v = d
	}
}

// Copy returns an optimizer like a, without its moments, of what of returns for each of its parameters.
func (a *Adam) Copy(of func(p *tensor.Tensor) *tensor.Tensor) Optimizer {
	return &Adam{params: a.copied(of), rate: a.rate, options: a.options, decoupled: a.decoupled, states: make([]adamState, len(a.params))}
}

// Step updates every parameter that has a gradient.
func (a *Adam) Step() {
	o := tensor.Adam{LR: a.lr, Beta1: a.options.Beta1, Beta2: a.options.Beta2, Eps: a.options.Eps,
		WeightDecay: a.options.WeightDecay, Decoupled: a.decoupled, Maximize: a.options.Maximize}
	for i, p := range a.params {
		g := p.BorrowGrad()
		if g == nil {
			continue
		}
		s := &a.states[i]
		if s.mean == nil {
			s.mean, s.square = tensor.ZerosLike(p), tensor.ZerosLike(p)
		}
		s.step++
		o.Step = s.step
		tensor.AdamStep(p, g, s.mean, s.square, o)
	}
}
