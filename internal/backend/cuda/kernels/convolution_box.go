package kernels

// A Box is so many pixels beside each other, below each other and of images, which the TMA copies at once: those of a tile, or of a step of a weight's gradient.
type Box [3]uint32

// mostOfAxis is how far a box reaches in the source, and mostOfSteps the largest stride there.
const (
	mostOfAxis  = 256
	mostOfSteps = 8
)

// Steps are the strides of a box's pixels in the source, along its columns and rows.
func (p *TiledConvolution) Steps() [2]uint32 {
	if p.Gradient != 0 {
		return [2]uint32{1, 1}
	}
	return [2]uint32{p.Stride[1], p.Stride[0]}
}

// box is that of so many pixels at most of which the fewest cover the pixels of the largest phase, and of those the widest, whose stores are the longest; whole
// ones cut planes without a rest. It is empty where there is none.
func (p *TiledConvolution) box(most uint32, whole bool) (best Box) {
	steps := p.Steps()
	if max(steps[0], steps[1]) > mostOfSteps || p.Images == 0 {
		return best
	}
	wide, high := p.places(1), p.places(0)
	fewest, least := uint64(0), divideUp(uint64(wide)*uint64(high)*uint64(p.Images), uint64(most))
	for w := wide; w > 0; w = narrower(wide, w) {
		if w > most || w*steps[0] > mostOfAxis || whole && wide%w != 0 {
			continue
		}
		for h := high; h > 0; h = narrower(high, h) {
			if w*h > most || h*steps[1] > mostOfAxis || whole && high%h != 0 {
				continue
			}
			b := Box{w, h, min(most/(w*h), p.Images)}
			if n := b.count(p); fewest == 0 || n < fewest {
				best, fewest = b, n
			}
			if fewest == least {
				return best // which most convolutions have soon: it is searched for at every launch
			}
		}
	}
	return best
}

// narrower is the next smaller extent by which one is cut into parts that are as even as can be, 0 after the last.
func narrower(extent, part uint32) uint32 {
	if part == 1 {
		return 0
	}
	return (extent-1)/((extent-1)/(part-1)+1) + 1
}

// places is how many places the largest phase has along an axis.
func (p *TiledConvolution) places(axis int) uint32 {
	return uint32(divideUp(uint64(p.OutSize[axis]), uint64(p.Phases[axis])))
}

// count is how many boxes cover the pixels of the largest phase.
func (b Box) count(p *TiledConvolution) uint64 {
	return divideUp(uint64(p.places(1)), uint64(b[0])) * divideUp(uint64(p.places(0)), uint64(b[1])) * divideUp(uint64(p.Images), uint64(b[2]))
}
