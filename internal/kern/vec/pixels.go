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

// StoresPlanes reports whether RunPixels stores columns to planes.
func StoresPlanes() bool { return current == AVX512 }

// RunPixels computes the tile whose steps are taps of one channel or of PixelChannels: row i of A has element taps[t]+c*ColA+i in step
// t*channels+c. Rows are TileRows, columns one or two whole vectors, and rows of B follow each other without gaps; RowA is set to one. No
// tap is larger than last. Unless it is nil, Next is where columns go in the end, RowB apart, which is prefetched: Step.Next counts bytes. Where C is
// nil the tile stores them there.
func (t *Tile[T]) RunPixels(taps []int32, last, channels int) {
	t.runPixels(taps, last, channels, 0, t.vectors(), t.Cols, t.Rows)
}

// RunPhases is RunPixels with two vectors of columns, the second of which is multiplied by elements of A that are shift, 0 or 1, further. In Next the
// elements of a row are beside each other: those of its first column and its first one of the second vector, and so on, in as many planes as a vector has lanes.
// There is assembly where StoresPlanes.
func (t *Tile[T]) RunPhases(taps []int32, last, channels, shift int) {
	t.runPixels(taps, last, channels, shift, 3+shift, t.Cols/2, 2*t.Rows)
}

// runPixels runs a kind of micro-kernel, which stores rows of so many elements to planes.
func (t *Tile[T]) runPixels(taps []int32, last, channels, shift, kind, planes, row int) {
	k := t.K
	t.K, t.RowA = channels, 1
	c := t.call()
	t.K = k
	// These fail where one is too short.
	_, _, _ = taps[t.K/channels-1], t.A[t.last(t.Step.A)+last+(channels-1)*t.ColA+t.Rows-1+shift], t.B[t.last(t.Step.B)+t.K*t.Cols-1]
	c.taps, c.k, c.cols = pointer(taps, 0), t.K/channels, 0
	c.next, c.rowB, c.stepNext = c.a, 0, 0 // unless there is something to prefetch
	if t.Next != nil {
		c.next, c.rowB, c.stepNext = pointer(t.Next, 0), t.RowB*sizeOf[T](), t.Step.Next
	}
	if t.C == nil {
		_ = t.Next[t.last(t.Step.Next/sizeOf[T]())+(planes-1)*t.RowB+row-1] // This fails where it is too short.
		c.planes = 1
	}
	if channels == 1 {
		c.k, c.cols = 0, t.K
	}
	runPixels[T](kind, unsafe.Pointer(&c))
}
