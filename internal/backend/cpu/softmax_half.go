package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

func addSoftmaxOfHalves(t *table) {
	alongLast(t, op.Softmax, kern.SoftmaxHalf, kern.SoftmaxHalf)
	alongLast(t, op.LogSoftmax, kern.LogSoftmaxHalf, kern.LogSoftmaxHalf)
	alongLast(t, op.SoftmaxGrad, kern.SoftmaxBackwardHalf, kern.SoftmaxBackwardHalf)
	alongLast(t, op.LogSoftmaxGrad, kern.LogSoftmaxBackwardHalf, kern.LogSoftmaxBackwardHalf)
}

// alongLast gives an op loops over rows of both half types, for what is along the last axis.
func alongLast(t *table, o op.Op, f16 kern.HalfRows[dtype.F16], bf16 kern.HalfRows[dtype.BF16]) {
	overHalves(t, o, alongRows(f16, t[o][dtype.Float16]), alongRows(bf16, t[o][dtype.BFloat16]))
}

// alongRows makes a kernel of a loop over rows; along another axis it runs the other kernel.
func alongRows[H kern.Half](loop kern.HalfRows[H], otherwise Kernel) Kernel {
	return rowMajor(func(c *backend.Call) error {
		in := c.In()
		rows, n, inner := layout.Around(in[0].Layout.Shape(), c.Params.(op.Axis).Axis)
		if inner != 1 {
			return otherwise(c)
		}
		return loop(rows, n, dense[H](&in[0]), dense[H](&in[len(in)-1]), dense[H](&c.Out()[0]))
	})
}
