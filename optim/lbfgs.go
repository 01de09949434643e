package optim

import (
	"iter"
	"math"

	"cresset/internal/statedict"
	"cresset/tensor"
)

// MaxIter is how many iterations a step of LBFGS takes at most, 20 unless given.
func MaxIter(n int) LBFGSOption { return option(func(f *figures) { f.iterations = n }) }

// MaxEval is how often a step of LBFGS computes the loss at most, 5/4 of MaxIter unless given.
func MaxEval(n int) LBFGSOption { return option(func(f *figures) { f.evaluations = n }) }

// ToleranceGrad ends a step of LBFGS where no gradient is larger, 1e-7 unless given.
func ToleranceGrad(v float64) LBFGSOption { return option(func(f *figures) { f.tolerance = v }) }

// ToleranceChange ends a step of LBFGS where neither parameters nor the loss change by more, 1e-9 unless given.
func ToleranceChange(v float64) LBFGSOption { return option(func(f *figures) { f.progress = v }) }

// HistorySize is how many changes of gradients LBFGS keeps, 100 unless given.
func HistorySize(n int) LBFGSOption { return option(func(f *figures) { f.history = n }) }

// StrongWolfe lets LBFGS search along each direction for a point that meets the strong Wolfe conditions.
func StrongWolfe(on bool) LBFGSOption { return option(func(f *figures) { f.wolfe = on }) }

// LBFGS is what NewLBFGS returns. It is an Optimizer and a checkpoint.Stateful.
type LBFGS struct {
	group  *Group
	loss   func() *tensor.Tensor
	first  float64 // loss of the last step
	evals  int     // of all steps
	iters  int
	d      *tensor.Tensor   // the direction
	t      float64          // the step along it
	ys, ss []*tensor.Tensor // changes of gradients and of parameters
	ro     []float64        // 1/(y·s)
	scale  float64          // of the first guess of the inverse Hessian
	grad   *tensor.Tensor   // of the iteration before
	before float64          // the loss of the iteration before
}

var _ Optimizer = (*LBFGS)(nil)

// NewLBFGS returns the method of Broyden, Fletcher, Goldfarb and Shanno with limited memory on the parameters, which are one
// group. A step calls loss several times, which computes the loss from the parameters; gradients are dropped before and computed
// after. All scalars are read from the device. It panics where loss is nil, besides where all constructors do.
func NewLBFGS(ps iter.Seq2[string, *tensor.Tensor], loss func() *tensor.Tensor, opts ...LBFGSOption) *LBFGS {
	f := lbfgs.defaults
	for _, o := range opts {
		o.set(&f)
	}
	if f.evaluations == 0 {
		f.evaluations = f.iterations * 5 / 4
	}
	groups := lbfgs.group(ps, f)
	switch {
	case len(groups) != 1 || len(f.groups) > 0:
		refuse(tensor.ErrValue, "LBFGS doesn't support per-parameter options (parameter groups)")
	case loss == nil:
		refuse(tensor.ErrValue, "LBFGS.step() missing 1 required positional argument: 'closure'")
	}
	return &LBFGS{group: groups[0], loss: loss}
}

var lbfgs = &form{
	class: "LBFGS", floats: true, composed: true, defaults: figures{lr: 1, iterations: 20, tolerance: 1e-7, progress: 1e-9, history: 100},
	settings: func(f *figures) []setting {
		return []setting{{"max_iter", &f.iterations}, {"max_eval", &f.evaluations}, {"tolerance_grad", &f.tolerance},
			{"tolerance_change", &f.progress}, {"history_size", &f.history}, {"maximize", &f.maximize}, {"line_search_fn", entry{
				put: func() any {
					if f.wolfe {
						return "strong_wolfe"
					}
					return nil
				},
				take: func(d *statedict.Dict, name string) { f.wolfe = d.String(name) == "strong_wolfe" },
			}}}
	},
	check: func(f *figures) { positive("history_size", f.history) },
}

// Groups returns the one group.
func (l *LBFGS) Groups() []*Group { return []*Group{l.group} }

