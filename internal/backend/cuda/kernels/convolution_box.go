package kernels

// A Box is so many pixels beside each other, below each other and of images, at most 128 in all, which the TMA copies at once.
type Box [3]uint32

// mostOfBox is how many pixels a box has, mostOfAxis how far it reaches in the source, and mostOfSteps the largest stride there.
const (
	mostOfBox   = 128
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

// box is that of which the fewest cover the pixels of the largest phase, and of those the widest, whose stores are the longest. It is empty where there
// is none.
func (p *TiledConvolution) box() (best Box) {
	steps := p.Steps()
	if max(steps[0], steps[1]) > mostOfSteps {
		return best
	}
	wide, high := p.places(1), p.places(0)
	fewest, least := uint64(0), divideUp(uint64(wide)*uint64(high)*uint64(p.Images), mostOfBox)
	for w := wide; w > 0; w = narrower(wide, w) {
		if w > mostOfBox || w*steps[0] > mostOfAxis {
			continue
		}
		for h := high; h > 0; h = narrower(high, h) {
			if w*h > mostOfBox || h*steps[1] > mostOfAxis {
				continue
			}
			b := Box{w, h, min(mostOfBox/(w*h), p.Images)}
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
