package cpu

import (
	"bytes"
	"testing"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/kern/vec"
	"cresset/internal/layout"
	"cresset/internal/mem"
	"cresset/internal/op"
)

// TestColumns compares results beside a column with those beside a copy that has each of its elements a row's length.
func TestColumns(t *testing.T) {
	defer vec.Use(vec.Current())
	shape, planes := layout.Shape{67, 301}, layout.Shape{3, 50, 35}
	for _, tc := range []struct {
		name          string
		whole, column layout.Layout
	}{
		{"a column", layout.Of(shape, []int{301, 1}, 5), layout.Of(shape, []int{1, 0}, 2)},
		{"a column of a matrix", layout.Of(shape, []int{301, 1}, 0), layout.Of(shape, []int{9, 0}, 1)},
		{"a column of a matrix as wide", layout.Of(shape, []int{301, 1}, 0), layout.Of(shape, []int{301, 0}, 1)},
		{"a column for each plane", layout.Of(planes, []int{1750, 35, 1}, 0), layout.Of(planes, []int{50, 1, 0}, 0)},
		{"a column for all planes", layout.Of(planes, []int{1750, 35, 1}, 0), layout.Of(planes, []int{0, 1, 0}, 0)},
		{"beside a transposed matrix", layout.Of(shape, []int{1, 67}, 0), layout.Of(shape, []int{1, 0}, 0)},
		{"beside rows with gaps", layout.Of(shape, []int{333, 1}, 0), layout.Of(shape, []int{1, 0}, 0)},
	} {
		for _, level := range vec.Available() {
			vec.Use(level)
			for _, dt := range []dtype.DType{dtype.Uint8, dtype.Int32, dtype.Int64, dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
				for _, o := range []op.Op{op.Add, op.Sub, op.Mul, op.Div, op.Lt, op.Maximum} {
					if kernels[o][dt] == nil {
						continue
					}
					whole, column := numbered(t, dt, &tc.whole), numbered(t, dt, &tc.column)
					copied := spreadOut(t, column)
					for i, operands := range [][4]backend.View{{whole, column, whole, copied}, {column, whole, copied, whole}} {
						got, want := resultOf(t, o, dt, operands[:2]), resultOf(t, o, dt, operands[2:])
						if !bytes.Equal(got, want) {
							t.Errorf("%s: %v of %v under %v, the column as operand %d: got % x, want % x", tc.name, o, dt, level, 1-i, got[:32], want[:32])
						}
					}
				}
			}
		}
	}
}

// numbered returns a view of a layout over small numbers, none of them zero.
func numbered(t *testing.T, dt dtype.DType, l *layout.Layout) backend.View {
	n := l.Offset + l.Span()
	wide := make([]float32, n)
	for i := range wide {
		wide[i] = float32(1 + i*37%101)
	}
	b, err := mem.Alloc(n * dt.Size())
	if err != nil {
		t.Fatal(err)
	}
	kern.Cast(dt, dtype.Float32)(unsafe.Pointer(unsafe.SliceData(b.Bytes())), unsafe.Pointer(unsafe.SliceData(wide)), n)
	return backend.View{Buf: b, Layout: l, DType: dt}
}

// spreadOut returns a copy whose elements are contiguous.
func spreadOut(t *testing.T, v backend.View) backend.View {
	l := layout.Contiguous(v.Layout.Shape())
	b, err := mem.Alloc(l.Span() * v.DType.Size())
	if err != nil {
		t.Fatal(err)
	}
	to := backend.View{Buf: b, Layout: &l, DType: v.DType}
	if err := convert(&to, &v); err != nil {
		t.Fatal(err)
	}
	return to
}

// resultOf returns the bytes of an op's result.
func resultOf(t *testing.T, o op.Op, dt dtype.DType, operands []backend.View) []byte {
	l := layout.Contiguous(operands[0].Layout.Shape())
	c := halfCall(t, o, dt, &l)
	defer c.Release()
	for _, v := range operands {
		*c.AddIn() = v
	}
	if err := kernels[o][dt](c); err != nil {
		t.Fatal(err)
	}
	return c.Out()[0].Buf.(*mem.Block).Bytes()[:l.Size()*c.Out()[0].DType.Size()]
}
