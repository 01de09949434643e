package cpu

import (
	"cresset/dtype"
	"cresset/internal/kern"
	"cresset/internal/kern/vec"
)

// A columnLoop is a singleLoop over rows of n elements, which each meet an element of a column, step elements behind the one before.
type columnLoop func(dst, all, column pointer, step, rows, n int)

// columnLoopsOf returns the columnLoops of a vector loop, for a column as its first or second operand.
func columnLoopsOf(l vec.Loop, dt dtype.DType) (loops [3]columnLoop) {
	switch dt {
	case dtype.Float32:
		loops[1], loops[2] = columnLoops[float32](l)
	case dtype.Float64:
		loops[1], loops[2] = columnLoops[float64](l)
	}
	return loops
}

func columnLoops[T dtype.Float](l vec.Loop) (first, second columnLoop) {
	switch l {
	case vec.Add:
		second = overRows(kern.AddColumn[T])
		return second, second
	case vec.Mul:
		second = overRows(kern.MulColumn[T])
		return second, second
	case vec.Sub:
		return nil, overRows(kern.SubColumn[T])
	case vec.Div:
		return nil, overRows(kern.DivColumn[T])
	}
	return nil, nil
}

//go:noinline
func overRows[T dtype.Float](loop kern.ColumnLoop[T]) columnLoop {
	return func(dst, all, column pointer, step, rows, n int) {
		loop(elements[T](dst, rows*n), elements[T](all, rows*n), elements[T](column, (rows-1)*step+1), step, n)
	}
}

// callColumns runs the loop on rows that adjoin and the elements of a column beside them.
func (p *plan) callColumns(at *pointers, rows int) {
	k := p.single
	p.kernel.columns[k](at[0], at[3-k], at[k], p.operands[k].row, rows, p.width)
}
