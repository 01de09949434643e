package bench

import (
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// rows are ops along an axis of a matrix.
func rows() []Case {
	var cases []Case
	for _, s := range [][2]int{{128, 128}, {4096, 1024}} {
		m, n := s[0], s[1]
		cases = append(cases,
			matrix("softmax", m, n, 8, func(x *tensor.Tensor) { x.Softmax(1).Release() }),
			matrix("log_softmax", m, n, 8, func(x *tensor.Tensor) { x.LogSoftmax(1).Release() }),
			matrix("sum_rows", m, n, 4, func(x *tensor.Tensor) { x.SumAxes([]int{1}).Release() }),
			matrix("sum_columns", m, n, 4, func(x *tensor.Tensor) { x.SumAxes([]int{0}).Release() }),
			matrix("max_rows", m, n, 4, func(x *tensor.Tensor) { release(x.MaxAxis(1)) }),
			matrix("max_columns", m, n, 4, func(x *tensor.Tensor) { release(x.MaxAxis(0)) }),
			matrix("argmax_rows", m, n, 4, func(x *tensor.Tensor) { x.ArgMaxAxis(1).Release() }),
			matrix("cumsum", m, n, 8, func(x *tensor.Tensor) { x.CumSum(1).Release() }),
			layerNorm(m, n, dtype.Float32), rmsNorm(m, n, dtype.Float32), crossEntropy(m, n, dtype.Float32))
	}
	return cases
}

// largeRows are such ops on 128 million elements, which no GPU's cache holds, in float32 and in bfloat16.
func largeRows() (cases []Case) {
	const m, n = 32768, 4096
	for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16} {
		size := float64(dt.Size())
		row := func(name string, bytes float64, f func(x *tensor.Tensor)) Case {
			return of(dt, name, []int{m, n}, bytes, f)
		}
		cases = append(cases,
			row("softmax", 2*size, func(x *tensor.Tensor) { x.Softmax(1).Release() }),
			row("log_softmax", 2*size, func(x *tensor.Tensor) { x.LogSoftmax(1).Release() }),
			row("sum_rows", size, func(x *tensor.Tensor) { x.SumAxes([]int{1}).Release() }),
			row("sum_columns", size, func(x *tensor.Tensor) { x.SumAxes([]int{0}).Release() }),
			row("max_rows", size, func(x *tensor.Tensor) { release(x.MaxAxis(1)) }),
			row("max_columns", size, func(x *tensor.Tensor) { release(x.MaxAxis(0)) }),
			layerNorm(m, n, dt), rmsNorm(m, n, dt), crossEntropy(m, n, dt))
	}
	return append(cases, matrix("cummax", m, n, 16, func(x *tensor.Tensor) { release(x.CumMax(1)) }))
}

// matrix calls f with an m x n matrix, of which bytes an element have to move.
func matrix(name string, m, n int, bytes float64, f func(x *tensor.Tensor)) Case {
	c := Case{Name: fmt.Sprintf("%s/%dx%d", name, m, n), Work: float64(m) * float64(n), Unit: "elem", Bytes: bytes}
	c.Make = func(dev device.Device) func() {
		x := tensor.On(dev).Randn(m, n)
		return func() { f(x) }
	}
	return c
}

// choices are of elements: the first in order, as of scores, and those that an index names.
func choices() []Case {
	return []Case{
		matrix("sort", 128, 1000, 16, func(x *tensor.Tensor) { release(x.Sort(1)) }),
		matrix("top5", 128, 1000, 4, func(x *tensor.Tensor) { release(x.TopK(5, 1)) }),
		matrix("top100", 128, 1000, 4, func(x *tensor.Tensor) { release(x.TopK(100, 1)) }),
		gather(1024, 1024),
		catColumns(1024, 512),
		nonZero(1000, 1000),
		indexPut(1e5, 1e6),
	}
}

