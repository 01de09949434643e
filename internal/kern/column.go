package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// A ColumnLoop joins the elements of rows of n to the element of a column beside them, step elements behind the one before, in one call
// for many rows: a call for each takes sub_column/4096x128 a third more time.
type ColumnLoop[T dtype.Float] = func(dst, x, column []T, step, n int)

// AddColumn is the ColumnLoop of x + column.
func AddColumn[T dtype.Float](dst, x, column []T, step, n int) {
	if vec.RowsBeside(vec.AddColumn, n, column, step, dst, x) {
		return
	}
	for i, v := range x {
		dst[i] = v + column[i/n*step]
	}
}

// SubColumn is the ColumnLoop of x - column.
func SubColumn[T dtype.Float](dst, x, column []T, step, n int) {
	if vec.RowsBeside(vec.SubColumn, n, column, step, dst, x) {
		return
	}
	for i, v := range x {
		dst[i] = v - column[i/n*step]
	}
}

// MulColumn is the ColumnLoop of x · column.
func MulColumn[T dtype.Float](dst, x, column []T, step, n int) {
	if vec.RowsBeside(vec.MulColumn, n, column, step, dst, x) {
		return
	}
	for i, v := range x {
		dst[i] = v * column[i/n*step]
	}
}

// DivColumn is the ColumnLoop of x / column.
func DivColumn[T dtype.Float](dst, x, column []T, step, n int) {
	if vec.RowsBeside(vec.DivColumn, n, column, step, dst, x) {
		return
	}
	for i, v := range x {
		dst[i] = v / column[i/n*step]
	}
}
