package cuda

import "cresset/internal/backend/cuda/kernels"

// planKey is all that the plan of a product in tiles depends on, beside the device.
type planKey struct {
	tiles                 uint
	count, m, n, k        uint64
	aStrides, bStrides    [3]int64
	outStrides            [3]int64
	alignA, alignB, align uint8 // of the operands and the result: addresses modulo 16
}

// planTiles is kernels.PlanTiles, which the device remembers. A result of float32 is planned as one of halves, for the same bits: how that lies does not matter then.
func (d *Device) planTiles(p *kernels.Product, tiles uint) *kernels.ProductPlan {
	if p.Joining == kernels.Widened {
		own := *p
		own.Out, own.Joining = 0, kernels.Unjoined
		p = &own
	}
	key := planKey{
		tiles: tiles, count: p.Count, m: p.M, n: p.N, k: p.K, aStrides: p.AStrides, bStrides: p.BStrides, outStrides: p.OutStrides,
		alignA: uint8(p.A % 16), alignB: uint8(p.B % 16), align: uint8(p.Out % 16),
	}
	return d.plans.of(key, func() *kernels.ProductPlan {
		plan := kernels.PlanTiles(p, tiles, d.properties.Multiprocessors)
		return &plan
	})
}
