package cuda

import (
	"math/bits"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

// sized returns the kernel of that name that moves elements of dt's size without looking at them.
func sized(function string, dt dtype.DType) kernelID {
	suffix := [...]string{"_b8", "_b16", "_b32", "_b64"}[bits.Len(uint(dt.Size()))-1]
	return kernel(function + suffix)
}

// moves are the kernels that copy elements of a dtype.
var moves = func() (m [dtype.Count]kernelID) {
	for dt := dtype.Bool; dt < dtype.Count; dt++ {
		m[dt] = sized("copy", dt)
	}
	return m
}()

// casts are the kernels from one dtype to another: casts[to][from].
var casts = func() (c [dtype.Count][dtype.Count]kernelID) {
	for to := dtype.Bool; to < dtype.Count; to++ {
		for from := dtype.Bool; from < dtype.Count; from++ {
			c[to][from] = kernel("cast_" + suffixes[from] + "_" + suffixes[to])
		}
	}
	return c
}()

func (t *table) addMovement() {
	for dt := dtype.Bool; dt < dtype.Count; dt++ {
		t[op.Copy][dt] = row{copyOrCast, moves[dt]}
		t[op.Fill][dt] = row{elementwise, moves[dt]}
		t[op.Where][dt] = row{elementwise, sized("where", dt)}
	}
	for _, dt := range numbers {
		t[op.Arange][dt] = row{fillRange, typed("arange", dt)}
		t[op.Linspace][dt] = row{fillRange, typed("linspace", dt)}
	}
}

// copyOrCast copies between any two layouts, and casts where the dtypes differ.
func copyOrCast(d *Device, c *backend.Call, move kernelID) error {
	out, in := &c.Out()[0], &c.In()[0]
	switch {
	case in.IsConst():
		in.DType = out.DType
	case in.DType != out.DType:
		return elementwise(d, c, casts[out.DType][in.DType])
	}
	return elementwise(d, c, move)
}

var rangeParams paramPool[kernels.Range]

// fillRange fills a fresh result with equal steps.
func fillRange(d *Device, c *backend.Call, k kernelID) error {
	out, r := &c.Out()[0], c.Params.(op.Range)
	n := out.Layout.Size()
	if n == 0 {
		return nil
	}
	p := rangeParams.take()
	defer rangeParams.give(p)
	*p = kernels.Range{
		N: uint64(n), Out: address(out), Start: r.Start, Step: r.Step, End: r.End, WholeStart: r.IntStart, WholeStep: r.IntStep,
	}
	if c.Op == op.Linspace && !out.DType.IsFloat() {
		p.Start, p.End = float64(int64(r.Start)), float64(int64(r.End))
	}
	return launch(d, k, d.flat(n), p)
}
