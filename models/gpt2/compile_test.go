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
	for name, opts := range map[string][]tensor.ScopeOption{"float32": nil, "bfloat16": nil, "autocast": {tensor.Autocast(dtype.BFloat16)}} {
		for _, on := range []device.Device{device.CPU, device.CUDA(0)} {
			dt := dtype.Float32
			if name == "bfloat16" {
				dt = dtype.BFloat16
			}
			tensor.ManualSeed(1)
			m, err := New(Config{Vocabulary: 8, Positions: 16, Width: 32, Layers: 1, Heads: 2}, nn.On(on), nn.As(dt))
			if err != nil {
				t.Fatal(err)
			}
			layer := m.Body.Layers[0]
			block := func(x *tensor.Tensor) *tensor.Tensor { return layer.read(x, nn.NoPast, 0) }
			x, dy := tensor.On(on).Randn(2, 16, 32).To(dt), tensor.On(on).Randn(2, 16, 32).To(dt)
			run := func(f func(x *tensor.Tensor) *tensor.Tensor) (results [][]float64, launches int) {
				scope := tensor.NewScope(opts...)
				defer scope.Close()
				x := scope.Enter(x.Detach().SetRequiresGrad(true))
				for _, p := range nn.ParameterList(layer) {
					p.ZeroGrad()
				}
				tensor.ManualSeed(2)
				before := gpus.Calls("cuLaunchKernel") + gpus.Calls("cuLaunchKernelEx")
				y := f(x)
				y.Backward(tensor.Gradient(dy))
				launches = gpus.Calls("cuLaunchKernel") + gpus.Calls("cuLaunchKernelEx") - before
				results = append(results, tensor.Values[float64](y), tensor.Values[float64](x.Grad()))
				for _, p := range nn.ParameterList(layer) {
					results = append(results, tensor.Values[float64](p.Grad()))
				}
				return results, launches
			}
			want, asItIs := run(block)
			compiled := tensor.Compile(block)
			run(compiled)
			got, launches := run(compiled)
			for i := range want {
				for k, w := range want[i] {
					if g := got[i][k]; math.Float64bits(g) != math.Float64bits(w) {
						t.Fatalf("%s on %s, result or gradient %d, element %d is %v, want %v", name, on, i, k, g, w)
					}
				}
			}
			if most := asItIs - saved; on.IsCUDA() && launches > most {
				t.Errorf("%s on %s: %d launches, want at most %d", name, on, launches, most)
			}
		}
	}
}
