package tensor

import (
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Arange returns start, start + step, … as far as they lie before end. Without As the dtype is int64 where all three are
// integers, else float32.
func (p Place) Arange(start, end, step any) *Tensor {
	from, to, by := scalarOf("arange", start), scalarOf("arange", end), scalarOf("arange", step)
	dt := dtype.Int64
	if from.Kind == backend.FloatScalar || to.Kind == backend.FloatScalar || by.Kind == backend.FloatScalar {
		dt = dtype.Default
	}
	dt = p.or(dt)
	n := arangeCount(from, to, by, dt)
	out := p.make("arange", dt, []int{n})
	r := op.Range{Start: from.Float(), Step: by.Float(), IntStart: from.Int(), IntStep: by.Int()}
	launch(op.Arange, dt, r, []*Tensor{out}, nil)
	return out
}

// arangeCount returns ceil((to - from)/by), for int64 in exact arithmetic and else in float64 as PyTorch does.
func arangeCount(from, to, by backend.Scalar, dt dtype.DType) int {
	start, end, step := from.Float(), to.Float(), by.Float()
	if dt == dtype.Int64 {
		step = float64(by.Int())
	}
	switch {
	case !(step > 0 || step < 0):
		fail("arange", ErrValue, "step must be nonzero")
	case math.IsInf(start, 0) || math.IsInf(end, 0) || start != start || end != end:
		fail("arange", ErrValue, "unsupported range: "+cText(start)+" -> "+cText(end))
	}
	if dt == dtype.Int64 {
		return countInts(from.Int(), to.Int(), by.Int())
	}
	if step > 0 != (end >= start) && end != start {
		fail("arange", ErrValue, boundsDisagree)
	}
	n := math.Ceil((end - start) / step)
	if !(n < 1<<63) {
		fail("arange", ErrMemory, "invalid size, possible overflow?")
	}
	return int(n)
}

const boundsDisagree = "upper bound and larger bound inconsistent with step sign"

func countInts(start, end, step int64) int {
	span, by := uint64(end)-uint64(start), uint64(step)
	if step < 0 {
		span, by = -span, -by
	}
	switch {
	case start == end:
		return 0
	case step > 0 != (end > start):
		fail("arange", ErrValue, boundsDisagree)
	}
	n := (span-1)/by + 1
	if n > math.MaxInt64 {
		fail("arange", ErrMemory, "invalid size, possible overflow?")
	}
	return int(n)
}

// Linspace returns steps numbers at equal distances from start to end, both included, as float32 unless the place names
// a dtype.
func (p Place) Linspace(start, end any, steps int) *Tensor {
	if steps < 0 {
		fail("linspace", ErrValue, "number of steps must be non-negative")
	}
	dt := p.or(dtype.Default)
	out := p.make("linspace", dt, []int{steps})
	r := op.Range{Start: scalarOf("linspace", start).Float(), End: scalarOf("linspace", end).Float()}
	launch(op.Linspace, dt, r, []*Tensor{out}, nil)
	return out
}

// Eye returns a matrix of n rows, and n or m columns, with ones on the main diagonal and zeros elsewhere.
func (p Place) Eye(n int, m ...int) *Tensor {
	columns := n
	switch {
	case len(m) > 1:
		fail("eye", ErrValue, fmt.Sprintf("eye takes rows and columns, but got %d sizes", 1+len(m)))
	case len(m) == 1:
		columns = m[0]
	}
	switch {
	case n < 0:
		fail("eye", ErrValue, fmt.Sprintf("n must be greater or equal to 0, got %d", n))
	case columns < 0:
		fail("eye", ErrValue, fmt.Sprintf("m must be greater or equal to 0, got %d", columns))
	}
	out := p.Zeros(n, columns)
	diagonal := *out
	diagonal.layout = new(layout.Of(Shape{min(n, columns)}, []int{columns + 1}, 0))
	diagonal.fill(backend.Scalar{I: 1, Kind: backend.IntScalar})
	return out
}

// Arange returns start, start + step, … as far as they lie before end, on the CPU: int64 where all three are integers,
// else float32.
func Arange(start, end, step any) *Tensor { return Place{}.Arange(start, end, step) }

// Linspace returns steps float32 numbers on the CPU at equal distances from start to end, both included.
func Linspace(start, end any, steps int) *Tensor { return Place{}.Linspace(start, end, steps) }

// Eye returns a float32 matrix on the CPU of n rows, and n or m columns, with ones on the main diagonal.
func Eye(n int, m ...int) *Tensor { return Place{}.Eye(n, m...) }
