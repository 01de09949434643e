package quant_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/nn"
	"cresset/nn/quant"
	"cresset/tensor"
)

// cards are simulated GPUs of the generations that have kernels of their own, by their capability.
var cards = map[string]string{"6.0": "gtx1070", "6.1": "gtx1070", "7.5": "t4", "8.0": "a100", "9.0": "h100", "12.0": "rtx5090"}

// use makes the GPU of this process a simulated card, with settings of its own.
func use(t *testing.T, capability, settings string) {
	path := filepath.Join(t.TempDir(), "card.json")
	if err := os.WriteFile(path, []byte(fmt.Sprintf(`{"gpus": [{"preset": %q, "capability": %q%s}]}`, cards[capability], capability, settings)), 0o644); err != nil {
		t.Fatal(err)
	}
	devicetest.Use(t, path)
}

// gpuLayer is a quantized layer on the CPU, and inputs for it.
type gpuLayer struct {
	config  quant.Config
	dtype   dtype.DType
	m, n, k int
	bias    bool
}

func (l gpuLayer) String() string {
	return fmt.Sprintf("%v of %v [%d, %d] and [%d, %d], bias %v", l.config, l.dtype, l.m, l.k, l.n, l.k, l.bias)
}

// few is how many rows are multiplied without a weight that is rounded to the dtype of x.
const few = 8

// gpuLayers are layers on both sides of what kernels take at once: of rows, of columns and of the common axis.
func gpuLayers() (layers []gpuLayer) {
	for i, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16, dtype.Float16} {
		for j, s := range [][3]int{{1, 13, 256}, {3, 5, 384}, {8, 9, 128}, {few + 1, 18, 256}, {1, 4, 4224}, {24, 37, 384}, {40, 33, 128}, {130, 5, 128}, {0, 5, 128}} {
			for l, c := range configs {
				layers = append(layers, gpuLayer{c, dt, s[0], s[1], s[2], (i+j+l)%2 == 0})
			}
		}
		for _, c := range configs[:2] {
			layers = append(layers, gpuLayer{c, dt, 2, 5, 67, true}, gpuLayer{c, dt, few + 1, 7, 70, false}, gpuLayer{c, dt, 2, 3, 0, true})
		}
	}
	return layers
}

// check runs the layer on a GPU. With dynamic quantization it wants the CPU's bits, else what float64 makes of the weight that the numbers stand for, but for the roundings of
// sums and of the result, and where there are many rows for that of the weight.
func (l gpuLayer) check(spoil func(x *nn.Linear)) error {
	tensor.ManualSeed(7)
	layer := nn.NewLinear(l.k, l.n, nn.As(l.dtype), nn.Bias(l.bias))
	quant.Quantize(layer, l.config)
	x := tensor.Randn(l.m, l.k).To(l.dtype)
	w, want := layer.Quantized.(dequantizer).Dequantize().Double(), layer.Forward(x).Detach()
	spoil(layer)
	got := nn.To(layer, device.CUDA(0)).Forward(x.To(device.CUDA(0))).Detach().To(device.CPU)
	if again := layer.Forward(x.To(device.CUDA(0))).Detach().To(device.CPU); !again.Equal(got) {
		return fmt.Errorf("other bits the second time")
	}
	if l.config == (quant.Int8DynamicActivation{}) {
		if !got.Equal(want) {
			return fmt.Errorf("%v, want the CPU's %v", got, want)
		}
		return nil
	}
	rounding := map[dtype.DType]float64{dtype.Float32: 0x1p-24, dtype.BFloat16: 0x1p-8, dtype.Float16: 0x1p-11}[l.dtype]
	exact, sizes := x.Double().MM(w.T()), x.Double().Abs().MM(w.T().Abs())
	if l.bias {
		exact = exact.Add(layer.Bias.Detach().To(device.CPU).Double())
	}
	ys, e, s := tensor.Data[float64](got.Double()), tensor.Data[float64](exact.Contiguous()), tensor.Data[float64](sizes.Contiguous())
	for i, y := range ys {
		bound := 64*0x1p-24*s[i] + 2*rounding*math.Abs(e[i]) + 0x1p-24
		if l.m > few {
			bound += rounding * s[i]
		}
		if !(math.Abs(y-e[i]) <= bound) {
			return fmt.Errorf("element %d is %v, want %v within %v", i, y, e[i], bound)
		}
	}
	return nil
}

// TestQuantizedLayersOnEveryCard runs layers on GPUs of each generation, each by the kernels that it takes.
func TestQuantizedLayersOnEveryCard(t *testing.T) {
	for capability := range cards {
		t.Run(capability, func(t *testing.T) {
			if race.Enabled && capability != "8.0" {
				t.Skip("goroutines are the same on every card")
			}
			use(t, capability, "")
			for _, l := range gpuLayers() {
				if err := l.check(func(*nn.Linear) {}); err != nil {
					t.Errorf("%v: %v", l, err)
				}
			}
		})
	}
}

// small has two multiprocessors, for which tiles pay off where matrices are small.
const small = `, "multiprocessors": 2`

// bytesLayers have rows of int8 enough for those, on tensor cores: with a common axis in one part, and in two.
var bytesLayers = []gpuLayer{
	{quant.Int8DynamicActivation{}, dtype.Float32, 96, 137, 528, true}, {quant.Int8DynamicActivation{}, dtype.BFloat16, 64, 126, 1040, false},
}

// TestManyRowsOfBytes runs layers whose rows tensor cores multiply from 8.0 on, those of 9.0 by warpgroups.
func TestManyRowsOfBytes(t *testing.T) {
	if race.Enabled {
		t.Skip("goroutines are the same as on every card")
	}
	for _, capability := range []string{"8.0", "9.0"} {
		t.Run(capability, func(t *testing.T) {
			use(t, capability, small)
			for _, l := range bytesLayers {
				if err := l.check(func(*nn.Linear) {}); err != nil {
					t.Errorf("%v: %v", l, err)
				}
			}
		})
	}
}

// TestWrongScaleOnGPUIsSeen has the GPU multiply by a weight of which one scale is a hundredth larger.
func TestWrongScaleOnGPUIsSeen(t *testing.T) {
	spoil := func(l *nn.Linear) {
		for name, x := range nn.State(l) {
			if strings.HasSuffix(name, "weight_scale") {
				x.Select(0, 0).MulScalarInPlace(1.01)
			}
		}
	}
	for settings, layers := range map[string][]gpuLayer{"": gpuLayers()[:12], small: bytesLayers[:1]} {
		t.Run(settings, func(t *testing.T) {
			use(t, "8.0", settings)
			for _, l := range layers {
				if l.check(spoil) == nil {
					t.Errorf("%v: a scale that is wrong goes unseen", l)
				}
			}
		})
	}
}
