package gpt2

import (
	"math"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// saved is how many launches a compiled layer takes less: the gradients of queries, keys and values are written side by side at once.
const saved = 3

// TestCompiledBlock compares a layer of a GPT and its gradients, compiled and as it is, and counts the launches of both.
func TestCompiledBlock(t *testing.T) {
	gpus := devicetest.Use(t, "a100:1")
	for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16} {
		for _, on := range []device.Device{device.CPU, device.CUDA(0)} {
			tensor.ManualSeed(1)
			m, err := New(Config{Vocabulary: 8, Positions: 16, Width: 32, Layers: 1, Heads: 2}, nn.On(on), nn.As(dt))
			if err != nil {
				t.Fatal(err)
			}
			layer := m.Body.Layers[0]
			block := func(x *tensor.Tensor) *tensor.Tensor { return layer.read(x, nn.NoPast, 0) }
			x, dy := tensor.On(on).Randn(2, 16, 32).To(dt), tensor.On(on).Randn(2, 16, 32).To(dt)
			run := func(f func(x *tensor.Tensor) *tensor.Tensor) (results []*tensor.Tensor, launches int) {
				x := x.Detach().SetRequiresGrad(true)
				for _, p := range nn.ParameterList(layer) {
					p.ZeroGrad()
				}
				tensor.ManualSeed(2)
				before := gpus.Calls("cuLaunchKernel") + gpus.Calls("cuLaunchKernelEx")
				y := f(x)
				y.Backward(tensor.Gradient(dy))
				launches = gpus.Calls("cuLaunchKernel") + gpus.Calls("cuLaunchKernelEx") - before
				results = append(results, y.Detach(), x.Grad())
				for _, p := range nn.ParameterList(layer) {
					results = append(results, p.Grad())
				}
				return results, launches
			}
			want, asItIs := run(block)
			compiled := tensor.Compile(block)
			run(compiled)
			got, launches := run(compiled)
			for i := range want {
				g, w := tensor.Values[float64](got[i]), tensor.Values[float64](want[i])
				for k := range w {
					if math.Float64bits(g[k]) != math.Float64bits(w[k]) {
						t.Fatalf("%s on %s, result or gradient %d, element %d is %v, want %v", dt, on, i, k, g[k], w[k])
					}
				}
			}
			if most := asItIs - saved; on.IsCUDA() && launches > most {
				t.Errorf("%s on %s: %d launches, want at most %d", dt, on, launches, most)
			}
		}
	}
}
