package nn_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// TestRotaryScalings compares tables with those of transformers 5.23, for heads of 16 at the last of the positions.
func TestRotaryScalings(t *testing.T) {
	for _, c := range []struct {
		name     string
		theta    float64
		scaling  nn.RotaryScaling
		last     int
		cos, sin []float64
	}{
		{"none", 100, nil, 31,
			[]float64{0.9147424, 0.1532155, -0.9293003, 0.7175492, -0.9991351, -0.171608, 0.5567682, 0.8518618},
			[]float64{-0.4040377, -0.9881928, -0.369325, -0.6965078, 0.0415805, 0.9851653, 0.8306679, 0.5237666}},
		{"linear", 100, nn.LinearScaling{Factor: 2.5}, 31,
			[]float64{0.9861924, 0.7713433, -0.7111727, -0.5925897, 0.3247963, 0.7665768, 0.9241, 0.9757867},
			[]float64{-0.1656036, 0.6364193, -0.7030174, 0.8055044, 0.945784, 0.6421527, 0.3821506, 0.218724}},
		{"dynamic, short", 100, nn.DynamicScaling{Factor: 2, MaxPositions: 32}, 31,
			[]float64{0.9147424, 0.1532155, -0.9293003, 0.7175492, -0.9991351, -0.171608, 0.5567682, 0.8518618},
			[]float64{-0.4040377, -0.9881928, -0.369325, -0.6965078, 0.0415805, 0.9851653, 0.8306679, 0.5237666}},
		{"dynamic, long", 100, nn.DynamicScaling{Factor: 2, MaxPositions: 32}, 70,
			[]float64{0.6333192, -0.011606, -0.9884101, 0.4977601, -0.9507336, -0.0587194, 0.7191783, 0.935147},
			[]float64{0.7738907, 0.9999326, 0.1518073, 0.8673147, -0.3100091, 0.9982745, 0.6948255, 0.3542598}},
		{"llama3", 1000, nn.Llama3Scaling{Factor: 8, LowFreqFactor: 1, HighFreqFactor: 4, MaxPositions: 20}, 31,
			[]float64{0.0518814, -0.9795915, 0.7718292, 0.9580767, 0.9925016, 0.9986652, 0.9997626, 0.9999578},
			[]float64{-0.9986532, 0.2009988, 0.6358299, 0.2865118, 0.1222318, 0.051651, 0.021789, 0.0091889}},
		{"yarn", 1000, nn.YaRNScaling{Factor: 4, MaxPositions: 64}, 31,
			[]float64{1.0415525, -1.0575461, -1.055169, 0.9516915, 1.1046058, 1.1325542, 1.1375483, 1.1384372},
			[]float64{-0.4600492, -0.4219871, 0.4278966, 0.6251082, 0.2762663, 0.1174656, 0.0496074, 0.0209247}},
		{"yarn, all settings", 1000, nn.YaRNScaling{Factor: 4, MaxPositions: 64, BetaFast: 8, BetaSlow: 2, MScale: 0.7, MScaleAllDim: 0.3, Fractional: true}, 31,
			[]float64{0.9634411, -0.7702451, 0.2016325, 0.8803192, 1.0217656, 1.047618, 1.0522376, 1.0530598},
			[]float64{-0.4255477, 0.7183538, 1.0337572, 0.5782281, 0.2555477, 0.1086562, 0.0458871, 0.0193555}},
		{"yarn, attention", 1000, nn.YaRNScaling{Factor: 4, MaxPositions: 64, Attention: 1.5}, 31,
			[]float64{1.3721135, -1.3931831, -1.3900514, 1.2537329, 1.4551781, 1.4919965, 1.4985757, 1.4997467},
			[]float64{-0.6060565, -0.5559146, 0.5636995, 0.8235009, 0.3639458, 0.1547461, 0.0653515, 0.0275657}},
	} {
		r := &nn.Rotary{Size: 16, Theta: c.theta, Scaling: c.scaling}
		cos, sin := r.Tables([][]int{{0, 1, 7, c.last}}, tensor.Zeros(1))
		for what, pair := range map[string][2]*tensor.Tensor{
			"cosines": {cos, tensor.Of(c.cos)},
			"sines":   {sin, tensor.Of(c.sin)},
		} {
			got := pair[0].Flatten(0, 2).Select(0, 3).Double()
			if worst := got.Sub(pair[1].Double()).Abs().Max().Float64(); !(worst <= 2e-6) {
				t.Errorf("%s: %s are %v, %v are expected", c.name, what, got, pair[1])
			}
		}
	}
}

// TestRotateTurnsPairs checks what a query and a key make of each other: a product that depends on how far apart they are, and elements behind those
// that turn, which stay.
func TestRotateTurnsPairs(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		tensor.ManualSeed(3)
		place := tensor.On(dev).As(dtype.Float64)
		q, k := place.Rand(1, 1, 1, 10), place.Rand(1, 1, 1, 10)
		r := &nn.Rotary{Size: 8, Theta: 50}
		score := func(i, j int) float64 {
			turn := func(x *tensor.Tensor, at int) *tensor.Tensor {
				cos, sin := r.Tables([][]int{{at}}, x)
				y := nn.Rotate(x, cos, sin)
				if !y.Narrow(-1, 8, 2).Equal(x.Narrow(-1, 8, 2)) {
					t.Error("elements turn that should stay")
				}
				return y
			}
			return turn(q, i).Mul(turn(k, j)).Sum().Float64()
		}
		for _, far := range []int{0, 1, 5} {
			if a, b := score(far, 0), score(far+17, 17); !(a-b < 1e-5 && b-a < 1e-5) {
				t.Errorf("%d apart: %v at the beginning, %v behind", far, a, b)
			}
		}
	})
}
