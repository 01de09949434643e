package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// InstanceNorm returns (x - mean) / √(variance + Eps) · weight + bias for each channel of each image of x [N, C, …], by the mean and
// biased variance of its elements, or by runningMean and runningVar with Training(false); otherwise these, where given, change in
// place by what images have on average. weight and bias may be nil. It takes Training, Momentum and Eps.
func (x *Tensor) InstanceNorm(weight, bias, runningMean, runningVar *Tensor, opts ...BatchNormOption) *Tensor {
	const name = "instance_norm"
	refuseNil(name, "input", 1, x)
	p := readBatchNorm(append([]BatchNormOption{Training(true)}, opts...))
	shape := x.layout.Shape()
	if !p.Training {
		if runningMean == nil || runningVar == nil {
			fail(name, ErrValue, "Expected running_mean and running_var to be defined when use_input_stats is false", x)
		}
		return x.batchNorm(weight, bias, runningMean, runningVar, p)
	}
	if len(shape) < 3 {
		fail(name, ErrShape, fmt.Sprintf("Expected 3D or higher dimensionality input (got %d dimensions)", len(shape)), x)
	}
	if rest, _ := shape[2:].NumEl(); rest == 1 {
		fail(name, ErrValue, "Expected more than 1 spatial element when training, got input size "+shape.String(), x)
	}
	if runningMean == nil && runningVar == nil && x.takesGroups(weight, bias) {
		groups := op.Normalize{Eps: p.Eps, Groups: shape[1]} // channels are groups of one
		_, y := x.normalized(op.GroupNorm, groups, Shape{shape[0] * shape[1]}, weight, bias, nil)
		return y
	}
	each := func(t *Tensor) *Tensor {
		if t == nil {
			return nil
		}
		return t.Repeat(shape[0])
	}
	mean, variance := each(runningMean), each(runningVar)
	images := append(Shape{1, shape[0] * shape[1]}, shape[2:]...)
	y := x.Reshape(images...).batchNorm(each(weight), each(bias), mean, variance, p)
	for _, running := range [][2]*Tensor{{runningMean, mean}, {runningVar, variance}} {
		if running[0] != nil && shape[0] > 0 {
			running[0].CopyInPlace(running[1].View(shape[:2]...).MeanAxes([]int{0}))
		}
	}
	return y.View(shape...)
}

// takesGroups reports whether weight and bias are what the kernels of group norms take.
func (x *Tensor) takesGroups(weight, bias *Tensor) bool {
	fits := x.dtype.IsFloat() && x.NumEl() > 0
	for _, t := range []*Tensor{weight, bias} {
		fits = fits && (t == nil || t.dtype == x.dtype && t.Device() == x.Device() && t.layout.Shape().Equal(Shape{x.layout.Shape()[1]}))
	}
	return fits
}

// LocalResponseOption is an option of LocalResponseNorm: Alpha, Beta or K.
type LocalResponseOption interface{ localResponse(p *localResponse) }

type localResponse struct{ alpha, beta, k float64 }

// K is what LocalResponseNorm adds to the mean of squares, 1 unless given.
type K float64

func (a Alpha) localResponse(p *localResponse) { p.alpha = float64(a) }
func (b Beta) localResponse(p *localResponse)  { p.beta = float64(b) }
func (k K) localResponse(p *localResponse)     { p.k = float64(k) }

// LocalResponseNorm returns x / (K + Alpha · m)^Beta for x [N, C, …], where m is the mean of squares over size channels around each,
// with zeros beyond them. It takes Alpha, 1e-4 unless given, Beta, 0.75 unless given, and K.
func (x *Tensor) LocalResponseNorm(size int, opts ...LocalResponseOption) *Tensor {
	p := localResponse{1e-4, 0.75, 1}
	for _, o := range opts {
		o.localResponse(&p)
	}
	shape := x.layout.Shape()
	if len(shape) < 3 {
		fail("local_response_norm", ErrValue, fmt.Sprintf("Expected 3D or higher dimensionality                          input (got %d dimensions)", len(shape)), x)
	}
	if x.NumEl() == 0 {
		return x
	}
	w := windowOf(op.Window{Kernel: [2]int{size, 1}, Stride: [2]int{1, 1}, Dilation: [2]int{1, 1}, Groups: 1, CountPadding: true})
	m := x.Mul(x).Reshape(shape[0], 1, shape[1], -1).Pad([]int{0, 0, size / 2, (size - 1) / 2}, 0).avgPool(w).View(shape...)
	return x.Div(m.MulScalar(p.alpha).AddScalar(p.k).Pow(p.beta))
}
