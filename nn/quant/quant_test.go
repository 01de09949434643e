package quant_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/nn"
	"cresset/nn/quant"
	"cresset/tensor"
)

var configs = []quant.Config{
	quant.Int8WeightOnly{}, quant.Int8DynamicActivation{}, quant.Int4WeightOnly{GroupSize: 32}, quant.Int4WeightOnly{GroupSize: 64},
	quant.Int4WeightOnly{}, quant.Int4WeightOnly{GroupSize: 32, Symmetric: true},
}

// dequantizer is a weight that tells what its numbers stand for.
type dequantizer interface{ Dequantize() *tensor.Tensor }

func values(x *tensor.Tensor) []float32 {
	return tensor.Data[float32](x.To(dtype.Float32).Contiguous())
}

// TestWeightsAreTheNearest holds each element to half a step of its row or group, by the formulas of the configs in float64.
func TestWeightsAreTheNearest(t *testing.T) {
	tensor.ManualSeed(3)
	w := tensor.Randn(9, 256).MulScalar(0.3)
	w.Narrow(0, 4, 1).FillInPlace(0)                   // a row of zeros
	w.Narrow(0, 5, 1).CopyInPlace(tensor.Ones(1, 256)) // one without spread
	want := values(w)
	for _, c := range configs {
		l := &nn.Linear{Weight: tensor.Parameter(w.Clone())}
		quant.Quantize(l, c)
		got := values(l.Quantized.(dequantizer).Dequantize())
		group, levels, symmetric := 256, 127., true
		if c, is := c.(quant.Int4WeightOnly); is {
			group, levels, symmetric = max(c.GroupSize, 32), 7, c.Symmetric
			if c.GroupSize == 0 {
				group = 128
			}
		}
		for first := 0; first < len(want); first += group {
			least, most := 0., 0.
			for _, v := range want[first:][:group] {
				least, most = min(least, float64(v)), max(most, float64(v))
			}
			step := max(most, -least) / levels
			if !symmetric {
				step = (most - least) / 15
			}
			for i, v := range want[first:][:group] {
				// Rounding the zero point moves the extremes by half a step.
				bound := step * 0.5001
				if !symmetric {
					bound *= 2
				}
				if diff := math.Abs(float64(got[first+i]) - float64(v)); !(diff <= bound) {
					t.Fatalf("%v: element %d is %v, want %v within %v", c, first+i, got[first+i], v, bound)
				}
			}
		}
	}
}

// TestQuantizedLinearIsTheLayer compares values and gradients with those of a layer that has the dequantized weight.
func TestQuantizedLinearIsTheLayer(t *testing.T) {
	tensor.ManualSeed(5)
	for _, c := range configs {
		for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16, dtype.Float16} {
			for _, shape := range [][]int{{256}, {1, 256}, {2, 3, 256}, {0, 256}, {20, 256}} {
				l := quant.Quantize(nn.NewLinear(256, 10, nn.As(dt)), c)
				plain := &nn.Linear{Weight: l.Quantized.(dequantizer).Dequantize(), Bias: l.Bias.Detach().To(dtype.Float32)}
				x := tensor.Randn(shape...).To(dt).SetRequiresGrad(true)
				wide := x.Detach().To(dtype.Float32).Clone().SetRequiresGrad(true)
				y, want := l.Forward(x), plain.Forward(wide)
				if y.DType() != dt || !y.Shape().Equal(want.Shape()) {
					t.Fatalf("%v of %v: %v of %v, want %v", c, shape, y.Shape(), y.DType(), want.Shape())
				}
				bound := map[dtype.DType]float64{dtype.Float32: 2e-5, dtype.BFloat16: 2e-2, dtype.Float16: 2e-3}[dt]
				values := bound
				if c == (quant.Int8DynamicActivation{}) {
					values += 0.05 // inputs are rounded as well
				}
				if !y.To(dtype.Float32).AllClose(want, values, values) {
					t.Errorf("%v of %v %v: %v, want %v", c, shape, dt, y, want)
				}
				y.Sum().Backward()
				want.Sum().Backward()
				if !x.Grad().To(dtype.Float32).AllClose(wide.Grad(), bound, 4*bound) {
					t.Errorf("%v of %v %v: gradient %v, want %v", c, shape, dt, x.Grad(), wide.Grad())
				}
			}
		}
	}
}

// TestResultsDoNotDependOnTheRowsBeside: a row has the same bits alone and among others, and strided inputs those of contiguous ones.
func TestResultsDoNotDependOnTheRowsBeside(t *testing.T) {
	tensor.ManualSeed(6)
	for _, c := range configs {
		l := quant.Quantize(nn.NewLinear(256, 33), c)
		const rows = 131 // two blocks and three rows
		x := tensor.Randn(rows, 256)
		all := l.Forward(x).Detach()
		for i := range rows {
			if one := l.Forward(x.Narrow(0, i, 1)).Detach(); !one.Equal(all.Narrow(0, i, 1)) {
				t.Fatalf("%v: row %d is another alone", c, i)
			}
		}
		if y := l.Forward(x.T().Contiguous().T()).Detach(); !y.Equal(all) {
			t.Errorf("%v: strided inputs give other bits", c)
		}
	}
}

// TestNaNStaysInItsRow is what inputs that are not finite become.
func TestNaNStaysInItsRow(t *testing.T) {
	for _, c := range configs {
		l := quant.Quantize(nn.NewLinear(256, 5), c)
		for _, v := range []float64{math.NaN(), math.Inf(1)} {
			x := tensor.Ones(3, 256)
			x.Narrow(0, 1, 1).Narrow(1, 7, 1).FillInPlace(v)
			for i, y := range values(l.Forward(x).Detach()) {
				if math.IsNaN(float64(y)) != (i/5 == 1) {
					t.Fatalf("%v with %v: element %d is %v", c, v, i, y)
				}
			}
		}
	}
}

