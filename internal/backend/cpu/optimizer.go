package cpu

import (
	"slices"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/op"
	"cresset/internal/par"
)

func (t *table) addOptimizers() {
	addOptimizersOf[float32](t)
	addOptimizersOf[float64](t)
}

func addOptimizersOf[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.SGDStep][dt] = rowMajor(sgdStep[T])
	t[op.AdamStep][dt] = rowMajor(adamStep[T])
}

// sgdStep updates out[0], the parameter, and out[1], the momentum where there is one, by in[0], the gradient.
func sgdStep[T dtype.Float](c *backend.Call) error {
	o := c.Params.(op.SGD)
	grad := dense[T](&c.In()[0])
	return inPlace(c, func(state [][]T, lo, hi int) {
		var momentum []T
		if len(state) > 1 {
			momentum = state[1][lo:hi]
		}
		kern.SGD(state[0][lo:hi], momentum, grad[lo:hi], o)
	})
}

// adamStep updates out[0], the parameter, and out[1] and out[2], its means, by in[0], the gradient.
func adamStep[T dtype.Float](c *backend.Call) error {
	o := c.Params.(op.Adam)
	grad := dense[T](&c.In()[0])
	return inPlace(c, func(state [][]T, lo, hi int) {
		kern.Adam(state[0][lo:hi], state[1][lo:hi], state[2][lo:hi], grad[lo:hi], o)
	})
}

// inPlace hands ranges of all results, as row-major slices, to body; a result of another layout passes through a copy.
func inPlace[T dtype.Element](c *backend.Call, body func(state [][]T, lo, hi int)) error {
	var w workspace
	defer w.free()
	views := slices.Clone(c.Out())
	state := make([][]T, len(views))
	for i := range views {
		if err := w.pack(&views[i]); err != nil {
			return err
		}
		state[i] = dense[T](&views[i])
	}
	par.For(len(state[0]), grain, func(lo, hi int) { body(state, lo, hi) })
	for i := range views {
		if err := unpack(&c.Out()[i], &views[i]); err != nil {
			return err
		}
	}
	return nil
}
