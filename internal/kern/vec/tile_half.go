package vec

import (
	"unsafe"

	"cresset/dtype"
)

// A HalfTile is a call of the micro-kernels for one row of A in float32 and a B of half types, which is widened as it is read:
//
//	C[j] = C[j] + Σ A[l] · B[l,j]
//
// for Cols columns j and K steps l, without C[j] where Add is false.
type HalfTile[H dtype.F16 | dtype.BF16] struct {
	Cols, K int
	A       []float32
	B       []H
	RowB    int // the distance of rows, or of columns where they are contiguous
	C       []float32
	Add     bool
	Next    []H // of RunStreams: what will be read next, as in Tile
	Count   int // of tiles, as in Tile
	Step    Steps
}

const (
	HalfStreamUnit = 16 // columns of which RunStreams takes a multiple
	HalfDotCols    = 8  // columns that RunDots takes at most
)

// HalfStreamCols returns how many columns RunStreams takes at most.
func HalfStreamCols() int { return 2 * Lanes[float32]() }

// RunStreams computes the tile where rows of B are contiguous. The products of an element are added in order from zero before C is.
func (t *HalfTile[H]) RunStreams() {
	// These fail where an operand is too short.
	_ = t.B[t.last(t.Step.B)+(t.K-1)*t.RowB+t.Cols-1]
	c := t.call()
	c.next, c.stepNext = unsafe.Pointer(&t.Next[0]), 2*t.Step.Next
	runHalfStreams(isBF16[H](), unsafe.Pointer(&c))
}

// RunDots computes the tile where columns of B are contiguous, as Tile.RunDot does. The columns that come next are prefetched.
func (t *HalfTile[H]) RunDots() {
	_ = t.B[t.last(t.Step.B)+(t.Cols-1)*t.RowB+t.K-1]
	c := t.call()
	if t.Cols > 4 {
		c.mask = maskOf(t.Cols-4, 4)
		runHalfDots(isBF16[H](), unsafe.Pointer(&c))
	} else {
		c.mask = maskOf(t.Cols, 4)
		runHalfFewDots(isBF16[H](), unsafe.Pointer(&c))
	}
}

func (t *HalfTile[H]) call() call {
	_, _ = t.A[t.K-1], t.C[t.last(t.Step.C)+t.Cols-1]
	c := call{
		a: pointer(t.A, 0), b: unsafe.Pointer(&t.B[0]), c: pointer(t.C, 0), colA: 4, rowB: 2 * t.RowB, k: t.K, cols: t.Cols,
		tiles: t.Count, stepB: 2 * t.Step.B, stepC: 4 * t.Step.C,
	}
	if t.Add {
		c.from, c.stepFrom = c.c, c.stepC
	}
	return c
}

func (t *HalfTile[H]) last(step int) int { return max(t.Count-1, 0) * step }

func isBF16[H dtype.F16 | dtype.BF16]() bool { return dtype.Of[H]() == dtype.BFloat16 }