type tied struct {
	Embed *nn.Embedding
	Inner *nn.Linear
	Norm  *nn.LayerNorm
	Head  *nn.Linear
}

func newTied() *tied {
	m := &tied{nn.NewEmbedding(11, 64), nn.NewLinear(64, 64), nn.NewLayerNorm([]int{64}), nn.NewLinear(64, 11, nn.Bias(false))}
	m.Head.Weight = m.Embed.Weight
	return m
}

// TestQuantizeLeavesWhatItCannot change: tied weights, and those that a filter refuses.
func TestQuantizeLeavesWhatItCannot(t *testing.T) {
	quantized, others := quant.Layers(quant.Quantize(newTied(), quant.Int8WeightOnly{}))
	if fmt.Sprint(quantized, others) != "[inner] [head]" {
		t.Errorf("quantized %v and left %v", quantized, others)
	}
	quantized, _ = quant.Layers(quant.Quantize(newTied(), quant.Int8WeightOnly{}, quant.Filter(func(name string) bool { return name != "inner" })))
	if len(quantized) != 0 {
		t.Errorf("quantized %v", quantized)
	}
	m := nn.NewTransformerEncoderLayer(32, 4)
	quantized, others = quant.Layers(quant.Quantize(m, quant.Int8WeightOnly{}))
	if len(quantized) != 2 || !strings.Contains(fmt.Sprint(others), "out_proj") {
		t.Errorf("of an encoder's layer: quantized %v and left %v", quantized, others)
	}
}

// TestScalesStayInFloat32 casts a model, whose quantized layers have the same weights afterwards.
func TestScalesStayInFloat32(t *testing.T) {
	for _, c := range configs[:4] {
		m := quant.Quantize(newTied(), c)
		want := m.Inner.Quantized.(dequantizer).Dequantize()
		nn.To(m, dtype.BFloat16)
		if got := m.Inner.Quantized.(dequantizer).Dequantize(); !got.Equal(want) || m.Head.Weight.DType() != dtype.BFloat16 {
			t.Errorf("%v: weights are %v, want %v", c, got, want)
		}
		if scale := nn.State(m)["inner.weight_scale"]; scale.DType() != dtype.Float32 {
			t.Errorf("%v: scales are %v", c, scale.DType())
		}
	}
}

// TestStateHasTheNumbers reads a quantized state into a model that was prepared for it.
func TestStateHasTheNumbers(t *testing.T) {
	for _, c := range configs[:4] {
		from := quant.Quantize(newTied(), c)
		to := quant.Prepare(newTied(), c)
		if err := nn.LoadState(to, nn.State(from)); err != nil {
			t.Fatal(err)
		}
		x := tensor.Randn(3, 64)
		if got, want := to.Inner.Forward(x), from.Inner.Forward(x); !got.Equal(want) {
			t.Errorf("%v: %v, want %v", c, got, want)
		}
		if got := quant.ConfigOf(to); got != quant.ConfigOf(from) {
			t.Errorf("%v: the config is %v", c, got)
		}
		if moved := nn.Copy(from, (*tensor.Tensor).Clone); !moved.Inner.Forward(x).Equal(from.Inner.Forward(x)) {
			t.Errorf("%v: a copy computes something else", c)
		}
	}
}

// TestQuantizeRefuses what it cannot do, before it changes anything.
func TestQuantizeRefuses(t *testing.T) {
	notFinite := nn.NewLinear(64, 2)
	notFinite.Weight.Detach().FillInPlace(math.Inf(-1))
	quantized := quant.Quantize(nn.NewLinear(64, 2), quant.Int8WeightOnly{})
	for _, c := range []struct {
		model  any
		config quant.Config
		want   string
	}{
		{newTied(), quant.Int4WeightOnly{GroupSize: 48}, "inner: group_size must be 32, 64 or 128, not 48"},
		{newTied(), quant.Int4WeightOnly{}, "inner: in_features 64 is not divisible by group_size 128"},
		{quantized, quant.Int8WeightOnly{}, "is quantized already"},
		{notFinite, quant.Int8WeightOnly{}, "not finite"},
		{newTied(), nil, "a config is expected"},
	} {
		err := tensor.Try(func() { quant.Quantize(c.model, c.config) })
		var bad *tensor.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T by %v: error %v, want %q", c.model, c.config, err, c.want)
		}
	}
	for what, f := range map[string]func(){
		"mat1 and mat2 shapes cannot be multiplied (2x63 and 64x2)": func() { quantized.Forward(tensor.Ones(2, 63)) },
		"mat1 and bias must have the same dtype":                    func() { quantized.Forward(tensor.Ones(2, 64).To(dtype.BFloat16)) },
		`"quantized_linear" not implemented for 'Double'`: func() {
			quant.Quantize(nn.NewLinear(64, 2, nn.Bias(false)), quant.Int8DynamicActivation{}).Forward(tensor.Ones(2, 64).To(dtype.Float64))
		},
		"at least 1D": func() { quantized.Forward(tensor.Ones()) },
	} {
		if err := tensor.Try(f); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("error %v, want %q", err, what)
		}
	}
}

// TestQuantizedLayersPrintTheirForm is what Describe says of them.
func TestQuantizedLayersPrintTheirForm(t *testing.T) {
	got := nn.Describe(quant.Quantize(nn.NewLinear(64, 2), quant.Int4WeightOnly{GroupSize: 32}))
	if want := "Linear(in_features=64, out_features=2, bias=True, weight=Int4WeightOnly(group_size=32))"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