// ZeroGrad drops the gradients of all parameters.
func (l *LBFGS) ZeroGrad() { l.group.ZeroGrad() }

// Loss returns the loss that the last Step began with.
func (l *LBFGS) Loss() float64 { return l.first }

// Step takes up to MaxIter iterations.
func (l *LBFGS) Step() {
	f := &l.group.figures
	var loss float64
	loss, grad := l.evaluate()
	l.first = loss
	if f.maximize {
		l.first = -loss
	}
	evals := 1
	l.evals++
	for n := 1; n <= f.iterations && largest(grad) > f.tolerance; n++ {
		l.iters++
		l.turn(grad)
		l.grad, l.before = grad, loss
		l.t = l.group.LR
		if l.iters == 1 {
			l.t *= min(1, 1/grad.Abs().Sum().Float64())
		}
		slope := dot(grad, l.d)
		if slope > -f.progress {
			break
		}
		more := 0
		if f.wolfe {
			s := search{from: l.clones(), l: l, slope: slope, loss: loss, grad: grad, most: f.evaluations - evals}
			loss, grad, l.t, more = s.run(l.t)
			l.move(l.t)
		} else {
			l.move(l.t)
			if n < f.iterations {
				loss, grad = l.evaluate()
				more = 1
			}
		}
		evals += more
		l.evals += more
		if evals >= f.evaluations || largest(l.d)*math.Abs(l.t) <= f.progress || math.Abs(loss-l.before) < f.progress {
			break
		}
	}
}

// turn chooses the direction at a gradient, from what was seen of the curvature.
func (l *LBFGS) turn(grad *tensor.Tensor) {
	if l.iters == 1 {
		l.d, l.scale = grad.Neg(), 1
		return
	}
	y, s := grad.Sub(l.grad), l.d.MulScalar(l.t)
	if ys := dot(y, s); ys > 1e-10 {
		if len(l.ys) == l.group.figures.history {
			l.ys, l.ss, l.ro = l.ys[1:], l.ss[1:], l.ro[1:]
		}
		l.ys, l.ss, l.ro = append(l.ys, y), append(l.ss, s), append(l.ro, 1/ys)
		l.scale = ys / dot(y, y)
	}
	q, al := grad.Neg(), make([]float64, len(l.ys))
	for i := len(l.ys) - 1; i >= 0; i-- {
		al[i] = dot(l.ss[i], q) * l.ro[i]
		q.AddScaledInPlace(l.ys[i], -al[i])
	}
	q.MulScalarInPlace(l.scale)
	for i := range l.ys {
		q.AddScaledInPlace(l.ss[i], al[i]-dot(l.ys[i], q)*l.ro[i])
	}
	l.d = q
}

// evaluate returns the loss and all gradients as one vector, both negated to maximize.
func (l *LBFGS) evaluate() (float64, *tensor.Tensor) {
	l.ZeroGrad()
	y := l.loss()
	y.Backward()
	loss, flat := y.Float64(), make([]*tensor.Tensor, len(l.group.Params))
	for i, p := range l.group.Params {
		if g := inner.BorrowGrad(p); g != nil {
			flat[i] = g.Detach().Reshape(-1)
		} else {
			flat[i] = tensor.Like(p).Zeros(p.NumEl())
		}
	}
	grad := tensor.Cat(flat, 0)
	if l.group.figures.maximize {
		return -loss, grad.Neg()
	}
	return loss, grad
}

// move adds t times the direction to the parameters.
func (l *LBFGS) move(t float64) {
	at := 0
	for _, p := range l.group.Params {
		p.Detach().AddScaledInPlace(l.d.Slice(0, at, at+p.NumEl()).ViewAs(p), t)
		at += p.NumEl()
	}
}

func (l *LBFGS) clones() []*tensor.Tensor {
	all := make([]*tensor.Tensor, len(l.group.Params))
	for i, p := range l.group.Params {
		all[i] = p.Detach().Clone()
	}
	return all
}

func dot(x, y *tensor.Tensor) float64  { return x.Dot(y).Float64() }
func largest(x *tensor.Tensor) float64 { return x.Abs().Max().Float64() }
