package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/kern/vec"
	"cresset/internal/layout"
	"cresset/internal/op"
	"cresset/internal/par"
)

func (t *table) addRotations() {
	t[op.Rotate][dtype.Float32] = rotate(kern.Rotation[float32]{Mul: kern.Mul[float32], Add: kern.Add[float32], Sub: kern.Sub[float32]})
	t[op.Rotate][dtype.Float64] = rotate(kern.Rotation[float64]{Mul: kern.Mul[float64], Add: kern.Add[float64], Sub: kern.Sub[float64]})
	t[op.Rotate][dtype.Float16] = rotate(kern.Rotation[dtype.F16]{
		Mul: kern.OfHalves[dtype.F16](vec.MulF16, kern.Mul[float32]),
		Add: kern.OfHalves[dtype.F16](vec.AddF16, kern.Add[float32]),
		Sub: kern.OfHalves[dtype.F16](vec.SubF16, kern.Sub[float32]),
	})
	t[op.Rotate][dtype.BFloat16] = rotate(kern.Rotation[dtype.BF16]{
		Mul: kern.OfHalves[dtype.BF16](vec.MulBF16, kern.Mul[float32]),
		Add: kern.OfHalves[dtype.BF16](vec.AddBF16, kern.Add[float32]),
		Sub: kern.OfHalves[dtype.BF16](vec.SubBF16, kern.Sub[float32]),
	})
}

// rotate turns the rows of x by tables that have been expanded to them. Operands whose rows have gaps between elements are packed.
func rotate[T dtype.Element](r kern.Rotation[T]) Kernel {
	return func(c *backend.Call) error {
		var w workspace
		defer w.free()
		out, in := c.Out()[0], c.In()
		if out.Layout.Size() == 0 {
			return nil
		}
		for i := range in {
			if err := w.packRows(&in[i]); err != nil {
				return err
			}
		}
		if last := out.Layout.Rank() - 1; out.Layout.Strides()[last] != 1 {
			if err := w.like(&out, out.Layout.Shape(), out.DType); err != nil {
				return err
			}
		}
		turnRows(r, [4]*backend.View{&out, &in[0], &in[1], &in[2]}, c.Params.(op.Rotation).Back)
		return unpack(&c.Out()[0], &out)
	}
}

// turnRows shares rows among threads.
func turnRows[T dtype.Element](r kern.Rotation[T], views [4]*backend.View, back bool) {
	var rows [4]layout.Layout
	var all [4][]T
	for i, v := range views {
		rows[i], all[i] = v.Layout.Select(nil, v.Layout.Rank()-1, 0), data[T](v)
	}
	var l layout.Loop
	l.Init(&rows[0], &rows[1], &rows[2], &rows[3])
	shape, points := views[0].Layout.Shape(), views[2].Layout.Shape()
	width, n, inner := shape[len(shape)-1], points[len(points)-1], l.Inner()
	par.For(rows[0].Size(), max(grain/width, 1), func(lo, hi int) {
		room := new([kern.RotationRoom]T)
		for row := lo; row < hi; row++ {
			run, i := row/inner, row%inner
			at := func(k, n int) []T {
				from := l.Start(k, run) + i*l.InnerStep(k)
				return all[k][from : from+n]
			}
			r.Row(at(0, width), at(1, width), at(2, n), at(3, n), room, back)
		}
	})
}
