package tensor

import (
	"fmt"
	"slices"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/layout"
)

// Meshgrid returns the coordinates of a grid, as views: vectors of n0, n1, … elements become tensors of shape [n0, n1, …], of which the
// i-th is constant along all axes but i. Where indexing is "xy" instead of "ij", the first two axes change places.
func Meshgrid(ts []*Tensor, indexing string) []*Tensor {
	const name = "meshgrid"
	if len(ts) == 0 {
		fail(name, ErrValue, "meshgrid expects a non-empty TensorList")
	}
	refuseNilIn(name, ts)
	checkGrid(ts)
	if indexing != "xy" && indexing != "ij" {
		fail(name, ErrValue, `torch.meshgrid: indexing must be one of "xy" or "ij", but received: `+indexing, ts...)
	}
	ts = slices.Clone(ts)
	crossed := indexing == "xy" && len(ts) > 1
	if crossed {
		ts[0], ts[1] = ts[1], ts[0]
	}
	shape := make(Shape, len(ts))
	for i, t := range ts {
		shape[i] = t.layout.Size()
	}
	grids := make([]*Tensor, len(ts))
	for i, t := range ts {
		own := slices.Repeat([]int{1}, len(ts))
		own[i] = shape[i]
		grids[i] = t.View(own...).Expand(shape...)
	}
	if crossed {
		grids[0], grids[1] = grids[1], grids[0]
	}
	return grids
}

func checkGrid(ts []*Tensor) {
	const name = "meshgrid"
	if len(ts) > layout.MaxRank {
		check(name, ErrShape, errTooManyAxes, ts...)
	}
	for _, t := range ts {
		switch {
		case t.dtype != ts[0].dtype:
			fail(name, ErrDType, "meshgrid expects all tensors to have the same dtype", ts...)
		case t.storage.device != ts[0].storage.device:
			fail(name, ErrDevice, "meshgrid expects all tensors to have the same device", ts...)
		case t.layout.Rank() > 1:
			fail(name, ErrShape, "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "+t.layout.Shape().String(), ts...)
		}
	}
}

// CartesianProd returns all combinations of one element of each vector, a row each; of one vector it is that vector.
func CartesianProd(ts ...*Tensor) *Tensor {
	refuseNilIn("cartesian_prod", ts)
	for _, t := range ts {
		t.wantVector("cartesian_prod")
	}
	if len(ts) == 1 {
		return ts[0]
	}
	columns := Meshgrid(ts, "ij")
	for i, t := range columns {
		columns[i] = t.Flatten(0, -1)
	}
	return Stack(columns, 1)
}

func (x *Tensor) wantVector(name string) {
	refuseNil(name, "input", 1, x)
	if x.layout.Rank() != 1 {
		fail(name, ErrShape, "Expect a 1D vector, but got shape "+x.layout.Shape().List(), x)
	}
}

// WithReplacement lets Combinations take an element several times.
type WithReplacement bool

// Combinations returns all choices of r elements of a vector, in its order, a row each.
func (x *Tensor) Combinations(r int, again ...WithReplacement) *Tensor {
	x.wantVector("combinations")
	switch {
	case r < 0:
		fail("combinations", ErrValue, fmt.Sprintf("Expect a non-negative number, but got %d", r), x)
	case r == 0:
		return x.zeros(Shape{0})
	}
	n, repeat := x.layout.Size(), last(again, false)
	pool := n
	if repeat && n > 0 {
		pool += min(r, maxBytes) - 1
	}
	rows := choices(pool, r)
	if rows < 0 || rows > maxBytes/r || repeat && r > pool && n > 0 {
		fail("combinations", ErrMemory, "Storage size calculation overflowed", x)
	}
	index := newResult("combinations", device.CPU, dtype.Int64, layout.Fresh(rows, r), x)
	listChoices(elements[int64](index.storage), n, r, repeat)
	return x.Index(index.To(x.storage.device))
}

// choices is the number of ways to choose r of n, or -1 where it does not fit.
func choices(n, r int) int {
	if r > n {
		return 0
	}
	count := 1
	for i := range min(r, n-r) {
		if count > maxBytes/(n-i) {
			return -1
		}
		count = count * (n - i) / (i + 1)
	}
	return count
}

// listChoices writes the indices of each choice of r of n, in lexicographic order.
func listChoices(rows []int64, n, r int, repeat bool) {
	step := int64(1)
	if repeat {
		step = 0
	}
	for from := 0; from < len(rows); from += r {
		row := rows[from : from+r]
		at := 0 // the first index that differs from those of the row before
		if from > 0 {
			copy(row, rows[from-r:])
			at = r - 1
			for row[at] == int64(n-1)-step*int64(r-1-at) {
				at--
			}
			row[at]++
		} else {
			row[0] = 0
		}
		for i := at + 1; i < r; i++ {
			row[i] = row[i-1] + step
		}
	}
}

// BroadcastTensors returns tensors expanded, without a copy, to their common shape.
func BroadcastTensors(ts ...*Tensor) []*Tensor {
	refuseNilIn("broadcast_tensors", ts)
	var shape Shape
	for _, t := range ts {
		common, err := layout.Broadcast(shape, t.layout.Shape())
		check("broadcast_tensors", ErrShape, err, ts...)
		shape = common
	}
	out := slices.Clone(ts)
	for i, t := range ts {
		if !t.layout.Shape().Equal(shape) {
			out[i] = t.Expand(shape...)
		}
	}
	return out
}
