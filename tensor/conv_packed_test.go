package tensor_test

import (
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend/cuda"
	"cresset/internal/devicetest"
	"cresset/internal/hardware"
	"cresset/tensor"
)

// packedConvolution is one of bfloat16 whose gradients may pack dy.
type packedConvolution struct {
	name          string
	x, w          []int
	opts          []tensor.ConvOption
	packed, apart int // launches that pack what a gradient reads, of both gradients together and of each by itself, on an H100
}

var packedConvolutions = []packedConvolution{
	{"of 3x3", []int{2, 32, 14, 14}, []int{32, 32, 3, 3}, []tensor.ConvOption{tensor.Padding(1)}, 3, 4},
	{"with dilation", []int{2, 32, 16, 15}, []int{32, 32, 3, 3}, []tensor.ConvOption{tensor.Padding(1), tensor.Dilation(2)}, 3, 4},
	{"of two groups", []int{2, 64, 14, 13}, []int{64, 32, 3, 3}, []tensor.ConvOption{tensor.Padding(1), tensor.Groups(2)}, 3, 4},
	{"to channels that do not fill chunks", []int{2, 32, 14, 14}, []int{36, 32, 3, 3}, []tensor.ConvOption{tensor.Padding(1)}, 6, 6},
	{"of pixels", []int{2, 64, 9, 10}, []int{64, 64, 1, 1}, nil, 2, 2},
	{"over all of x", []int{2, 64, 3, 3}, []int{64, 64, 3, 3}, nil, 0, 0},
	{"of few channels", []int{2, 16, 14, 14}, []int{16, 16, 3, 3}, []tensor.ConvOption{tensor.Padding(1)}, 0, 0},
}

// grads returns the gradients of x, of the weight and of the bias that are wanted, and nil for the others.
func (c *packedConvolution) grads(gpu tensor.Place, ofX, ofW, ofBias bool) (dx, dw, db *tensor.Tensor) {
	tensor.ManualSeed(3)
	x, w, bias := gpu.Randn(c.x...).SetRequiresGrad(ofX), gpu.Randn(c.w...).SetRequiresGrad(ofW), gpu.Randn(c.w[0]).SetRequiresGrad(ofBias)
	y := x.Conv2D(w, bias, c.opts...)
	y.Backward(tensor.Gradient(gpu.Randn(y.Shape()...)))
	return x.Grad(), w.Grad(), bias.Grad()
}

// TestGradientsOfConvolutionsShareWhatIsPacked: dy is packed once where both gradients would pack it.
func TestGradientsOfConvolutionsShareWhatIsPacked(t *testing.T) {
	m, err := hardware.Preset("h100", 1)
	if err != nil {
		t.Fatal(err)
	}
	trace, giveBack, err := cuda.UseModel(m)
	if err != nil {
		t.Fatal(err)
	}
	defer giveBack()
	gpu := tensor.On(device.CUDA(0)).As(dtype.BFloat16)
	for _, c := range packedConvolutions {
		count := func(ofX, ofW bool) (n int) {
			trace.Take()
			c.grads(gpu, ofX, ofW, false)
			for _, call := range trace.Take() {
				for _, l := range call.Launches {
					if call.Op != "convolution" && (strings.HasPrefix(l.Kernel, "transpose") || strings.HasPrefix(l.Kernel, "copy")) {
						n++
					}
				}
			}
			return n
		}
		if packed, apart := count(true, true), count(true, false)+count(false, true); packed != c.packed || apart != c.apart {
			t.Errorf("convolution %s: %d launches pack for both gradients and %d for each, want %d and %d", c.name, packed, apart, c.packed, c.apart)
		}
	}
}

// TestGradientsOfConvolutionsAreTheSameTogether: a gradient has the same bits whether the others are wanted too or not.
func TestGradientsOfConvolutionsAreTheSameTogether(t *testing.T) {
	devicetest.JudgesValues(t)
	for card, dt := range map[string]dtype.DType{"t4": dtype.Float16, "a100": dtype.BFloat16} {
		t.Run(card, func(t *testing.T) {
			devicetest.Use(t, card)
			gpu := tensor.On(device.CUDA(0)).As(dt)
			for _, c := range packedConvolutions {
				dx, dw, db := c.grads(gpu, true, true, true)
				x, _, _ := c.grads(gpu, true, false, false)
				_, w, _ := c.grads(gpu, false, true, false)
				_, _, bias := c.grads(gpu, false, false, true)
				if !dx.Equal(x) || !dw.Equal(w) || !db.Equal(bias) {
					t.Errorf("convolution %s: other bits together", c.name)
				}
			}
		})
	}
}

// TestGradientsOfConvolutionsOfNothing: what is padded may have no rows, and no channels.
func TestGradientsOfConvolutionsOfNothing(t *testing.T) {
	devicetest.Use(t, "a100")
	gpu := tensor.On(device.CUDA(0)).As(dtype.BFloat16)
	for _, c := range []packedConvolution{
		{name: "without rows", x: []int{2, 32, 0, 5}, w: []int{32, 32, 1, 3}, opts: []tensor.ConvOption{tensor.Padding(1)}},
		{name: "without channels", x: []int{2, 0, 5, 5}, w: []int{32, 0, 3, 3}},
	} {
		dx, dw, db := c.grads(gpu, true, true, true)
		_, _, want := c.grads(gpu, false, false, true)
		if dx.NumEl() != 0 || dw.Any().Item() != false || !db.Equal(want) {
			t.Errorf("of x %s: got %v, %v and %v, want nothing, zeros and %v", c.name, dx, dw, db, want)
		}
	}
}
