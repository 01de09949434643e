package tensor

import (
	"slices"

	"cresset/internal/op"
)

// taps are which elements of an axis each element of a result is a weighted sum of: element i has width places and weights, from
// i·width on, or fewer, where a place of -1 ends them.
type taps struct {
	width   int
	places  []int64
	weights []float64
}

func newTaps(width, n int) taps {
	return taps{width, slices.Repeat([]int64{-1}, width*n), make([]float64, width*n)}
}

func (t *taps) set(i, j, place int, weight float64) {
	t.places[i*t.width+j], t.weights[i*t.width+j] = int64(place), weight
}

// transposed returns the taps of the gradient for an axis of n elements: of each, what it was a tap of, in order.
func (t *taps) transposed(n int) taps {
	if t.width == 0 {
		return taps{}
	}
	counts := make([]int, n)
	for _, p := range t.places {
		if p >= 0 {
			counts[p]++
		}
	}
	back := newTaps(max(slices.Max(counts), 1), n)
	clear(counts)
	for i, p := range t.places {
		if p >= 0 {
			back.set(int(p), counts[p], i/t.width, t.weights[i])
			counts[p]++
		}
	}
	return back
}

// resampling is a tensor's way to another shape by taps along the last three axes, of which those without stay as they are.
type resampling struct {
	op       op.Op // that grad_fn names
	from, to Shape
	axes     [3]taps
}

// resample returns the weighted sums of x's elements: along the first axis of taps, then the second, then the third.
func (x *Tensor) resample(r *resampling) *Tensor {
	out := x.empty(op.Interpolate, x.dtype, checkSizes("interpolate", r.to))
	x.resampleInto(out, r)
	record(out, r.op, resampleGrad, ifTracked(x, r), x)
	return out
}

// resampleGrad is the sum with the taps turned round, whose own gradient is the op again.
func resampleGrad(b *backprop, dy *Tensor) {
	r := b.params().(*resampling)
	back := &resampling{op: r.op, from: r.to, to: r.from}
	for i := range r.axes {
		if first := len(r.from) - 3 + i; first >= 0 {
			back.axes[i] = r.axes[i].transposed(r.from[first])
		}
	}
	b.give(0, dy.resample(back))
}

func (x *Tensor) resampleInto(out *Tensor, r *resampling) {
	var p op.Resample
	var places []int64
	var weights []float64
	for i, t := range r.axes {
		p.Width[i] = t.width
		places, weights = append(places, t.places...), append(weights, t.weights...)
	}
	at, by := x.table(FromSlice(places)), x.table(FromSlice(weights).To(statsType(x.dtype)))
	defer at.Release()
	defer by.Release()
	launch(op.Interpolate, x.dtype, p, []*Tensor{out}, []*Tensor{x, at, by})
}

// table returns a tensor of the host on x's device, and gives the host's back where that is another.
func (x *Tensor) table(host *Tensor) *Tensor {
	there := constantOn(host, x.storage.device, host.dtype)
	if there != host {
		host.Release()
	}
	return there
}
