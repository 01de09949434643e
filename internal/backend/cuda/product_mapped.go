package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
)

var mappedParams paramPool[kernels.MappedProduct]

// mapped returns the bits of the families of tiles that the TMA fills.
func (m *multiplier) mapped() (tiles uint) {
	for i := range kernels.ProductTiles {
		if kernels.ProductTiles[i].Mapped {
			tiles |= 1 << i
		}
	}
	return tiles
}

// issueMapped launches the plan's kernel, unless the TMA cannot read the operands or the driver does not take the kernel.
func (m *multiplier) issueMapped(s *scratch, p *kernels.Product, plan *kernels.ProductPlan, dt dtype.DType) (done bool, err error) {
	if _, err := s.device.function(m.kernel(plan)); err != nil && s.device.refuse(err) {
		return false, nil
	}
	mp := mappedParams.take()
	defer mappedParams.give(mp)
	bStrides := [3]int64{p.BStrides[0], p.BStrides[2], p.BStrides[1]}
	ok := s.device.mapMatrices(&mp.MapA, &mp.BatchA, p.A, p.AStrides, [3]uint64{p.Count, p.M, p.K}, dt) &&
		s.device.mapMatrices(&mp.MapB, &mp.BatchB, p.B, bStrides, [3]uint64{p.Count, p.N, p.K}, dt)
	switch {
	case !ok:
		return false, s.err
	case kernels.ProductTiles[plan.Tile].Walks():
		return m.issueWalk(s, p, plan, mp, dt)
	}
	return true, m.inParts(s, p, plan, func() error {
		mp.Product = *p
		return issue(s, m.kernel(plan), plan.Grid, mp)
	})
}

// issueWalk launches a kernel that stores the result through the TMA, unless that cannot; a result whose lines are not aligned is copied to
// its place.
func (m *multiplier) issueWalk(s *scratch, p *kernels.Product, plan *kernels.ProductPlan, mp *kernels.MappedProduct, dt dtype.DType) (done bool, err error) {
	out, strides := p.Out, [3]int64{p.OutStrides[0], p.OutStrides[1], 1}
	wide := p.Joining == kernels.Widened || plan.Parts > 1 // blocks store float32 without the TMA
	aligned := wide || kernels.LieOf(out, strides, p.Count, p.M, p.N, kernels.Half) == kernels.Along
	if !aligned {
		strides[1] = int64(p.N+7) &^ 7
		strides[0] = int64(p.M) * strides[1]
		out = s.take(int(p.Count) * int(strides[0]) * dt.Size()).ptr
	}
	extents := [3]uint64{p.Count, p.M, p.N}
	if s.err != nil || !wide && !s.device.mapMatrices(&mp.MapOut, new(uint32), out, strides, extents, dt) {
		return false, s.err
	}
	err = m.inParts(s, p, plan, func() error {
		mp.Product = *p
		return issue(s, m.kernel(plan), plan.Grid, mp)
	})
	if err != nil || aligned {
		return true, err
	}
	return true, s.device.copyView(stack(p.Out, extents, p.OutStrides, dt), stack(out, extents, strides, dt))
}

// mapMatrices describes matrices that lie in lines along one of their last two axes, and reports whether the TMA can read them.
func (d *Device) mapMatrices(m *kernels.TensorMap, batch *uint32, at uint64, strides [3]int64, extents [3]uint64, dt dtype.DType) bool {
	line, across := 2, 1
	if strides[2] != 1 {
		line, across = 1, 2
	}
	count, apart := extents[0], uint64(strides[0])
	if *batch = 1; apart == 0 || count == 1 {
		*batch, count, apart = 0, 1, 8
	}
	size := uint64(dt.Size())
	to, ok := d.encode(&tile{
		dtype: dt, address: at, extents: []uint64{extents[line], extents[across], count},
		strides: []uint64{uint64(strides[across]) * size, apart * size}, box: []uint32{64, 64, 1}, swizzle: driver.Swizzle128,
	})
	*m = kernels.TensorMap(to)
	return ok
}
