package tensor_test

import (
	"math"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// wave is numbers between -1 and 1 in a shape, on a device.
func wave(dev device.Device, dt dtype.DType, shape ...int) *tensor.Tensor {
	a := newArray(shape...)
	for i := range a.v {
		a.v[i] = math.Sin(float64(i*i + len(a.v)))
	}
	return a.tensor(dev, dt)
}

// TestLayersAgreeWithTheCPU is of shapes at the edges of what kernels do: several tiles and parts, windows in the padding,
// steps beyond the input, nothing at all.
func TestLayersAgreeWithTheCPU(t *testing.T) {
	window := func(o []tensor.ConvOption, shapes ...[]int) layerCase {
		return layerCase{shapes, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Conv2D(x[1], nil, o...) }}
	}
	pooled := func(o []tensor.MaxPool2DOption, shape ...int) layerCase {
		return layerCase{[][]int{shape}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MaxPool2D(2, o...) }}
	}
	training := func(shape ...int) layerCase {
		return layerCase{[][]int{shape}, func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].BatchNorm(nil, nil, nil, nil, tensor.Training(true))
		}}
	}
	rows := func(n int, shape ...int) layerCase {
		return layerCase{[][]int{shape, {n}}, func(x []*tensor.Tensor) *tensor.Tensor { return x[0].LayerNorm([]int{n}, x[1], nil) }}
	}
	cases := map[string]layerCase{
		"conv2d of many tiles":              window([]tensor.ConvOption{tensor.Padding(1)}, []int{1, 3, 7, 10}, []int{67, 3, 3, 3}),
		"conv2d with a gradient in parts":   window(nil, []int{3, 2, 20, 12}, []int{3, 2, 2, 2}),
		"conv2d beyond the input":           window([]tensor.ConvOption{tensor.Stride(7, 1<<30), tensor.Padding(2)}, []int{1, 2, 4, 3}, []int{2, 2, 2, 2}),
		"conv2d of no channels":             window(nil, []int{1, 0, 3, 3}, []int{2, 0, 2, 2}),
		"conv2d of no images":               window(nil, []int{0, 2, 3, 3}, []int{2, 2, 2, 2}),
		"max_pool2d of nothing but padding": pooled([]tensor.MaxPool2DOption{tensor.Stride(1), tensor.Padding(1), tensor.Dilation(3, 1)}, 2, 1, 2, 4),
		"adaptive_avg_pool2d of more": {[][]int{{2, 3, 4, 5}}, func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].AdaptiveAvgPool2D(7, 3)
		}},
		"adaptive_avg_pool2d to nothing": {[][]int{{2, 1, 3, 3}}, func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].AdaptiveAvgPool2D(0, 1<<40)
		}},
		"batch_norm in parts":    training(63, 1, 8, 33),
		"batch_norm of nothing":  training(0, 2, 4),
		"layer_norm in parts":    rows(3, 520, 3),
		"layer_norm of no rows":  rows(3, 0, 3),
		"layer_norm of long row": rows(1500, 2, 1500),
	}
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) { c.check(t, dev) })
		}
	})
}

type layerCase struct {
	in [][]int
	f  func(x []*tensor.Tensor) *tensor.Tensor
}

// check compares the result and all gradients in float64 with those on the CPU.
func (c layerCase) check(t *testing.T, dev device.Device) {
	on := func(dev device.Device) (all []*tensor.Tensor) {
		var x []*tensor.Tensor
		for _, shape := range c.in {
			x = append(x, wave(dev, dtype.Float64, shape...).SetRequiresGrad(true))
		}
		y := c.f(x)
		backward(y)
		all = append(all, y.Detach())
		for i := range x {
			all = append(all, gradOf(x[i]))
		}
		return all
	}
	got, want := on(dev), on(device.CPU)
	for i := range want {
		if !close64(arrayOf(got[i]), arrayOf(want[i]), 1e-12) {
			t.Errorf("result or gradient %d: got %v, want %v", i, got[i], want[i])
		}
	}
}

func close64(got, want array, tol float64) bool {
	if len(got.v) != len(want.v) {
		return false
	}
	for i, w := range want.v {
		if got.v[i] != w && !(math.Abs(got.v[i]-w) <= tol*max(1, math.Abs(w))) {
			return false
		}
	}
	return true
}

// TestBatchNormFollows is of running statistics that are not contiguous, and of halves, on every device.
func TestBatchNormFollows(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, dt := range []dtype.DType{dtype.Float64, dtype.Float32, dtype.BFloat16} {
			on := func(dev device.Device) (mean, variance *tensor.Tensor) {
				both := tensor.On(dev).As(dt).Ones(3, 2)
				mean, variance = both.Select(1, 0), both.Select(1, 1)
				x := wave(dev, dt, 4, 3, 5)
				x.BatchNorm(nil, nil, mean, variance, tensor.Training(true), tensor.Momentum(0.25))
				return mean, variance
			}
			gotMean, gotVar := on(dev)
			mean, variance := on(device.CPU)
			if tol := 8 * precisions[dt].unit; !close64(arrayOf(gotMean), arrayOf(mean), tol) || !close64(arrayOf(gotVar), arrayOf(variance), tol) {
				t.Errorf("%s: got %v and %v, want %v and %v", dt, gotMean, gotVar, mean, variance)
			}
		}
	})
}

// TestBatchNormOfHalves is of weights and statistics of float32, in which they are computed: planes of few pixels and many, and of a pixel.
func TestBatchNormOfHalves(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for i, shape := range [][]int{{4, 3, 5}, {2, 3, 19, 21}, {9, 40}, {2, 2, 16, 20}} {
			for _, training := range []bool{true, false} {
				dt := []dtype.DType{dtype.BFloat16, dtype.Float16}[i%2]
				on := func(dev device.Device) (all []*tensor.Tensor) {
					x := wave(dev, dt, shape...).SetRequiresGrad(true)
					weight, bias := wave(dev, dtype.Float32, shape[1]).SetRequiresGrad(true), wave(dev, dtype.Float32, shape[1]).SetRequiresGrad(true)
					mean, variance := tensor.On(dev).Zeros(shape[1]), tensor.On(dev).Ones(shape[1])
					y := x.BatchNorm(weight, bias, mean, variance, tensor.Training(training))
					backward(y)
					return []*tensor.Tensor{y.Detach(), gradOf(x), gradOf(weight), gradOf(bias), mean, variance}
				}
				got, want := on(dev), on(device.CPU)
				for k := range want {
					if got[k].DType() != want[k].DType() || !close64(arrayOf(got[k].Double()), arrayOf(want[k].Double()), 4*precisions[dt].unit) {
						t.Errorf("%s of %v, training %v, result or gradient %d: got %v, want %v", dt, shape, training, k, got[k], want[k])
					}
				}
			}
		}
	})
}
