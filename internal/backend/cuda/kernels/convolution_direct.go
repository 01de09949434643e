package kernels

// A DirectConvolution is a way to compute a convolution, or one of its gradients, without tiles.
type DirectConvolution struct {
	Kernel int // which of DirectKernels
	Grid   Grid
	Clocks float64

	parts, part uint64
}

// DirectKernels are the kernels of convolutions without tiles, but for the dtype.
var DirectKernels = [...]string{
	"conv_direct", "conv_weight_direct", "conv_direct_3x3", "conv_direct_3x3_stride2", "conv_direct_5x5", "conv_direct_5x5_stride2",
}

// DirectWeights is the place of the kernel for dw in DirectKernels; that for every other convolution is the first.
const DirectWeights = 1

// PlanDirect plans a convolution without tiles, and reports whether a launch takes it.
func PlanDirect(p *TiledConvolution, weights bool, multiprocessors int) (plan DirectConvolution, ok bool) {
	if weights {
		return planDirectWeights(p, multiprocessors)
	}
	const strip = 4 // places of a thread
	places := [2]uint64{}
	for i := range places {
		places[i] = divideUp(uint64(p.OutSize[i]), uint64(p.Phases[i]))
	}
	plan.parts, plan.part = 1, uint64(p.Channels)
	plan.Kernel = p.slides()
	phases := uint64(p.Phases[0]) * uint64(p.Phases[1])
	threads := float64(p.Images) * float64(p.Groups) * float64(p.Rows) * float64(divideUp(places[0], strip)) * float64(places[1])
	if threads >= 1<<32 || phases > mostParts {
		return plan, false
	}
	plan.Grid = Flat(uint64(threads), mostBlocks)
	plan.Grid.Blocks[1] = uint32(phases)
	// Instructions of a thread for a strip by itself and for each element of the window, and how long it waits for what it loads.
	elements, instructions, waits := float64(p.Window[0])*float64(p.Window[1])*float64(p.Channels)/float64(phases), 150.0, 0.0
	if plan.Kernel == 0 {
		instructions += elements * 30
		waits = elements * 80
	} else {
		instructions += elements * 14
	}
	plan.Clocks = 3000 + max(threads*float64(phases)*instructions/(128*float64(multiprocessors)), waits)
	return plan, true
}

// slides is the kernel for a window over one channel that has one of its own, else the first of DirectKernels.
func (p *TiledConvolution) slides() int {
	square := p.Window[0] == p.Window[1] && p.Stride[0] == p.Stride[1]
	if p.Channels != 1 || !square || p.Dilation != [2]uint32{1, 1} || p.Stride[0] > 2 || p.Gradient != 0 && p.Stride[0] != 1 {
		return 0
	}
	switch p.Window[0] {
	case 3:
		return 1 + int(p.Stride[0])
	case 5:
		return 3 + int(p.Stride[0])
	}
	return 0
}

func planDirectWeights(p *TiledConvolution, multiprocessors int) (plan DirectConvolution, ok bool) {
	const (
		most  = 9       // taps of a block
		worth = 1 << 13 // pixels of a part
	)
	pixels := uint64(p.Images) * uint64(p.OutSize[0]) * uint64(p.OutSize[1])
	taps := divideUp(uint64(p.Window[0])*uint64(p.Window[1]), most)
	blocks := float64(p.Groups) * float64(p.Rows) * float64(p.Channels)
	if blocks > mostBlocks || taps > mostParts {
		return plan, false
	}
	wanted := divideUp(uint64(multiprocessors)*8, max(uint64(blocks)*taps, 1))
	plan = DirectConvolution{Kernel: DirectWeights}
	plan.part = max(divideUp(divideUp(pixels, max(min(wanted, pixels/worth), 1)), 256)*256, 256)
	plan.parts = max(divideUp(pixels, plan.part), 1)
	plan.Grid = Grid{Blocks: [3]uint32{uint32(blocks), uint32(taps), uint32(plan.parts)}, Threads: [3]uint32{256, 1, 1}}
	const (
		instructions = 40 + most*14 // of a thread for a pixel
		waits        = 150          // clocks for what it loads
	)
	plan.Clocks = 3000 + max(blocks*float64(taps)*(float64(pixels)*instructions+256*1000)/(128*float64(multiprocessors)), float64(plan.part)/256*waits)
	if plan.parts > 1 {
		plan.Clocks += another
	}
	return plan, plan.parts <= mostParts
}

// Apply writes what the kernel must know of the plan.
func (plan *DirectConvolution) Apply(p *TiledConvolution) {
	p.Parts, p.PartSteps = uint32(plan.parts), uint32(plan.part)
}
