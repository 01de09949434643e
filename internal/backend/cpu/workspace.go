package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/mem"
)

// workspace is the memory that a kernel needs beside its operands. It comes from the pool of the tensors, which refuses
// what the machine cannot hold, and goes back when the kernel ends.
type workspace struct{ blocks []*mem.Block }

func (w *workspace) free() {
	for _, b := range w.blocks {
		b.Free()
	}
}

// like makes v a fresh view of a shape and dtype, row-major and uninitialised.
func (w *workspace) like(v *backend.View, shape layout.Shape, dt dtype.DType) error {
	l := new(layout.Contiguous(shape))
	b, err := mem.Alloc(l.Size() * dt.Size())
	if err != nil {
		return err
	}
	w.blocks = append(w.blocks, b)
	v.Buf, v.Layout, v.DType = b, l, dt
	return nil
}

// pack makes v a view of its elements in row-major order: in place where they are so already, else of a copy. Constants and
// absent operands stay what they are.
func (w *workspace) pack(v *backend.View) error {
	if v.IsConst() || v.Layout.IsContiguous() {
		return nil
	}
	from := *v
	if err := w.like(v, from.Layout.Shape(), from.DType); err != nil {
		return err
	}
	return convert(v, &from)
}

// unpack copies what pack made of v back to it.
func unpack(v, packed *backend.View) error {
	if v.Buf == packed.Buf {
		return nil
	}
	return convert(v, packed)
}

// rowMajor gives a kernel operands whose elements are in row-major order. Results are as they were. It is not inlined, since
// each of its hundred callers would compile the closure anew.
//
//go:noinline
func rowMajor(kernel Kernel) Kernel {
	return func(c *backend.Call) error {
		var w workspace
		defer w.free()
		in := c.In()
		for i := range in {
			if err := w.pack(&in[i]); err != nil {
				return err
			}
		}
		return kernel(c)
	}
}
