package optim

import (
	"math"

	"cresset/tensor"
)

// search looks along a direction of LBFGS for a point that meets the strong Wolfe conditions.
type search struct {
	l           *LBFGS
	from        []*tensor.Tensor // the parameters
	loss, slope float64          // there
	grad        *tensor.Tensor
	most        int // evaluations
	evals       int
}

// point is a place along the direction: how far, the loss, its gradient, and the slope.
type point struct {
	t, loss, slope float64
	grad           *tensor.Tensor
}

// at returns the point that is t away.
func (s *search) at(t float64) point {
	s.evals++
	s.l.move(t)
	loss, grad := s.l.evaluate()
	for i, p := range s.l.group.Params {
		p.Detach().CopyInPlace(s.from[i])
	}
	return point{t, loss, dot(grad, s.l.d), grad}
}

// The conditions: the loss falls by at least decrease times the slope, and the slope is at most curvature of what it was.
const decrease, curvature = 1e-4, 0.9

func (s *search) high(p point) bool { return p.loss > s.loss+decrease*p.t*s.slope }
func (s *search) flat(p point) bool { return math.Abs(p.slope) <= -curvature*s.slope }

// run begins with a step of t. It returns the best point, and how many evaluations it took.
func (s *search) run(t float64) (loss float64, grad *tensor.Tensor, step float64, evals int) {
	low, high, tries := s.bracket(t)
	if low.t != high.t {
		low = s.zoom(low, high, tries)
	}
	return low.loss, low.grad, low.t, s.evals
}

// bracket goes ever farther, until a point is good, then low and high are it, or lies beyond a good one.
func (s *search) bracket(t float64) (low, high point, tries int) {
	start := point{0, s.loss, s.slope, s.grad}
	before, now := start, s.at(t)
	for ; tries < s.most; tries++ {
		switch {
		case s.high(now) || tries > 1 && now.loss >= before.loss:
			return before, now, tries
		case s.flat(now):
			return now, now, tries
		case now.slope >= 0:
			return before, now, tries
		}
		nearest, farthest := now.t+0.01*(now.t-before.t), now.t*10
		next := cubic(before, now, nearest, farthest)
		before, now = now, s.at(next)
	}
	return start, now, tries
}

// zoom narrows a bracket until a point is good.
func (s *search) zoom(a, b point, tries int) point {
	slow := false // the point before lay near the bracket's end
	reach := largest(s.l.d)
	bracket, low := [2]point{a, b}, 0
	if a.loss > b.loss {
		low = 1
	}
	for ; tries < s.most && math.Abs(b.t-a.t)*reach >= s.l.group.figures.progress; tries++ {
		a, b = bracket[0], bracket[1]
		left, right := min(a.t, b.t), max(a.t, b.t)
		t := cubic(a, b, left, right)
		if edge := 0.1 * (right - left); min(right-t, t-left) < edge {
			if slow || t >= right || t <= left {
				if math.Abs(t-right) < math.Abs(t-left) {
					t = right - edge
				} else {
					t = left + edge
				}
				slow = false
			} else {
				slow = true
			}
		} else {
			slow = false
		}
		now, high := s.at(t), 1-low
		if s.high(now) || now.loss >= bracket[low].loss {
			bracket[high] = now
			low = 0
			if bracket[0].loss > bracket[1].loss {
				low = 1
			}
		} else {
			if s.flat(now) {
				return now
			}
			if now.slope*(bracket[high].t-bracket[low].t) >= 0 {
				bracket[high] = bracket[low]
			}
			bracket[low] = now
		}
		a, b = bracket[0], bracket[1]
	}
	return bracket[low]
}

// cubic returns where the cubic through two points with their slopes is least, between left and right.
func cubic(a, b point, left, right float64) float64 {
	d := a.slope + b.slope - 3*(a.loss-b.loss)/(a.t-b.t)
	square := d*d - a.slope*b.slope
	if square < 0 {
		return (left + right) / 2
	}
	root := math.Sqrt(square)
	least := a.t - (a.t-b.t)*((a.slope+root-d)/(a.slope-b.slope+2*root))
	if a.t <= b.t {
		least = b.t - (b.t-a.t)*((b.slope+root-d)/(b.slope-a.slope+2*root))
	}
	return min(max(least, left), right)
}
