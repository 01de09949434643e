package tensor

import (
	"testing"

	"cresset/dtype"
)

// ramp returns 0, 1, 2, … mod 7 less 3, some of each sign, with no two windows alike.
func ramp(sizes ...int) *Tensor {
	n, _ := Shape(sizes).NumEl()
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i*i%7) - 3 + float64(i)/16
	}
	return FromSlice(v).View(sizes...)
}

func TestLayersOfTransposedInputs(t *testing.T) {
	w := ramp(3, 2, 2, 2)
	for _, c := range []struct {
		name string
		f    func(x *Tensor) *Tensor
	}{
		{"conv2d", func(x *Tensor) *Tensor { return x.Conv2D(w.Transpose(2, 3), ramp(3)) }},
		{"max_pool2d", func(x *Tensor) *Tensor { return x.MaxPool2D(2) }},
		{"avg_pool2d", func(x *Tensor) *Tensor { return x.AvgPool2D(2) }},
		{"adaptive_avg_pool2d", func(x *Tensor) *Tensor { return x.AdaptiveAvgPool2D(2, 3) }},
		{"batch_norm", func(x *Tensor) *Tensor {
			return x.BatchNorm(nil, nil, nil, nil, Training(true))
		}},
		{"layer_norm", func(x *Tensor) *Tensor { return x.LayerNorm([]int{4, 5}, nil, nil) }},
	} {
		strided := ramp(5, 4, 3, 2).Permute(2, 3, 1, 0).SetRequiresGrad(true)
		packed := strided.Detach().Contiguous().SetRequiresGrad(true)
		got, want := c.f(strided), c.f(packed)
		got.Mul(got).Sum().Backward()
		want.Mul(want).Sum().Backward()
		if !closeTo(Values[float64](got), Values[float64](want), 0) {
			t.Errorf("%s: got %v, want %v", c.name, got, want)
		}
		if !closeTo(Values[float64](strided.Grad()), Values[float64](packed.Grad()), 0) {
			t.Errorf("%s: gradient %v, want %v", c.name, strided.Grad(), packed.Grad())
		}
	}
}

func TestLayersOfNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(x *Tensor) *Tensor
		want Shape
	}{
		{"conv2d", func(x *Tensor) *Tensor { return x.Conv2D(Ones(4, 2, 3, 3), Ones(4)) }, Shape{0, 4, 2, 3}},
		{"max_pool2d", func(x *Tensor) *Tensor { return x.MaxPool2D(2) }, Shape{0, 2, 2, 2}},
		{"avg_pool2d", func(x *Tensor) *Tensor { return x.AvgPool2D(2) }, Shape{0, 2, 2, 2}},
		{"adaptive_avg_pool2d", func(x *Tensor) *Tensor { return x.AdaptiveAvgPool2D(3, 3) }, Shape{0, 2, 3, 3}},
		{"batch_norm", func(x *Tensor) *Tensor {
			return x.BatchNorm(Ones(2), Ones(2), Zeros(2), Ones(2), Training(true))
		}, Shape{0, 2, 4, 5}},
		{"layer_norm", func(x *Tensor) *Tensor { return x.LayerNorm([]int{5}, Ones(5), Ones(5), 1e-5) }, Shape{0, 2, 4, 5}},
	} {
		x := Zeros(0, 2, 4, 5).SetRequiresGrad(true)
		y := c.f(x)
		y.Sum().Backward()
		if !y.Shape().Equal(c.want) || !x.Grad().Shape().Equal(x.Shape()) {
			t.Errorf("%s: result %v, gradient %v", c.name, y.Shape(), x.Grad().Shape())
		}
	}
	vast := Zeros(0, 1, 3, 3).SetRequiresGrad(true)
	vast.AdaptiveAvgPool2D(1<<40, 1).Sum().Backward()
	flat := Zeros(2, 1, 3, 3).SetRequiresGrad(true)
	flat.AdaptiveAvgPool2D(0, 1<<40).Sum().Backward()
	if got := flat.Grad(); !got.Equal(Zeros(2, 1, 3, 3)) {
		t.Errorf("gradient of means without windows is %v", got)
	}
	Zeros(0, 1, 1<<40, 1).AvgPool2D(1)
	Zeros(0, 1, 1<<40, 1).MaxPool2D(1)
	Zeros(0, 1, 1<<40, 1).Conv2D(Ones(1, 1, 1, 1), nil)
	if got := Ones(1, 0, 3, 3).Conv2D(Ones(2, 0, 2, 2), FromSlice([]float32{5, 6})); !closeTo(Values[float64](got), []float64{5, 5, 5, 5, 6, 6, 6, 6}, 0) {
		t.Errorf("convolution of no channels is %v", got)
	}
}

