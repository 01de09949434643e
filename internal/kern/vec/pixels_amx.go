package vec

import (
	"unsafe"

	"cresset/dtype"
)

// AMXPixels is a call of AMX's micro-kernel for convolutions, which computes for tiles of Rows pixels, at most 32, and 32 outputs
//
//	S[i, j] = From[i*RowFrom+j] + Σ A[place.A + tap[l] + pixel(i) + h] · B[place.B + (l, h, j)]
//
// with K steps l of 32 channels h, as AMXTile does. The pixels of a tile's first half, the larger, are RowA apart from 0, those of the second from LowA. B is packed as AMXTile's.
type AMXPixels struct {
	Rows, K    int
	A          []dtype.BF16
	RowA, LowA int
	Taps       []int32
	LastTap    int // the largest
	Places     []AMXPlace
	LastPlace  AMXPlace // the largest of each
	B          []float32
	From       []float32 // zero where it is nil
	RowFrom    int
	StepFrom   int       // from a tile to the next
	Sums       []float32 // [32, 32] of a tile, which is overwritten
	StepSums   int
}

// AMXPlace is where a tile's first pixel is in A, where its first pairs are in B, and where its results go.
type AMXPlace struct{ A, B, C int32 }

// RunSums leaves the sums in Sums.
func (t *AMXPixels) RunSums() { t.run(&amxPixelsCall{}) }

// RunPlanes rounds the sums to planes of the outputs: c[place.C + j*plane + i], for so many outputs j.
func (t *AMXPixels) RunPlanes(c []dtype.BF16, plane, outputs int) {
	_ = c[int(t.LastPlace.C)+(outputs-1)*plane+t.Rows-1] // fails where C is too short
	t.run(&amxPixelsCall{c: pointer(c, 0), rowC: 2 * plane, cols: outputs})
}

func (t *AMXPixels) run(c *amxPixelsCall) {
	upper, low, tiles := (t.Rows+1)/2, t.LowA, len(t.Places)
	lowRow := upper
	if t.Rows == 1 { // the lower half is the same pixel
		low, lowRow = 0, 0
	}
	// These fail where an operand is too short.
	last := int(t.LastPlace.A) + t.LastTap + AMXSteps - 1
	_, _ = t.A[last+(upper-1)*t.RowA], t.A[last+low+(t.Rows-lowRow-1)*t.RowA]
	_, _ = t.B[int(t.LastPlace.B)+t.K*AMXSteps/2*AMXCols-1], t.Sums[(tiles-1)*t.StepSums+AMXRows*AMXCols-1]
	c.config, c.a, c.b, c.sums = unsafe.Pointer(&amxConfigs[t.Rows]), pointer(t.A, 0), pointer(t.B, 0), pointer(t.Sums, 0)
	c.taps, c.places = unsafe.Pointer(&t.Taps[:t.K][0]), unsafe.Pointer(&t.Places[0])
	c.k0, c.k1, c.k2, c.k3 = (t.K+3)/4, (t.K+2)/4, (t.K+1)/4, t.K/4
	c.tiles, c.rows, c.rowA, c.lowA = tiles, t.Rows, 2*t.RowA, 2*low
	c.rowFrom, c.lowSums, c.stepSums = -1, 4*lowRow*AMXCols, 4*t.StepSums
	if t.From != nil {
		_ = t.From[(tiles-1)*t.StepFrom+(t.Rows-1)*t.RowFrom+AMXCols-1]
		c.from, c.rowFrom, c.lowFrom, c.stepFrom = pointer(t.From, 0), 4*t.RowFrom, 4*lowRow*t.RowFrom, 4*t.StepFrom
	}
	runPixelsAMX(unsafe.Pointer(c))
}

// ChannelLines writes the pixels of lines, each 32 channels beside each other: dst[i*lineDst+j*32+l] = src[l*plane+i*lineSrc+j] for so many lines i and pixels j of them.
func ChannelLines(dst []dtype.BF16, lineDst int, src []dtype.BF16, plane, lineSrc, lines, pixels int) {
	_, _ = src[(AMXSteps-1)*plane+(lines-1)*lineSrc+pixels-1], dst[(lines-1)*lineDst+pixels*AMXSteps-1]
	c := amxCall{a: pointer(src, 0), c: pointer(dst, 0), rowA: 2 * plane, stepA: 2 * lineSrc, stepC: 2 * lineDst, rows: lines, cols: pixels}
	packChannelsAMX(unsafe.Pointer(&c))
}
