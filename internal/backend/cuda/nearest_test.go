package cuda

import (
	"testing"

	"cresset/dtype"
	"cresset/internal/kern"
)

// TestBoundsHoldToNearest: how tensor cores add is a model. The bounds that other tests hold it to have to hold too where each sum is rounded once, to nearest,
// and blocks run in another order: those of products, of convolutions with their gradients and of attention with its own, by kernels of each generation.
func TestBoundsHoldToNearest(t *testing.T) {
	slowUnderRace(t)
	defer SetProductRounding(ProductRounding())
	for i, c := range []struct {
		preset string
		want   []string
	}{
		{"t4", []string{"product_.*_mma8_.*_f16", "conv_\\d.*_mma8_f16", "conv_weight_.*_mma8_f16"}},
		{"a100", []string{"product_.*_mma_.*_f16", "product_.*_mma_.*_bf16", "product_.*_dmma_.*_f64", "product_.*_tf32_.*", "conv_\\d.*_mma_f16", "conv_\\d.*_mma_bf16", "conv_weight_.*_mma_f16", "conv_\\d.*_tf32_f32"}},
		{"h100", []string{"product_.*_mma_.*_f16", "conv_.*_wgmma_f16", "conv_.*_wgmma_bf16", "conv_weight_.*_mma_f16"}},
	} {
		card := newCard(t, c.preset)
		card.nearest, card.order = true, 1
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16} {
			SetProductRounding(dt == dtype.Float32)
			checkProduct(t, card.Device, dt, [3]int{72, 136, 520}, 0, 0, card.Run)
			checkProduct(t, card.Device, dt, [3]int{33, 65, 40}, 3, 1, card.Run)
			for _, s := range []kern.ConvShape{convolutionShapes[3], convolutionShapes[16]} {
				for _, o := range convolutionOps {
					checkConvolution(t, card.Device, dt, s, o, card.Run)
				}
			}
		}
		if i > 0 {
			for j, a := range settings()[:4] {
				a.check(t, card.Device, halves[j%2])
			}
		}
		card.wants(t, c.want...)
	}
	card := newCard(t, "h100")
	card.nearest, card.order = true, 1
	productsThroughTheTMA(t, card)
}
