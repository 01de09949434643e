package vec

import "unsafe"

// PixelChannels is how many channels a tap of RunPixels may have.
const PixelChannels = 4

// PixelSteps returns from how many products of an output on RunPixels pays, whose sums are transposed in the end; 0 where there is no assembly for it. Under AVX-512
// conv1d/32x64x1024, of 192, and conv7x7_stride2/8x3x224x224, of 147, are a twelfth faster by RunTaps.
func PixelSteps() int {
	switch current {
	case AVX512:
		return 256
	case AVX2:
		return 32
	}
	return 0
}

// RunPixels computes the tile whose steps are taps of one channel or of PixelChannels: row i of A has element taps[t]+c*ColA+i in step
// t*channels+c. Rows are TileRows, columns one or two whole vectors, and rows of B follow each other without gaps; RowA is set to one. No
// tap is larger than last. Unless it is nil, Next is where columns go in the end, RowB apart, which is prefetched: Step.Next counts bytes.
func (t *Tile[T]) RunPixels(taps []int32, last, channels int) {
	k := t.K
	t.K, t.RowA = channels, 1
	c := t.call()
	t.K = k
	// These fail where one is too short.
	_, _, _ = taps[t.K/channels-1], t.A[t.last(t.Step.A)+last+(channels-1)*t.ColA+t.Rows-1], t.B[t.last(t.Step.B)+t.K*t.Cols-1]
	c.taps, c.k, c.cols = pointer(taps, 0), t.K/channels, 0
	if t.Next != nil {
		c.next, c.rowB, c.stepNext = pointer(t.Next, 0), t.RowB*sizeOf[T](), t.Step.Next
	}
	if channels == 1 {
		c.k, c.cols = 0, t.K
	}
	runPixels[T](t.vectors(), unsafe.Pointer(&c))
}
