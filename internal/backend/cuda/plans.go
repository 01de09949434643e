package cuda

import (
	"sync"

	"cresset/internal/backend/cuda/kernels"
)

// planTable keeps how products are computed: to plan one takes longer than to launch it, and a model computes the same ones over and over.
type planTable struct {
	mu    sync.Mutex
	plans map[planKey]*kernels.ProductPlan
}

// planKey is all that the plan of a product in tiles depends on, beside the device.
type planKey struct {
	tiles                 uint
	count, m, n, k        uint64
	aStrides, bStrides    [3]int64
	outStrides            [3]int64
	alignA, alignB, align uint8 // of the operands and the result: addresses modulo 16
}

// mostPlans bounds the table, which begins anew when it is full: the products of a text that grows are never computed again.
const mostPlans = 1024

// planTiles is kernels.PlanTiles, which the table remembers.
func (d *Device) planTiles(p *kernels.Product, tiles uint) *kernels.ProductPlan {
	key := planKey{
		tiles: tiles, count: p.Count, m: p.M, n: p.N, k: p.K, aStrides: p.AStrides, bStrides: p.BStrides, outStrides: p.OutStrides,
		alignA: uint8(p.A % 16), alignB: uint8(p.B % 16), align: uint8(p.Out % 16),
	}
	t := &d.plans
	t.mu.Lock()
	defer t.mu.Unlock()
	if plan := t.plans[key]; plan != nil {
		return plan
	}
	if t.plans == nil || len(t.plans) >= mostPlans {
		t.plans = map[planKey]*kernels.ProductPlan{}
	}
	plan := kernels.PlanTiles(p, tiles, d.properties.Multiprocessors)
	t.plans[key] = &plan
	return &plan
}
