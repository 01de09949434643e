package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func addOptimizers[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.SGDStep][dt] = sgdStep[T]()
	t[op.AdamStep][dt] = updating[T](3, func(p, mean, square, grad, _ pointer, n int, params any) {
		kern.Adam(elements[T](p, n), elements[T](mean, n), elements[T](square, n), elements[T](grad, n), params.(op.Adam))
	}).run
	t[op.UnscaleGrad][dt] = updating[T](1, func(grad, _, _, _, _ pointer, n int, params any) {
		o := params.(op.Unscale)
		if !kern.Unscale(elements[T](grad, n), o.Inverse) {
			o.Raised.Store(true)
		}
	}).run
	addUpdates[T](t)
}

// updateOne, updateTwo and updateThree make kernels of loops that keep so much of each parameter.

//go:noinline
func updateOne[T dtype.Float](l func(p, a, grad []T, o op.Update)) Kernel {
	return updating[T](2, func(p, a, grad, _, _ pointer, n int, params any) {
		l(elements[T](p, n), elements[T](a, n), elements[T](grad, n), params.(op.Update))
	}).run
}

//go:noinline
func updateTwo[T dtype.Float](l func(p, a, b, grad []T, o op.Update)) Kernel {
	return updating[T](3, func(p, a, b, grad, _ pointer, n int, params any) {
		l(elements[T](p, n), elements[T](a, n), elements[T](b, n), elements[T](grad, n), params.(op.Update))
	}).run
}

//go:noinline
func updateThree[T dtype.Float](l func(p, a, b, c, grad []T, o op.Update)) Kernel {
	return updating[T](4, func(p, a, b, c, grad pointer, n int, params any) {
		l(elements[T](p, n), elements[T](a, n), elements[T](b, n), elements[T](c, n), elements[T](grad, n), params.(op.Update))
	}).run
}

// updating makes a kernel of a loop over one operand that updates its results.
//
//go:noinline
func updating[T dtype.Element](results int, l loop) *elementwise {
	dtypes := make([]dtype.DType, results+1)
	for i := range dtypes {
		dtypes[i] = dtype.Of[T]()
	}
	return &elementwise{loop: l, dtypes: dtypes, results: results, updates: true}
}

// sgdStep updates out[0], the parameter, and out[1], the momentum where there is one, by in[0], the gradient.
func sgdStep[T dtype.Float]() Kernel {
	plain := updating[T](1, func(p, grad, _, _, _ pointer, n int, params any) {
		kern.SGD(elements[T](p, n), nil, elements[T](grad, n), params.(op.SGD))
	})
	momentum := updating[T](2, func(p, momentum, grad, _, _ pointer, n int, params any) {
		kern.SGD(elements[T](p, n), elements[T](momentum, n), elements[T](grad, n), params.(op.SGD))
	})
	return func(c *backend.Call) error {
		if len(c.Out()) == 1 {
			return plain.run(c)
		}
		return momentum.run(c)
	}
}