// indexPut adds numbers to n places, some of them often, of a copy of size elements, which are read and written.
func indexPut(n, size int) Case {
	return Case{Name: "index_put/1e5", Work: float64(n), Unit: "elem", Bytes: 16 + 8*float64(size)/float64(n), Make: func(dev device.Device) func() {
		x, values, index := tensor.On(dev).Randn(size), tensor.On(dev).Randn(n), tensor.On(dev).RandInt(0, size, n)
		return func() { x.IndexPut([]*tensor.Tensor{index}, values, tensor.Accumulate(true)).Release() }
	}}
}

// histogram counts n numbers in few places, where nearly all of them meet.
func histogram(n, places int) Case {
	return Case{Name: fmt.Sprintf("index_add/%dx%d", n, places), Work: float64(n), Unit: "elem", Bytes: 12, Make: func(dev device.Device) func() {
		x, ones, index := tensor.On(dev).Zeros(places), tensor.On(dev).Ones(n), tensor.On(dev).RandInt(0, places, n)
		return func() { x.IndexAdd(0, index, ones).Release() }
	}}
}

// gather takes as many elements of each row as it has.
func gather(m, n int) Case {
	return Case{Name: fmt.Sprintf("gather/%dx%d", m, n), Work: float64(m) * float64(n), Unit: "elem", Bytes: 16, Make: func(dev device.Device) func() {
		x, index := tensor.On(dev).Randn(m, n), tensor.On(dev).RandInt(0, n, m, n)
		return func() { x.Gather(1, index).Release() }
	}}
}

// catColumns joins two matrices along the last axis.
func catColumns(m, n int) Case {
	return Case{Name: fmt.Sprintf("cat_columns/%dx%d", m, n), Work: 2 * float64(m) * float64(n), Unit: "elem", Bytes: 8, Make: func(dev device.Device) func() {
		both := []*tensor.Tensor{tensor.On(dev).Randn(m, n), tensor.On(dev).Randn(m, n)}
		return func() { tensor.Cat(both, 1).Release() }
	}}
}

// nonZero finds the elements that are true, which are half of them.
func nonZero(m, n int) Case {
	return Case{Name: fmt.Sprintf("nonzero/%dx%d", m, n), Work: float64(m) * float64(n), Unit: "elem", Bytes: 9, Make: func(dev device.Device) func() {
		x := tensor.On(dev).Randn(m, n).GtScalar(0)
		return func() { x.NonZero().Release() }
	}}
}

func release(x, y *tensor.Tensor) {
	x.Release()
	y.Release()
}

func layerNorm(m, n int, dt dtype.DType) Case {
	return normalized("layer_norm", m, n, dt, func(x, w, b *tensor.Tensor) { x.LayerNorm([]int{n}, w, b).Release() })
}

func rmsNorm(m, n int, dt dtype.DType) Case {
	return normalized("rms_norm", m, n, dt, func(x, w, _ *tensor.Tensor) { x.RMSNorm([]int{n}, w).Release() })
}

// normalized calls f with a matrix, and a weight and a bias for each of its columns.
func normalized(name string, m, n int, dt dtype.DType, f func(x, w, b *tensor.Tensor)) Case {
	return Case{Name: named(name, dt, m, n), Work: float64(m) * float64(n), Unit: "elem", Bytes: float64(2 * dt.Size()), Make: func(dev device.Device) func() {
		on := tensor.On(dev).As(dt)
		x, w, b := on.Randn(m, n), on.Ones(n), on.Zeros(n)
		return func() { f(x, w, b) }
	}}
}

func crossEntropy(m, n int, dt dtype.DType) Case {
	return Case{Name: named("cross_entropy", dt, m, n), Work: float64(m) * float64(n), Unit: "elem", Bytes: float64(dt.Size()), Make: func(dev device.Device) func() {
		x, labels := tensor.On(dev).As(dt).Randn(m, n), tensor.On(dev).RandInt(0, n, m)
		return func() { step(func(s *tensor.Scope) { tensor.CrossEntropy(s.Enter(x), labels) }) }
	}}
}
