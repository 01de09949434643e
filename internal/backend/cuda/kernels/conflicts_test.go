package kernels_test

import (
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/ptx"
)

// TestBankConflicts holds the tiles of products, convolutions and attention that threads fill, as TestMappedProducts does those of the TMA, to how seldom their shared requests want a bank twice.
func TestBankConflicts(t *testing.T) {
	slowUnderRace(t)
	t.Run("products", productConflicts)
	t.Run("convolutions", convolutionConflicts)
	t.Run("attention", attentionConflicts)
}

func checkConflicts(t *testing.T, kernel string, c ptx.Counters) {
	t.Helper()
	const most = 0.01
	got := float64(c.BankConflicts) / float64(c.SharedRequests)
	if !(got <= most) { // nor NaN, where nothing was counted
		t.Errorf("%s: %.3f conflicts for a shared request, want at most %v", kernel, got, most)
	}
}

func productConflicts(t *testing.T) {
	for i := range kernels.ProductTiles {
		tile := &kernels.ProductTiles[i]
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16} {
			seen := map[string]bool{}
			for a := range kernels.Lies {
				for b := range kernels.Lies {
					kernel := tile.Kernel(a, b) + "_" + dtypeNames[dt]
					if tile.Mapped || !tile.Has(dt) || seen[kernel] || tile.Of != kernels.Single && (a == kernels.Anyhow || b == kernels.Anyhow) {
						continue
					}
					seen[kernel] = true
					c, _ := newProductCase(t, dt, productShape{1, 128, 128, 64, 1}, int(2*a+b)%4, 0)
					c.dev.profile = true
					c.inParts(kernels.ProductPlan{Tile: i, A: a, B: b}, 1, func(g kernels.Grid) {
						checkConflicts(t, kernel, launch(c.dev, kernel, g, c.p))
					})
				}
			}
		}
	}
}

func convolutionConflicts(t *testing.T) {
	const rows, channels, size = 128, 64, 16
	for i := range kernels.ConvolutionTiles {
		tile := &kernels.ConvolutionTiles[i]
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float16} {
			for kind := range kernels.ConvolutionKinds {
				if tile.Mapped || !tile.Of(dt) || !tile.Has(kind) {
					continue
				}
				p := kernels.TiledConvolution{
					Images: 1, Groups: 1, Rows: rows, Channels: channels, InSize: [2]uint32{size, size}, OutSize: [2]uint32{size, size}, Window: [2]uint32{3, 3},
					Padding: [2]uint32{1, 1}, Stride: [2]uint32{1, 1}, Dilation: [2]uint32{1, 1}, Phases: [2]uint32{1, 1},
				}
				if kind == kernels.FewOutputs {
					p.Channels = 3
				}
				plan, ok := kernels.PlanConvolution(&p, kind == kernels.Weights, 1<<i, 1)
				if !ok {
					t.Fatal("no plan")
				}
				plan.Apply(&p)
				m := &machine{t: t, profile: true}
				p.Out, p.Left, p.Right = put(m, make([]float32, 1<<18)), put(m, make([]float32, 1<<18)), put(m, make([]float32, 1<<18))
				kernel := tile.Kernel(plan.Kind) + "_" + dtypeNames[dt]
				checkConflicts(t, kernel, launch(m, kernel, plan.Grid, p))
			}
		}
	}
}

// attentionConflicts are those of 4 heads that share keys, of 2 queries each, over 256 keys, and of 128 queries over 64.
func attentionConflicts(t *testing.T) {
	for i := range kernels.AttentionTiles {
		tile := &kernels.AttentionTiles[i]
		w := int64(tile.Width)
		for _, few := range []bool{true, false} {
			p := kernels.Attention{Batch: 1, Heads: 4, Groups: 1, Queries: 2, Keys: 256, Width: tile.Width, Outputs: tile.Width, Scale: 1, Keep: 1}
			family := "attention_few_mma"
			if !few {
				p.Heads, p.Queries, p.Keys, family = 1, 128, 64, "attention_mma"
			}
			m := &machine{t: t, profile: true}
			numbers := func() uint64 { return put(m, make([]dtype.F16, 256*tile.Width)) }
			p.Q, p.K, p.V, p.Out = numbers(), numbers(), numbers(), numbers()
			p.LogSum, p.Partial = put(m, make([]float32, 256)), put(m, make([]float32, 8*(tile.Width+2)))
			for _, strides := range []*[4]int64{&p.QStrides, &p.KStrides, &p.VStrides, &p.OutStrides} {
				*strides = [4]int64{0, int64(p.Queries) * w, w, 1}
			}
			var g kernels.Grid
			if few {
				g, p.Parts, p.Part = tile.FewGrid(p.Batch*p.Groups, p.Heads*p.Queries, p.Keys, 1)
			} else {
				g, _ = tile.Grid(p.Batch*p.Heads, p.Queries)
			}
			kernel := tile.Kernel(family) + "_f16"
			checkConflicts(t, kernel, launch(m, kernel, g, p))
		}
	}
}
