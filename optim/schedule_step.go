package optim

import (
	"fmt"
	"math"

	"cresset/internal/statedict"
	"cresset/tensor"
)

// NewStepLR multiplies the learning rate by Gamma every size steps: lr·gamma^⌊n/size⌋.
func NewStepLR(o Optimizer, size int, opts ...StepLROption) Schedule {
	r := rates{gamma: 0.1}
	for _, opt := range opts {
		opt.stepLR(&r)
	}
	s := &schedule{
		name:     "StepLR",
		settings: []setting{{"step_size", &size}, {"gamma", &r.gamma}},
		check: func() {
			positive("step_size", size)
			nonNegative("gamma", r.gamma)
		},
		next: func(_ int, lr float64, n int) float64 {
			if n%size != 0 {
				return lr
			}
			return lr * r.gamma
		},
	}
	return s.begin(o)
}

// NewMultiStepLR multiplies the learning rate by Gamma in the steps that are named, as often as each is.
func NewMultiStepLR(o Optimizer, milestones []int, opts ...StepLROption) Schedule {
	r := rates{gamma: 0.1}
	for _, opt := range opts {
		opt.stepLR(&r)
	}
	counts := make(map[int]int)
	for _, n := range milestones {
		counts[n]++
	}
	s := &schedule{
		name: "MultiStepLR",
		settings: []setting{{"gamma", &r.gamma}, {"milestones", entry{
			put:  func() any { return counts },
			take: func(d *statedict.Dict, name string) { counts = d.Counts(name) },
		}}},
		check: func() { nonNegative("gamma", r.gamma) },
		next:  func(_ int, lr float64, n int) float64 { return lr * math.Pow(r.gamma, float64(counts[n])) },
	}
	s.first = func(i int, lr float64) float64 { return s.next(i, lr, 0) }
	return s.begin(o)
}

// NewExponentialLR multiplies the learning rate by gamma in each step: lr·gamma^n.
func NewExponentialLR(o Optimizer, gamma float64) Schedule {
	s := &schedule{
		name:     "ExponentialLR",
		settings: []setting{{"gamma", &gamma}},
		check:    func() { nonNegative("gamma", gamma) },
		next:     func(_ int, lr float64, _ int) float64 { return lr * gamma },
	}
	return s.begin(o)
}

// NewLambdaLR makes the learning rate lr·f(n), with one function for all groups or one for each.
func NewLambdaLR(o Optimizer, f ...func(n int) float64) Schedule {
	s := &schedule{name: "LambdaLR", settings: lambdas(o, &f)}
	s.next = func(i int, _ float64, n int) float64 { return s.base[i] * f[i](n) }
	s.first = func(i int, lr float64) float64 { return s.next(i, lr, 0) }
	return s.begin(o)
}

// NewMultiplicativeLR multiplies the learning rate by f(n) in step n, with one function for all groups or one for each.
func NewMultiplicativeLR(o Optimizer, f ...func(n int) float64) Schedule {
	s := &schedule{
		name:     "MultiplicativeLR",
		settings: lambdas(o, &f),
		next:     func(i int, lr float64, n int) float64 { return lr * f[i](n) },
		again:    func(i int, g *Group) float64 { return g.LR * f[i](0) },
	}
	return s.begin(o)
}

// lambdas makes f one function for each group. What functions are a state dict does not tell.
func lambdas(o Optimizer, f *[]func(n int) float64) []setting {
	n := len(groupsOf(o))
	if len(*f) == 1 {
		for len(*f) < n {
			*f = append(*f, (*f)[0])
		}
	}
	if len(*f) != n {
		refuse(tensor.ErrValue, fmt.Sprintf("Expected %d lr_lambdas, but got %d", n, len(*f)))
	}
	return []setting{{"lr_lambdas", always{make([]any, n)}}}
}
