package kern

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// Follows reports whether products and convolutions apply the op to their results themselves. To add one, add what
// follow does for it.
func Follows(o op.Op) bool { return o == op.ReLU }

// follow applies the op that follows a product or a convolution, in place, to rows of the result that are step elements
// apart. Whoever computed them calls it, while a cache of that core holds them. It does nothing for op.Invalid.
func follow[T dtype.Float](then op.Op, c []T, rows, cols, step int) {
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
