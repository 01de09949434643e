package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// slidesWeights reports whether gradWeightBySliding computes the gradient for the weights, which saves
// depthwise3x3_grad/32x512x14x14 a quarter.
func (s *ConvShape) slidesWeights() bool { return s.C == s.Groups && s.slides() }

// gradWeightBySliding computes dw of a depthwise convolution: for each weight the sum of dy times the elements of x that it is multiplied by.
// dy is copied with zeros in the columns that belong to no output. Images are added in order.
func gradWeightBySliding[T dtype.Float](s *ConvShape, x, dy, dw []T) error {
	d := newSlidingConv[T](s)
	inputs, outputs, window, pixels := s.groupSizes()
	taps := append([]int32(nil), d.taps...)
	for len(taps) < vec.CorrelateTaps(window) {
		taps = append(taps, 0)
	}
	block := vec.SlideBlock[T]()
	sums := vec.CorrelateSums[T]()
	all := len(taps) * sums * d.groups * outputs
	plane := max(d.padded, d.lines*d.pitch) // whole lines, and zeros to a whole block
	size := d.space() + outputs*d.groups*plane + all
	work := 2 * s.N * d.groups * outputs * window * pixels
	return ForWithWorkspace(s.Groups/d.groups, grainOf(4*work), size, func(lo, hi int, space []T) {
		clear(space) // zeros of dy are multiplied by what is there, which must be finite
		copies, grads, totals := space[:d.space()], space[d.space():size-all], space[size-all:size]
		for i := lo; i < hi; i++ {
			clear(totals)
			for n := range s.N {
				group := n*s.Groups + i*d.groups
				for line := 0; line < s.OH; line += d.lines {
					lines := min(d.lines, s.OH-line)
					d.copyIn(copies, x[group*inputs:], line, lines)
					elems := ceilDiv((lines-1)*d.pitch+s.OW, block) * block
					v := vec.Lines[T]{Planes: outputs * d.groups, Rows: lines, Cols: s.OW, Width: d.pitch, X: dy[group*outputs*pixels+line*s.OW:],
						PlaneX: pixels, RowX: s.OW, Stride: 1, Y: grads, PlaneY: plane, RowY: d.pitch}
					v.Copy()
					for k := range outputs * d.groups {
						grad := grads[k*plane:][:elems]
						clear(grad[min(lines*d.pitch, elems):])
						vec.Correlate(totals[k*len(taps)*sums:], grad, copies[k/outputs*d.size()/d.groups:], taps, d.last)
					}
				}
			}
			for k := range outputs * d.groups {
				out := i*d.groups*outputs + k
				gather(s, x, dy, dw[out*window:][:window], totals[k*len(taps)*sums:], sums, out)
			}
		}
	})
}

// gather sets the weights' gradient of an output to the totals of sums. Where one is NaN, zeros in the copy of dy may have been
// multiplied by infinities that no output reads: that sum is computed anew by its definition.
func gather[T dtype.Float](s *ConvShape, x, dy, dw, totals []T, sums, out int) {
	for t := range dw {
		var sum float64
		for _, v := range totals[t*sums:][:sums] {
			sum += float64(v)
		}
		if dw[t] = T(sum); sum != sum {
			dw[t] = weightSum(s, x, dy, out, t)
		}
	}
}

// weightSum is the gradient of one weight of a depthwise convolution, as it is defined.
func weightSum[T dtype.Float](s *ConvShape, x, dy []T, out, t int) (sum T) {
	_, outputs, _, pixels := s.groupSizes()
	for n := range s.N {
		sum = addWeight(s, sum, x[(n*s.C+out/outputs)*s.H*s.W:][:s.H*s.W], dy[(n*s.K+out)*pixels:][:pixels], t)
	}
	return sum
}

// addWeight adds what a plane and one of dy contribute.
func addWeight[T dtype.Float](s *ConvShape, sum T, plane, grads []T, t int) T {
	tap := s.tapOf(t)
	above, below := within(s.OH, tap.offsetH, s.StrideH, s.H)
	for oh := above; oh < below; oh++ {
		for ow := tap.lo; ow < tap.hi; ow++ {
			sum += grads[oh*s.OW+ow] * plane[(oh*s.StrideH+tap.offsetH)*s.W+ow*s.StrideW+tap.offsetW]
		}
	}
	return sum
}
