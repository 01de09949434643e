package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/op"
)

// CTCBatch describes log probabilities x[time, Batch, Classes] and the labels that each item's inputs stand for.
type CTCBatch struct {
	op.CTC
	Batch, Classes int
}

// States returns how many states the longest item has: its labels with a blank before and after each.
func (b *CTCBatch) States() int {
	most := 0
	for _, n := range b.Labels {
		most = max(most, n)
	}
	return 2*most + 1
}

// Times returns how many inputs the longest item has.
func (b *CTCBatch) Times() int {
	most := 0
	for _, n := range b.Inputs {
		most = max(most, n)
	}
	return most
}

// state returns the class of a state of an item.
func (b *CTCBatch) state(labels []int64, item, s int) int {
	if s%2 == 0 {
		return b.Blank
	}
	return int(labels[b.Starts[item]+s/2])
}

// skips reports whether state s may follow state s-2: the label between them is a blank, and they differ.
func (b *CTCBatch) skips(labels []int64, item, s int) bool {
	return s > 1 && b.state(labels, item, s) != b.state(labels, item, s-2)
}

// CTC computes loss[i] = -log Σ over the paths through item i's states that begin with the first blank or label and end with the last.
// alpha[item, time, state] becomes the logarithm of the probability of all ways from the beginning to a state. Sums are computed in
// float64. The error is of working memory.
func CTC[T dtype.Float](b CTCBatch, x []T, labels []int64, loss, alpha []T) error {
	states, times := b.States(), b.Times()
	return ForWithWorkspace(b.Batch, 1, 2*states, func(lo, hi int, space []float64) {
		now, before := space[:states], space[states:]
		for item := lo; item < hi; item++ {
			n, at := 2*b.Labels[item]+1, item*times*states
			for t := range b.Inputs[item] {
				now, before = before, now
				p := x[(t*b.Batch+item)*b.Classes:]
				for s := range n {
					from := math.Inf(-1)
					switch {
					case t > 0:
						from = b.arrive(labels, item, s, before)
					case s < 2:
						from = 0
					}
					now[s] = from + float64(p[b.state(labels, item, s)])
					alpha[at+t*states+s] = T(now[s])
				}
			}
			switch {
			case b.Inputs[item] > 0 && n > 1:
				loss[item] = T(-logAdd(now[n-1], now[n-2]))
			case b.Inputs[item] > 0:
				loss[item] = T(-now[0])
			case n > 1:
				loss[item] = T(math.Inf(1))
			default:
				loss[item] = 0
			}
		}
	})
}

// arrive is the logarithm of the probability of all ways to state s from those of the input before.
func (b *CTCBatch) arrive(labels []int64, item, s int, before []float64) float64 {
	sum := before[s]
	if s > 0 {
		sum = logAdd(sum, before[s-1])
	}
	if b.skips(labels, item, s) {
		sum = logAdd(sum, before[s-2])
	}
	return sum
}

// leave is arrive from the end.
func (b *CTCBatch) leave(labels []int64, item, s, n int, after []float64) float64 {
	sum := after[s]
	if s+1 < n {
		sum = logAdd(sum, after[s+1])
	}
	if s+2 < n && b.skips(labels, item, s+2) {
		sum = logAdd(sum, after[s+2])
	}
	return sum
}

// logAdd is log(e**a + e**b).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(a, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// CTCBackward computes dx, the gradient of CTC for x times dy, as PyTorch does: e**x less the probability that an input has the class.
// It is that of the logits if x is their log softmax. The error is of working memory.
func CTCBackward[T dtype.Float](b CTCBatch, dy, x []T, labels []int64, loss, alpha, dx []T) error {
	states, times := b.States(), b.Times()
	clear(dx)
	return ForWithWorkspace(b.Batch, 1, 2*states+b.Classes, func(lo, hi int, space []float64) {
		now, after, classes := space[:states], space[states:2*states], space[2*states:]
		for item := lo; item < hi; item++ {
			nll := float64(loss[item])
			if b.ZeroInfinity && math.IsInf(nll, 1) {
				continue
			}
			n, at := 2*b.Labels[item]+1, item*times*states
			for t := b.Inputs[item] - 1; t >= 0; t-- {
				now, after = after, now
				p, d := x[(t*b.Batch+item)*b.Classes:], dx[(t*b.Batch+item)*b.Classes:]
				for c := range classes {
					classes[c] = math.Inf(-1)
				}
				for s := range n {
					from := math.Inf(-1)
					switch {
					case t < b.Inputs[item]-1:
						from = b.leave(labels, item, s, n, after)
					case s >= n-2:
						from = 0
					}
					class := b.state(labels, item, s)
					now[s] = from + float64(p[class])
					classes[class] = logAdd(classes[class], float64(alpha[at+t*states+s])+now[s])
				}
				for c, ways := range classes {
					d[c] = T((math.Exp(float64(p[c])) - math.Exp(ways+nll-float64(p[c]))) * float64(dy[item]))
				}
			}
		}
	})
}
