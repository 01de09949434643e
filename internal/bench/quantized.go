package bench

import (
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/nn"
	"cresset/nn/quant"
	"cresset/tensor"
)

// quantizedLinears are layers of Llama 3 70B's sizes with weights of fewer bits, of so many rows of bfloat16: what decoding a token, or one of each of several texts, and a prompt wait for.
func quantizedLinears() (cases []Case) {
	for _, s := range [][3]int{{1, 8192, 28672}, {1, 28672, 8192}, {8, 8192, 28672}, {32, 8192, 28672}, {64, 8192, 28672}, {64, 28672, 8192}, {128, 8192, 28672}, {512, 8192, 28672}} {
		rows, in, out := s[0], s[1], s[2]
		for _, f := range quantizedForms {
			c := Case{Name: fmt.Sprintf("linear_%s/%dx%dx%d", f.name, rows, in, out), Unit: "B", Work: float64(in*out)*f.bytes + 2*float64(rows*(in+out))}
			c.Make = func(dev device.Device) func() {
				l := quant.Prepare(nn.NewLinear(in, out, nn.On(dev), nn.As(dtype.BFloat16), nn.Bias(false)), f.config)
				x := tensor.On(dev).As(dtype.BFloat16).Randn(rows, in)
				return func() { step(func(s *tensor.Scope) { l.Forward(s.Enter(x)) }) }
			}
			cases = append(cases, c)
		}
	}
	return cases
}

// quantizedForms are what flags call forms of weights, and the bytes of a number with its scale.
var quantizedForms = []struct {
	name   string
	bytes  float64
	config quant.Config
}{
	{"int8", 1, quant.Int8WeightOnly{}}, {"int8_dynamic", 1, quant.Int8DynamicActivation{}}, {"int4", 0.5 + 4.5/128, quant.Int4WeightOnly{GroupSize: 128}},
}
