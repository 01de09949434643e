package kern

// A HalfRows maps rows of n elements of a half type: those of a, of a gradient those of a and b.
type HalfRows[H Half] func(rows, n int, a, b, out []H) error

// SoftmaxHalf is Softmax of rows.
func SoftmaxHalf[H Half](rows, n int, x, _, y []H) error {
	return forHalfRows(rows, n, x, nil, y, softmaxRows)
}

// LogSoftmaxHalf is LogSoftmax of rows.
func LogSoftmaxHalf[H Half](rows, n int, x, _, y []H) error {
	return forHalfRows(rows, n, x, nil, y, logSoftmaxRows)
}

// SoftmaxBackwardHalf is SoftmaxBackward of rows.
func SoftmaxBackwardHalf[H Half](rows, n int, dy, y, dx []H) error {
	return forHalfRows(rows, n, dy, y, dx, softmaxBackwardRows)
}

// LogSoftmaxBackwardHalf is LogSoftmaxBackward of rows.
func LogSoftmaxBackwardHalf[H Half](rows, n int, dy, y, dx []H) error {
	return forHalfRows(rows, n, dy, y, dx, logSoftmaxBackwardRows)
}

// forHalfRows calls body with blocks of rows of a and b, which may be nil, as float32, and rounds what it writes to out. Over copies of
// whole operands softmax_bf16/1024x1024 takes twice the time.
func forHalfRows[H Half](rows, n int, a, b, out []H, body rowsBody[float32]) error {
	if n == 0 {
		return nil
	}
	block := rowsOf(n)
	return ForWithWorkspace(rows, max(block, rowElems/n), volume(3, block, n), func(lo, hi int, space []float32) {
		for ; lo < hi; lo += block {
			first, last := lo*n, min(lo+block, hi)*n
			size := last - first
			wideA, wideB, wideOut := space[:size], space[size:2*size], space[2*size:3*size]
			widen(wideA, a[first:last])
			if b != nil {
				widen(wideB, b[first:last])
			}
			body(wideA, wideB, wideOut, n, nil)
			narrow(out[first:last], wideOut)
		}
	})
}
