package selftest

import (
	"strings"
	"testing"

	"cresset/device"
	"cresset/internal/backend/cuda"
	"cresset/internal/hardware"
	"cresset/tensor"
)

// TestLargeProductsTakeLargeTiles: cards with all of their multiprocessors, whose kernels do nothing here, issue every kernel of the tiles that are
// for large products.
func TestLargeProductsTakeLargeTiles(t *testing.T) {
	for card, tiles := range map[string][]string{
		"a100": {"128x128_async", "128x128_tf32", "128x128_mma_", "128x128_dmma_"},
		"h100": {"128x128_async", "128x128_tf32", "128x128_wgmma", "128x256_wgmma", "128x192_beside", "128x128_beside", "128x64_beside", "128x128_dmma16"},
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
			for _, s := range largeMatmuls() {
				for _, dt := range s.dtypes {
					var x []*tensor.Tensor
					for _, in := range s.in {
						x = append(x, tensor.On(device.CUDA(0)).Empty(in(dt, 0).Shape()...).To(dt))
					}
					giveBack := func() {}
					if s.rounded {
						giveBack = roundProducts()
					}
					s.f(x)
					giveBack()
				}
			}
			_, rest, err := Used(device.CUDA(0))
			if err != nil {
				t.Fatal(err)
			}
			for _, kernel := range rest {
				for _, tile := range tiles {
					if strings.HasPrefix(kernel, "product_"+tile) {
						t.Errorf("no check reaches %s", kernel)
					}
				}
			}
		})
	}
}
