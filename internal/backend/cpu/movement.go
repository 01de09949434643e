package cpu

import (
	"unsafe"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/mem"
	"cresset/internal/op"
	"cresset/internal/par"
)

func (t *table) addMovement() {
	for dt := dtype.Bool; dt < dtype.Count; dt++ {
		t[op.Copy][dt] = copyKernel
	}
	addFill[bool](t)
	addFill[uint8](t)
	addFill[int8](t)
	addFill[int16](t)
	addFill[int32](t)
	addFill[int64](t)
	addFill[dtype.F16](t)
	addFill[dtype.BF16](t)
	addFill[float32](t)
	addFill[float64](t)
}

func addFill[T dtype.Element](t *table) {
	t[op.Fill][dtype.Of[T]()] = func(c *backend.Call) error {
		out, v := &c.Out()[0], constant[T](c.In()[0].Const)
		if n := out.Layout.Size(); n <= grain && out.Layout.IsContiguous() {
			fill(dense[T](out), v)
			return nil
		}
		return nullary(func(dst []T) { fill(dst, v) })(c)
	}
}

// copyKernel copies between any two layouts and dtypes; its row is that of the result's dtype.
func copyKernel(c *backend.Call) error { return convert(&c.Out()[0], &c.In()[0]) }

func convert(out, in *backend.View) error {
	if out.DType == in.DType {
		moveBySize[sizeClass(out.DType)](out, in)
		return nil
	}
	cast := kern.Cast(out.DType, in.DType)
	if out.Layout.IsContiguous() && in.Layout.IsContiguous() {
		n, d, s := out.Layout.Size(), address(out), address(in)
		par.For(n, pieceOf(n), func(lo, hi int) {
			// The offsets stay inside the two buffers: both views hold n elements from their address on.
			cast(unsafe.Add(d, lo*out.DType.Size()), unsafe.Add(s, lo*in.DType.Size()), hi-lo)
		})
		return nil
	}
	castBySize[sizeClass(out.DType)][sizeClass(in.DType)](out, in, cast)
	return nil
}

// castRun converts n elements from an offset of one buffer to an offset of another. It is sound where both hold so many from
// there on and are reachable, which the running call sees to.
func castRun(cast kern.CastFunc, out *backend.View, to int, in *backend.View, from, n int) {
	d, s := out.Buf.(*mem.Block).Pointer(), in.Buf.(*mem.Block).Pointer()
	cast(unsafe.Add(d, to*out.DType.Size()), unsafe.Add(s, from*in.DType.Size()), n)
}

// address returns where the view's first element lies. It is sound while the view's buffer is reachable, which the
// running call sees to.
func address(v *backend.View) unsafe.Pointer {
	b := v.Buf.(*mem.Block)
	if b.Size() == 0 {
		return nil
	}
	return unsafe.Add(b.Pointer(), v.Layout.Offset*v.DType.Size())
}

// moveBySize copies elements of 1, 2, 4 and 8 bytes without looking at what they mean.
var moveBySize = [4]func(out, in *backend.View){move[uint8], move[int16], move[int32], move[int64]}

func move[T dtype.Element](out, in *backend.View) {
	switch {
	case in.IsConst() || out.Layout.IsContiguous() && in.Layout.IsContiguous():
		mapUnary(out, in, func(dst, src []T) { copy(dst, src) })
	case out.Layout.Size() < short*short || in.Layout.IsContiguous() || !transpose[T](out, in):
		moveStrided[T](out, in)
	}
}

// castStrided converts between layouts through two scratch chunks: elements are gathered by size, cast, and scattered.
func castStrided[D, S dtype.Element](out, in *backend.View, cast kern.CastFunc) {
	w := newWalk(out, in)
	w.run(func(lo, hi int) {
		dst, src := newCursor[D](w, out, 0), newCursor[S](w, in, 1)
		w.tiles(lo, hi, func(at *[layout.MaxOperands]int, n int) {
			d, s := dst.result(w, at, n), src.load(w, at, n)
			cast(unsafe.Pointer(&d[0]), unsafe.Pointer(&s[0]), n) // both hold n ≥ 1 elements of the cast's sizes
			dst.store(w, at, d)
		})
	})
}

var castBySize = [4][4]func(out, in *backend.View, cast kern.CastFunc){
	{castStrided[uint8, uint8], castStrided[uint8, int16], castStrided[uint8, int32], castStrided[uint8, int64]},
	{castStrided[int16, uint8], castStrided[int16, int16], castStrided[int16, int32], castStrided[int16, int64]},
	{castStrided[int32, uint8], castStrided[int32, int16], castStrided[int32, int32], castStrided[int32, int64]},
	{castStrided[int64, uint8], castStrided[int64, int16], castStrided[int64, int32], castStrided[int64, int64]},
}

// sizeClass returns the base-2 logarithm of the element's size.
func sizeClass(dt dtype.DType) int {
	switch dt.Size() {
	case 1:
		return 0
	case 2:
		return 1
	case 4:
		return 2
	default:
		return 3
	}
}
