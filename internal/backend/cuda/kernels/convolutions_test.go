package kernels_test

import (
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
)

// TestConvolutionPlansCoverTheAxis wants no step left out, and whole steps in every part but the last.
func TestConvolutionPlansCoverTheAxis(t *testing.T) {
	for _, channels := range []uint32{1, 3, 8, 20, 64, 513} {
		for _, size := range []uint32{1, 7, 56} {
			for _, window := range []uint32{1, 3, 5} {
				for _, multiprocessors := range []int{1, 15, 132} {
					p := kernels.TiledConvolution{
						Images: 2, Groups: 1, Rows: 70, Channels: channels, InSize: [2]uint32{size, size}, OutSize: [2]uint32{size, size},
						Window: [2]uint32{window, window}, Padding: [2]uint32{window / 2, window / 2},
						Stride: [2]uint32{1, 1}, Dilation: [2]uint32{1, 1}, Phases: [2]uint32{1, 1},
					}
					for _, weights := range []bool{false, true} {
						checkConvolutionPlan(t, p, weights, multiprocessors)
					}
				}
			}
		}
	}
}

func checkConvolutionPlan(t *testing.T, p kernels.TiledConvolution, weights bool, multiprocessors int) {
	t.Helper()
	all := uint(1)<<len(kernels.ConvolutionTiles) - 1
	plan, ok := kernels.PlanConvolution(&p, weights, all, multiprocessors)
	if again, _ := kernels.PlanConvolution(&p, weights, all, multiprocessors); !ok || again != plan {
		t.Fatalf("plans of %+v: %+v, %+v", p, plan, again)
	}
	plan.Apply(&p)
	lines := p.Lines
	if kernels.ConvolutionTiles[plan.Tile].Mapped { // whose taps begin with a stage
		lines = (lines + 63) &^ 63
	}
	depth := p.Window[0] * p.Window[1] * lines
	switch box := plan.Box; {
	case weights && kernels.ConvolutionTiles[plan.Tile].Mapped: // a stage for each box
		depth = (p.Images + box[2] - 1) / box[2] * (p.OutSize[0] / box[1]) * (p.OutSize[1] / box[0]) * 64
	case weights:
		depth = p.Images * p.OutSize[0] * p.OutSize[1]
	}
	if p.Parts*p.PartSteps < depth || (p.Parts-1)*p.PartSteps >= depth || p.PartSteps%8 != 0 || p.Lines < p.Channels {
		t.Errorf("%d steps in %d parts of %d, %d lines for %d channels", depth, p.Parts, p.PartSteps, p.Lines, p.Channels)
	}
}

// TestTapsThatLieFarApart: the second tap is 2**31 elements further than the first, in the next region of the machine's memory.
func TestTapsThatLieFarApart(t *testing.T) {
	const rows, columns, channels, down, width = 32, 32, 8, 1024, 1 << 18
	p := kernels.TiledConvolution{
		Images: 1, Groups: 1, Rows: rows, Channels: channels, InSize: [2]uint32{down + 1, width}, OutSize: [2]uint32{1, columns},
		Window: [2]uint32{2, 1}, Stride: [2]uint32{1, width / columns}, Dilation: [2]uint32{down, 1}, Phases: [2]uint32{1, 1},
	}
	for _, tile := range []int{11, 14} {
		plan, ok := kernels.PlanConvolution(&p, false, 1<<tile, 1)
		if !ok {
			t.Fatal("no plan")
		}
		m, p := &machine{t: t}, p
		plan.Apply(&p)
		weights, got, want := make([]dtype.F16, rows*2*channels), make([]dtype.F16, rows*columns), make([]dtype.F16, rows*columns)
		for i := range weights {
			weights[i] = dtype.ToF16(float32(i%3 - 1))
		}
		taps := [2][]dtype.F16{make([]dtype.F16, width*channels), make([]dtype.F16, width*channels)}
		for column := range columns {
			for c := range channels {
				for tap := range taps {
					taps[tap][column*width/columns*channels+c] = dtype.ToF16(float32((column+3*tap+c)%5 - 2))
				}
			}
		}
		for row := range rows {
			for column := range columns {
				sum := 0
				for tap := range taps {
					for c := range channels {
						sum += ((row*2+tap)*channels+c)%3*((column+3*tap+c)%5-2) - ((column+3*tap+c)%5 - 2)
					}
				}
				want[row*columns+column] = dtype.ToF16(float32(sum))
			}
		}
		p.Out, p.Left, p.Right = put(m, got), put(m, weights), put(m, taps[0])
		put(m, taps[1])
		kernel := kernels.ConvolutionTiles[plan.Tile].Kernel(plan.Kind) + "_f16"
		launch(m, kernel, plan.Grid, p)
		compare(t, kernel, got, want)
	}
}

// TestBoxesCoverThePixels wants boxes that the TMA takes, of which few pixels lie outside of the result, or for gradients of weights none but images.
func TestBoxesCoverThePixels(t *testing.T) {
	for _, c := range []struct {
		images, size, stride uint32
		want, ofWeights      kernels.Box
	}{
		{32, 56, 1, kernels.Box{8, 8, 2}, kernels.Box{8, 8, 1}},
		{32, 28, 1, kernels.Box{4, 4, 8}, kernels.Box{4, 4, 4}},
		{32, 14, 2, kernels.Box{2, 2, 32}, kernels.Box{2, 2, 16}},
		{32, 7, 1, kernels.Box{7, 1, 18}, kernels.Box{7, 1, 9}},
		{1, 300, 1, kernels.Box{25, 5, 1}, kernels.Box{60, 1, 1}},
		{1, 300, 4, kernels.Box{25, 5, 1}, kernels.Box{60, 1, 1}},
		{1, 300, 9, kernels.Box{}, kernels.Box{}},
		{1, 1, 1, kernels.Box{1, 1, 1}, kernels.Box{1, 1, 1}},
		{2, 13, 1, kernels.Box{13, 7, 1}, kernels.Box{13, 1, 2}},
		{0, 13, 1, kernels.Box{}, kernels.Box{}},
	} {
		p := kernels.TiledConvolution{
			Images: c.images, Groups: 1, Rows: 64, Channels: 64, InSize: [2]uint32{c.size * c.stride, c.size * c.stride}, OutSize: [2]uint32{c.size, c.size},
			Window: [2]uint32{3, 3}, Padding: [2]uint32{1, 1}, Stride: [2]uint32{c.stride, c.stride}, Dilation: [2]uint32{1, 1}, Phases: [2]uint32{1, 1},
		}
		for weights, want := range map[bool]kernels.Box{false: c.want, true: c.ofWeights} {
			plan, ok := kernels.PlanConvolution(&p, weights, kernels.MappedConvolutions, 132)
			if ok != (want != kernels.Box{}) || plan.Box != want {
				t.Errorf("%d images of %d with stride %d, of weights %t: %v, %t, want %v", c.images, c.size, c.stride, weights, plan.Box, ok, want)
			}
		}
	}
}
