package kern

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// Follows reports whether products and convolutions apply the op to their results themselves, as an epilogue. To add one, add
// what epilogue does for it.
func Follows(o op.Op) bool { return o == op.ReLU }

// epilogue applies an op to a part of the result of a product or a convolution, in place: rows that are step elements apart.
// The thread that computed them calls it, while its cache holds them. It does nothing for op.Invalid.
func epilogue[T dtype.Float](then op.Op, c []T, rows, cols, step int) {
	if then == op.Invalid {
		return
	}
	if cols == step {
		rows, cols = 1, rows*cols
	}
	for i := range rows {
		line := c[i*step:][:cols]
		if then == op.ReLU {
			ReLU(line, line)
		}
	}
}