func TestUnbatchedLayers(t *testing.T) {
	x, w := ramp(2, 4, 5), ramp(3, 2, 2, 2)
	y := x.Conv2D(w, nil)
	if want := x.View(1, 2, 4, 5).Conv2D(w, nil); !y.Shape().Equal(Shape{3, 3, 4}) || !closeTo(Values[float64](y), Values[float64](want), 0) {
		t.Errorf("conv2d: got %v, want %v", y, want)
	}
	line := x.View(2, 20).Conv1D(w.View(3, 2, 4), nil, Stride(3))
	if !line.Shape().Equal(Shape{3, 6}) {
		t.Errorf("conv1d has shape %v", line.Shape())
	}
	values, indices := x.MaxPool2DWithIndices(2, Stride(2, 3))
	if got := Values[float64](x.View(2, 20).Gather(1, indices.View(2, 4))); !closeTo(got, Values[float64](values), 0) {
		t.Errorf("the indices %v name %v, want %v", indices, got, values)
	}
}

func TestBatchNormRunningFigures(t *testing.T) {
	x := FromSlice([]float32{1, 10, 2, 20, 3, 60}, 3, 2)
	mean, variance := Zeros(2), Ones(4).Slice(0, 0, 4, 2) // one of them strided
	s := NewScope()
	s.Enter(x).BatchNorm(nil, nil, mean, variance, Training(true), Momentum(0.5))
	s.Close()
	if got, want := Values[float64](mean), []float64{1, 15}; !closeTo(got, want, 1e-6) {
		t.Errorf("running mean is %v, want %v", got, want)
	}
	if got, want := Values[float64](variance), []float64{1, 350.5}; !closeTo(got, want, 1e-6) {
		t.Errorf("running variance is %v, want %v", got, want)
	}
	if mean.Version() != 1 || variance.Version() != 1 {
		t.Errorf("versions are %d and %d, want 1", mean.Version(), variance.Version())
	}
	// Evaluation leaves them alone; a later change does not disturb a gradient under way.
	w := Ones(2).SetRequiresGrad(true)
	y := x.BatchNorm(w, nil, mean, variance)
	if mean.Version() != 1 {
		t.Errorf("evaluation changed the running mean")
	}
	x.BatchNorm(nil, nil, mean, variance, Training(true), Momentum(0.5))
	y.Sum().Backward()
	if got, want := Values[float64](w.Grad()), []float64{3, (90 - 45) / 18.721645}; !closeTo(got, want, 1e-5) {
		t.Errorf("gradient of the weight is %v, want %v", got, want)
	}
}

func TestHalfLayers(t *testing.T) {
	w32, b32 := ramp(2, 2, 2, 2).Half().Float(), ramp(2).Half().Float()
	x32 := ramp(2, 2, 4, 4).Half().Float()
	for _, c := range []struct {
		name string
		f    func(x, w, bias *Tensor) *Tensor
	}{
		{"conv2d", func(x, w, bias *Tensor) *Tensor { return x.Conv2D(w, bias) }},
		{"max_pool2d", func(x, _, _ *Tensor) *Tensor { return x.MaxPool2D(2) }},
		{"batch_norm", func(x, _, bias *Tensor) *Tensor {
			return x.BatchNorm(bias, bias, Zeros(2), Ones(2), Training(true))
		}},
		{"layer_norm", func(x, w, _ *Tensor) *Tensor { return x.LayerNorm([]int{2, 2, 2, 2}, w, w) }},
	} {
		x, w, bias := x32, w32, b32
		if c.name == "layer_norm" {
			x = w32
		}
		want := c.f(x, w, bias)
		half := x.Half().SetRequiresGrad(true)
		got := c.f(half, w.Half(), bias.Half())
		got.Sum().Backward()
		if got.DType() != dtype.Float16 || !closeTo(Values[float64](got), Values[float64](want.Half()), 0) {
			t.Errorf("%s: got %v, want %v", c.name, got, want)
		}
		if half.Grad().DType() != dtype.Float16 {
			t.Errorf("%s: gradient is %v", c.name, half.Grad().DType())
		}
	}
}
