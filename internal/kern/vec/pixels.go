package vec

import "unsafe"

// PixelChannels is how many channels a tap of RunPixels may have.
const PixelChannels = 4

// HasPixels reports whether there is assembly for RunPixels.
func HasPixels() bool { return current == AVX2 }

// RunPixels computes the tile whose steps are taps of one channel or of PixelChannels: row i of A has element taps[t]+c*ColA+i in step
// t*channels+c. Rows are TileRows, columns one or two whole vectors, and rows of B follow each other without gaps; RowA is not read. No
// tap is larger than last. Unless it is nil, Next is where columns go in the end, RowB apart, which is prefetched: Step.Next counts bytes.
func (t *Tile[T]) RunPixels(taps []int32, last, channels int) {
	one := *t
	one.K, one.RowA = channels, 1
	// These fail where one is too short.
	_, _, _ = taps[t.K/channels-1], t.A[t.last(t.Step.A)+last+(channels-1)*t.ColA+t.Rows-1], t.B[t.last(t.Step.B)+t.K*t.Cols-1]
	c := one.call()
	c.taps, c.k, c.cols = pointer(taps, 0), t.K/channels, 0
	if t.Next != nil {
		c.next, c.rowB, c.stepNext = pointer(t.Next, 0), t.RowB*sizeOf[T](), t.Step.Next
	}
	if channels == 1 {
		c.k, c.cols = 0, t.K
	}
	runPixels[T](t.vectors(), unsafe.Pointer(&c))
}
