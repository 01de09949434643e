package selftest

import (
	"slices"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend/cuda"
	"cresset/internal/hardware"
	"cresset/tensor"
)

// TestLargeChecksTakeLargeTiles: cards with all of their multiprocessors, whose kernels do nothing here, issue every kernel of the tiles that are
// for large products and convolutions.
func TestLargeChecksTakeLargeTiles(t *testing.T) {
	samples := slices.Concat(largeMatmuls(), largeConvolutions())
	shapes := make([][][]int, len(samples)) // of operands, whose numbers take longer than all that follows
	for i, s := range samples {
		for _, in := range s.in {
			shapes[i] = append(shapes[i], in(dtype.Float32, 0).Shape())
		}
	}
	for card, tiles := range map[string][]string{
		"t4": {"conv_128x128_tile", "conv_32x128_tile"},
		"a100": {"product_128x128_async", "product_128x128_tf32", "product_128x256_mma_", "product_128x128_mma_", "product_128x128_pairs", "product_128x128_dmma_", "product_quantized_imma",
			"conv_128x128_async", "conv_128x128_tf32", "conv_128x128_mma_", "conv_weight_128x128_"},
		"h100": {"product_128x128_async", "product_128x128_tf32", "product_128x128_wgmma", "product_128x256_wgmma", "product_128x192_beside", "product_128x128_beside",
			"product_128x64_beside", "product_128x128_dmma16", "product_quantized_wgmma",
			"conv_128x128_async", "conv_128x128_tf32", "conv_128x128_mma_", "conv_64x128_wgmma", "conv_128x128_wgmma", "conv_weight_64x128_wgmma", "conv_weight_128x128_"},
		"b200":    {"product_128x128_tcgen05", "product_128x256_tcgen05"},
		"rtx5090": {"conv_128x128_async_f32", "conv_128x128_tf32", "conv_128x128_mma_", "conv_weight_128x128_"},
	} {
		t.Run(card, func(t *testing.T) {
			m, err := hardware.Preset(card, 1)
			if err != nil {
				t.Fatal(err)
			}
			_, giveBack, err := cuda.UseModel(m)
			if err != nil {
				t.Fatal(err)
			}
			defer giveBack()
			for i, s := range samples {
				for _, dt := range s.dtypes {
					s.issue(tensor.On(device.CUDA(0)).As(dt), shapes[i])
				}
			}
			_, rest, err := Used(device.CUDA(0))
			if err != nil {
				t.Fatal(err)
			}
			for _, kernel := range rest {
				for _, tile := range tiles {
					if strings.HasPrefix(kernel, tile) {
						t.Errorf("no check reaches %s", kernel)
					}
				}
			}
		})
	}
}

// issue has a GPU compute of operands of these shapes, which nobody has written.
func (s sample) issue(gpu tensor.Place, shapes [][]int) {
	if s.rounded {
		defer roundProducts()()
	}
	x := make([]*tensor.Tensor, len(shapes))
	for i, shape := range shapes {
		x[i] = gpu.Empty(shape...).SetRequiresGrad(s.grad)
	}
	for _, y := range s.f(x) {
		if y.RequiresGrad() {
			y.Backward(tensor.Gradient(gpu.Empty(y.Shape()...)), tensor.RetainGraph(true))
		}
	}
}
