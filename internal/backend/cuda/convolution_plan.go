package cuda

import (
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

// convolutionKey is all that the plan of a convolution depends on, beside the device.
type convolutionKey struct {
	extents       kernels.TiledConvolution // without addresses
	weights, half bool
	tiles         uint
}

// A convolutionPlan is in tiles or without them, or neither where a convolution is too large for their kernels.
type convolutionPlan struct {
	tiled  *kernels.ConvolutionPlan
	direct *kernels.DirectConvolution
}

// packing is how many clocks the launch takes that packs an operand, or casts one.
const packing = 4000

// key is that of a convolution of which no plan has been applied yet.
func (n *convolution) key(half bool, tiles uint) convolutionKey {
	k := convolutionKey{*n.TiledConvolution, n.op == op.ConvGradWeight, half, tiles}
	k.extents.Out, k.extents.Bias = 0, 0
	return k
}

// planConvolution is the fastest plan with the key's tiles, which the device remembers.
func (d *Device) planConvolution(key convolutionKey) convolutionPlan {
	return d.convPlans.of(key, func() (plan convolutionPlan) {
		p, multiprocessors := &key.extents, d.properties.Multiprocessors
		tiled, ok := kernels.PlanConvolution(p, key.weights, key.tiles, multiprocessors)
		clocks := tiled.Clocks + packing
		switch {
		case !ok:
			held, _ := kernels.PlanConvolution(p, key.weights, kernels.CommonConvolutions, multiprocessors)
			clocks = held.Clocks + 4*packing
		case key.half:
			clocks += 2 * packing
		}
		if direct, slides := kernels.PlanDirect(p, key.weights, multiprocessors); slides && direct.Clocks < clocks {
			plan.direct = &direct
		} else if ok {
			plan.tiled = &tiled
		}
		return plan
	})
}
