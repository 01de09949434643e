package cpu

import (
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/mem"
	"cresset/internal/op"
)

// TestHalfTiles compares results of operands that are converted tile by tile with those of operands that are converted as a
// whole, over layouts that fall into tiles in all ways, with tiles that are not full.
func TestHalfTiles(t *testing.T) {
	of := func(offset int, shape layout.Shape, strides ...int) layout.Layout {
		return layout.Of(shape, strides, offset)
	}
	flat, rows, narrow := layout.Shape{20011}, layout.Shape{67, 301}, layout.Shape{3, 500, 7}
	for _, tc := range []struct {
		name       string
		out, a, b  layout.Layout
		isConstant bool
	}{
		{name: "side by side", out: of(0, flat, 1), a: of(3, flat, 1), b: of(0, flat, 1)},
		{name: "one element", out: of(0, flat, 1), a: of(0, flat, 1), b: of(5, flat, 0)},
		{name: "a constant", out: of(0, flat, 1), a: of(0, flat, 1), isConstant: true},
		{name: "every second", out: of(0, flat, 1), a: of(1, flat, 2), b: of(0, flat, 1)},
		{name: "a row for all", out: of(0, rows, 301, 1), a: of(0, rows, 301, 1), b: of(9, rows, 0, 1)},
		{name: "an element for each row", out: of(0, rows, 301, 1), a: of(0, rows, 301, 1), b: of(9, rows, 1, 0)},
		{name: "rows with gaps", out: of(0, rows, 301, 1), a: of(0, rows, 400, 1), b: of(0, rows, 301, 1)},
		{name: "a result with gaps", out: of(0, rows, 400, 1), a: of(0, rows, 301, 1), b: of(0, rows, 301, 1)},
		{name: "transposed", out: of(0, rows, 301, 1), a: of(0, rows, 1, 67), b: of(0, rows, 301, 1)},
		{name: "a row for each plane", out: of(0, narrow, 3500, 7, 1), a: of(0, narrow, 3500, 7, 1), b: of(2, narrow, 7, 0, 1)},
		{name: "an element for each plane", out: of(0, narrow, 3500, 7, 1), a: of(0, narrow, 3500, 7, 1), b: of(2, narrow, 1, 0, 0)},
		{name: "short rows with gaps", out: of(0, narrow, 3500, 7, 1), a: of(0, narrow, 4000, 8, 1), b: of(0, narrow, 3500, 7, 1)},
	} {
		for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
			for _, o := range []op.Op{op.Add, op.Div, op.Lt} {
				got, want := halfCall(t, o, dt, &tc.out), halfCall(t, o, dt, &tc.out)
				for i, c := range []*backend.Call{got, want} {
					*c.AddIn() = halfRamp(t, dt, &tc.a)
					if tc.isConstant {
						*c.AddIn() = backend.View{Const: backend.Scalar{Kind: backend.FloatScalar, F: 0.1}}
					} else {
						*c.AddIn() = halfRamp(t, dt, &tc.b)
					}
					kernel := []Kernel{kernels[o][dtype.Float32], via(dtype.Float32, kernels[o][dtype.Float32])}[i]
					if err := kernel(c); err != nil {
						t.Fatal(err)
					}
				}
				g, w := got.Out()[0].Buf.(*mem.Block).Bytes(), want.Out()[0].Buf.(*mem.Block).Bytes()
				for i := range w {
					if g[i] != w[i] {
						t.Errorf("%s: %v of %v: byte %d of the result is %#x, want %#x", tc.name, o, dt, i, g[i], w[i])
						break
					}
				}
			}
		}
	}
}

// halfCall returns a call with a result of a layout, whose buffer is zero.
func halfCall(t *testing.T, o op.Op, dt dtype.DType, l *layout.Layout) *backend.Call {
	c := backend.NewCall(o, dt)
	if o == op.Lt {
		dt = dtype.Bool
	}
	b, err := mem.Alloc(l.Span() * dt.Size())
	if err != nil {
		t.Fatal(err)
	}
	clear(b.Bytes())
	*c.AddOut() = backend.View{Buf: b, Layout: l, DType: dt}
	return c
}

// halfRamp returns a view of a layout over numbers that differ.
func halfRamp(t *testing.T, dt dtype.DType, l *layout.Layout) backend.View {
	b, err := mem.Alloc((l.Offset + l.Span()) * dt.Size())
	if err != nil {
		t.Fatal(err)
	}
	for i, s := 0, mem.Slice[uint16](b); i < len(s); i++ {
		s[i] = uint16(i*7919) & 0xbfff // no NaN, whose payload the order of work may tell
	}
	return backend.View{Buf: b, Layout: l, DType: dt}
}
