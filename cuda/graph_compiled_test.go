package cuda_test

import (
	"errors"
	"testing"

	"cresset/cuda"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestCompiledInAGraph captures a compiled function with its gradients, after it was recorded, and refuses to record it in a capture.
func TestCompiledInAGraph(t *testing.T) {
	devicetest.Use(t, "h100:1")
	w := tensor.Parameter(tensor.On(gpu).Full([]int{8}, 0.5))
	f := func(x *tensor.Tensor) *tensor.Tensor { return x.Mul(w).Tanh().Add(x).Exp().Sum() }
	c := tensor.Compile(f)
	x := tensor.On(gpu).Ones(8)
	_, err := cuda.Capture(func() error { c(x); return nil })
	if !errors.Is(err, tensor.ErrCompile) {
		t.Errorf("recorded in a capture: %v", err)
	}
	step := func(f func(x *tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
		y := f(x)
		w.SetGrad(tensor.Grad(y, []*tensor.Tensor{w})[0])
		return y.Detach()
	}
	step(c)
	var y *tensor.Tensor
	g := captured(t, func() { y = step(c) })
	gradient := w.Grad()
	for _, v := range []float64{0.25, -1, 3} {
		x.FillInPlace(v)
		got := append(replay(t, g, y), tensor.Values[float32](gradient)...)
		want := append(tensor.Values[float32](f(x)), tensor.Values[float32](tensor.Grad(f(x), []*tensor.Tensor{w})[0])...)
		equal(t, "loss and gradient", got, want...)
	}
}
