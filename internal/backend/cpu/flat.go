package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
)

// flat is an operand without a layout: elements side by side, or one that repeats.
type flat[T dtype.Element] struct {
	elems    []T
	value    T
	repeated bool
}

// flattens reports whether flatOf can see the operand.
func flattens(v *backend.View) bool {
	return v.IsConst() || v.Layout.IsContiguous() || v.Layout.IsUniform()
}

// flatOf returns the operand of a loop.
func flatOf[T dtype.Element](v *backend.View) flat[T] {
	switch {
	case straight(v):
		return flat[T]{elems: dense[T](v)}
	case v.IsConst():
		return flat[T]{value: constant[T](v.Const), repeated: true}
	}
	return flat[T]{value: data[T](v)[v.Layout.Offset], repeated: true}
}

func (f flat[T]) part(lo, hi int) flat[T] {
	if !f.repeated {
		f.elems = f.elems[lo:hi]
	}
	return f
}

// chunked is the operand with n elements, at most a chunk, in the place of one that repeats.
func (f flat[T]) chunked(n int) flat[T] {
	if f.repeated {
		f.elems = make([]T, min(n, chunk))
		fill(f.elems, f.value)
	}
	return f
}
