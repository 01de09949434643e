package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
)

var mappedConvolutions paramPool[kernels.MappedConvolution]

// convolveMapped launches a plan's kernel over packed operands that the TMA copies, unless the driver does not take the kernel or the TMA cannot read them.
func (v *convolver) convolveMapped(s *scratch, n *convolution, plan *kernels.ConvolutionPlan, dt dtype.DType) (done bool, err error) {
	k := v.tiles[plan.Tile][plan.Kind]
	if s.device.lacks(k) {
		return false, nil
	}
	plan.Apply(n.TiledConvolution)
	s.packChunks(n)
	m := mappedConvolutions.take()
	defer mappedConvolutions.give(m)
	if s.err != nil || !s.device.mapConvolution(m, n.TiledConvolution, plan, dt) {
		return false, s.err
	}
	m.Box = plan.Box
	s.device.trace.plan(plan.Clocks)
	return true, v.inParts(s, n, func() error {
		m.Convolution = *n.TiledConvolution
		return issue(s, k, plan.Grid, m)
	})
}

// mapConvolution describes packed operands, and reports whether the TMA can read them. Beyond the channels it reads zeros, which the lines of several groups
// have no room for.
func (d *Device) mapConvolution(m *kernels.MappedConvolution, p *kernels.TiledConvolution, plan *kernels.ConvolutionPlan, dt dtype.DType) bool {
	const channels = 64 // of a box
	size, lines, taps := uint64(dt.Size()), uint64(p.Lines), uint64(p.Window[0])*uint64(p.Window[1])
	pixels := func(address uint64, each uint32, pitch uint64, extents, steps [2]uint32) (driver.TensorMap, bool) {
		along := uint64(each)
		if p.Groups > 1 {
			along = pitch
		}
		pitch *= size
		width, height, box := uint64(extents[1]), uint64(extents[0]), plan.Box
		return d.encode(&tile{
			dtype: dt, address: address, extents: []uint64{along, width, height, uint64(p.Images)}, strides: []uint64{pitch, width * pitch, height * width * pitch},
			box: []uint32{channels, box[0] * steps[0], box[1] * steps[1], box[2]}, steps: []uint32{1, steps[0], steps[1], 1}, swizzle: driver.Swizzle128,
		})
	}
	right, ok := pixels(p.Right, p.Channels, uint64(p.Groups)*lines, p.InSize, p.Steps())
	if !ok {
		return false
	}
	var left driver.TensorMap
	if plan.Kind == kernels.Weights {
		left, ok = pixels(p.Left, p.Rows, uint64(p.Pitch), p.OutSize, [2]uint32{1, 1})
	} else {
		left, ok = d.encode(&tile{
			dtype: dt, address: p.Left, extents: []uint64{uint64(p.Channels), taps, uint64(p.Groups) * uint64(p.Rows)}, strides: []uint64{lines * size, taps * lines * size},
			box: []uint32{channels, 1, uint32(plan.RowsOfTile() / 2)}, swizzle: driver.Swizzle128,
		})
	}
	m.MapLeft, m.MapRight = kernels.TensorMap(left), kernels.TensorMap(right)
	return ok
}
