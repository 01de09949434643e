package kern

import (
	"cresset/dtype"
	"cresset/internal/par"
)

// NLL computes the negative log likelihood loss[i] = -weight[t]*x[t] of each of
// N*L targets t, where x[N, C, L] holds log probabilities of C classes and weight
// has C elements or is nil for ones. The loss of a target equal to ignore is zero.
// A nil loss is not written. It returns the sum of the losses and of the weights,
// whose quotient is the mean loss. Other targets must be in [0, C), as OutOfRange tells.
// Unless shifts is nil, x holds logits, whose log probabilities are x less the shifts of SoftmaxShifts.
func NLL[T dtype.Float](s ChannelShape, x, shifts []T, targets []int64, weight []T, ignore int64, loss []T) (sum, total float64) {
	for i, t := range targets {
		var l T
		if t != ignore {
			w := weightOf(weight, t)
			v := x[s.at(i/s.L, int(t))+i%s.L]
			if shifts != nil {
				v = v - shifts[2*i] - shifts[2*i+1]
			}
			l = -v * w
			sum += float64(l)
			total += float64(w)
		}
		if loss != nil {
			loss[i] = l
		}
	}
	return sum, total
}

// NLLBackward computes dx, the gradient of NLL for x: -weight[t]*dy[i]*scale at
// the target of i and zero elsewhere. One element of dy serves all targets, as
// the gradient of a sum does; scale is one, or one over the total weight for a mean.
func NLLBackward[T dtype.Float](s ChannelShape, dy []T, scale float64, targets []int64, weight []T, ignore int64, dx []T) {
	clear(dx)
	step := 1
	if len(dy) == 1 {
		step = 0
	}
	par.For(len(targets), rowElems, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if t := targets[i]; t != ignore {
				dx[s.at(i/s.L, int(t))+i%s.L] = T(-float64(weightOf(weight, t)) * scale * float64(dy[i*step]))
			}
		}
	})
}

// OutOfRange returns the first target that is neither ignore nor in [0, classes).
func OutOfRange(targets []int64, classes int, ignore int64) (target int64, found bool) {
	for _, t := range targets {
		if t != ignore && (t < 0 || t >= int64(classes)) {
			return t, true
		}
	}
	return 0, false
}

func weightOf[T dtype.Float](weight []T, target int64) T {
	if weight == nil {
		return 1
	}
	return weight[target]
}
