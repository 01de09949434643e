package cuda

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
	"cresset/internal/op"
)

const loadOutputs = `(cp\.async\.bulk\.tensor\.4d\S+multicast\S+ \[%r\d+\], \[%rd\d+, \{)(%r\d+), (%r\d+), (%r\d+), (%r\d+)(\}\], \[%r\d+\], %rs\d+;)`

var weightFaults = []plantedFault{
	{"a box of x is a pixel to the right", loadPixels, having("add.s32 moved, $3, 1;", "${1}$2, moved, $4, $5$6"), differs, ""},
	{"a box of x is of the next image", loadPixels, having("add.s32 moved, $5, 1;", "${1}$2, $3, $4, moved$6"), differs, ""},
	{"a box of dy is a line above", loadOutputs, having("sub.s32 moved, $4, 1;", "${1}$2, $3, moved, $5$6"), differs, ""},
	{"a box of dy is of the outputs behind", loadOutputs, having("add.s32 moved, $2, 8;", "${1}moved, $3, $4, $5$6"), differs, ""},
	{"the padding repeats the edge", loadPixels, having("max.s32 moved, $3, 0;", "${1}$2, moved, $4, $5$6"), differs, ""},
	{"dy is shared with the first block alone", `(mov\.b16\s+%rs\d+, )3;(\s+cp\.async\.bulk\.tensor\.4d)`, "${1}1;$2", "deadlock", "bytes missing"},
	{"what is behind a box is no number", `st\.shared\.v4\.\S+\s+\[%rd\d+\], \{0, 0, 0, 0\};`, "", differs, ""},
	{"no fence behind the zeros", `fence\.proxy\.async\S*;`, "", "data race", ""},
	{"the second step is half as far", `(add\.s64\s+%rd\d+, %rd\d+, 4611686293338849)408;`, "${1}344;", differs, ""},
}

// TestWeightsByWarpgroupsAreWatched does for gradients of weights what TestConvolutionsByWarpgroupsAreWatched does for outputs, of boxes of 63 pixels.
func TestWeightsByWarpgroupsAreWatched(t *testing.T) {
	slowUnderRace(t)
	shape := kern.ConvShape{N: 14, C: 60, H: 6, W: 5, K: 40, R: 2, S: 2, StrideH: 1, StrideW: 1, PadH: 1, PadW: 1}
	watchFaults(t, weightFaults, func(t *testing.T, f *plantedFault) string { return planted(t, op.ConvGradWeight, shape, f) })
}

// TestWeightsMeetTheirTapsAlone: what is infinite in x makes those weights infinite whose taps meet it, and changes no other, whatever lies beyond the ends of boxes
// and of parts.
func TestWeightsMeetTheirTapsAlone(t *testing.T) {
	slowUnderRace(t)
	dev, v, dt := newCard(t, "h100").Device, newConvolver(dtype.BFloat16), dtype.BFloat16
	shape := completed(kern.ConvShape{N: 14, C: 8, H: 13, W: 14, K: 8, R: 3, S: 3, StrideH: 1, StrideW: 2, PadH: 1})
	run := described(dev, func(s *scratch, n *convolution) error {
		plan, _ := kernels.PlanConvolution(n.TiledConvolution, true, kernels.MappedConvolutions, 132)
		done, err := v.convolveMapped(s, n, &plan, dt)
		if !done && err == nil || n.Parts == 1 {
			t.Errorf("not by the TMA, or in one part: %+v", *n.TiledConvolution)
		}
		return err
	})
	checkConvolution(t, dev, dt, shape, op.ConvGradWeight, run)
	gradients := func(edge float64) []float32 { // with the last two columns and the first row of x of such numbers
		c := backend.NewCall(op.ConvGradWeight, dt)
		defer c.Release()
		c.Params = op.Window{Stride: [2]int{1, 2}, Padding: [2]int{1, 0}, Dilation: [2]int{1, 1}, Groups: 1}
		operand(t, dev, c.AddIn(), []int{shape.N, shape.K, shape.OH, shape.OW}, dt, 1)
		values := operand(t, dev, c.AddIn(), []int{shape.N, shape.C, shape.H, shape.W}, dt, 2)
		var x []byte
		for i, value := range values {
			if i%14 >= 12 || i/14%13 == 0 {
				value = edge
			}
			x = binary.LittleEndian.AppendUint16(x, uint16(dtype.ToBF16(float32(value))))
		}
		operand(t, dev, c.AddOut(), []int{shape.K, shape.C, 3, 3}, dt, 0)
		raw, got := make([]byte, shape.K*shape.C*9*2), make([]float32, shape.K*shape.C*9)
		if err := errors.Join(dev.CopyIn(c.In()[1].Buf, 0, x), run(c), dev.CopyOut(raw, c.Out()[0].Buf, 0)); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i] = dtype.BF16(binary.LittleEndian.Uint16(raw[2*i:])).Float32()
		}
		return got
	}
	finite, got := gradients(0), gradients(math.Inf(1))
	for i := range got {
		row, column := i/3%3, i%3
		// The window's last row meets no first one of x, and of its columns the last one alone meets column 12.
		if meets := row < 2 || column == 2; meets != (got[i]-got[i] != 0) || !meets && got[i] != finite[i] {
			t.Errorf("weight %d: %v, where x is 0: %v", i, got[i], finite[i])
		}
	}
}
