package quant_test

import (
	"fmt"
	"testing"

	"cresset/nn"
	"cresset/nn/quant"
	"cresset/tensor"
)

// BenchmarkSmallLinear is a row of inputs times weights that the caches hold, by quantized layers and, first, by the layer that they were: what a call costs beside its products.
func BenchmarkSmallLinear(b *testing.B) {
	for _, size := range [][2]int{{128, 512}, {512, 128}, {512, 512}, {768, 768}, {1024, 1024}} {
		x := tensor.Randn(1, size[0])
		for _, config := range []quant.Config{nil, quant.Int8WeightOnly{}, quant.Int8DynamicActivation{}, quant.Int4WeightOnly{GroupSize: 32}, quant.Int4WeightOnly{}} {
			l := nn.NewLinear(size[0], size[1], nn.Bias(false))
			name := "float32"
			if config != nil {
				l, name = quant.Quantize(l, config), fmt.Sprint(config)
			}
			nn.Frozen(l)
			b.Run(fmt.Sprintf("%s/1x%dx%d", name, size[0], size[1]), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					l.Forward(x).Release()
				}
			})
		}
	}
}
