package cuda

import (
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
)

// Parts of the text of product_mma: of its loop, where products stand before a wait, and of copies of panels that are whole.
const (
	loopWait  = `(mma\.sync(?s:.){1,200}?;\s+)cp\.async\.wait_group 1;`
	loopMeet  = `(mma\.sync(?s:.){1,200}?;\s+cp\.async\.wait_group 1;\s+)bar\.sync\s+0;`
	wholeCopy = `(cp\.async\.cg\.shared\.global\.L2::128B \[%r\d+\], \[%rd\d+)(\], 16;)`
)

var ringFaults = []plantedFault{
	{"the first panel is multiplied before it has come", `cp\.async\.wait_group 1;`, "", "data race", "asynchronous"},
	{"no barrier behind the first panel's copies", `(cp\.async\.wait_group 1;\s+)bar\.sync\s+0;`, "$1", "data race", ""},
	{"a panel is multiplied before it has come", loopWait, "$1", "data race", "asynchronous"},
	{"no barrier between panels", loopMeet, "$1", "data race", ""},
	{"a chunk is of the steps behind", wholeCopy, "${1}+16$2", differs, ""},
}

// TestRingsAreWatched plants what can go wrong between the copies of a product's panels and the warps that multiply them, and wants the interpreter or the comparison to see it, which see nothing without.
func TestRingsAreWatched(t *testing.T) {
	slowUnderRace(t)
	watchFaults(t, ringFaults, plantedRing)
}

// plantedRing multiplies by a kernel with a fault, in two blocks whose rings of three stages go round twice, and returns what is seen of it.
func plantedRing(t *testing.T, f *plantedFault) string {
	t.Helper()
	const m, n, k = 140, 64, 170
	tile := slices.IndexFunc(kernels.ProductTiles[:], func(p kernels.ProductTile) bool { return p.Kernel(0, 0) == "product_128x256_mma_kk" })
	return seen(t, "a100", kernels.ProductTiles[tile].Kernel(kernels.Along, kernels.Along)+"_bf16", f, productOf(t, m, n, k, true, func(_ *Device, s *scratch, p *kernels.Product) error {
		s.lineUp(&p.A, &p.AStrides, [3]uint64{p.Count, p.M, p.K}, dtype.BFloat16)
		bs := [3]int64{p.BStrides[0], p.BStrides[2], p.BStrides[1]}
		s.lineUp(&p.B, &bs, [3]uint64{p.Count, p.N, p.K}, dtype.BFloat16)
		p.BStrides = [3]int64{bs[0], bs[2], bs[1]}
		plan := kernels.PlanTiles(p, 1<<tile, 1)
		plan.Divide(p, 1)
		return newMultiplier(dtype.BFloat16).issue(s, p, &plan)
	}))
}
