package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// randomPool is a pool of any form that the tensors' checks let through.
func randomPool(rng *rand.Rand) *PoolShape {
	n := func(most int) int { return 1 + rng.IntN(most) }
	s := PoolShape{Planes: rng.IntN(3), R: n(4), S: n(5), StrideH: n(3), StrideW: n(3), DilationH: n(2), DilationW: n(2)}
	if rng.IntN(2) == 0 { // a form of bands
		s.S, s.StrideW, s.DilationW = 2+rng.IntN(2), 2, 1
	}
	s.PadH, s.PadW = rng.IntN(s.R/2+1), rng.IntN(s.S/2+1)
	s.H, s.W = (s.R-1)*s.DilationH+n(9), (s.S-1)*s.DilationW+n(90)
	return s.withOutput()
}

// poolResult is all that a pool computes of x.
type poolResult[T dtype.Float] struct {
	largest, largestAt, mean, meanInside []T
	dLargest, dMean                      []T // gradients of the largest elements and of the means, for themselves
	index                                []int64
}

// poolAll runs every pool on memory that values and index take from their functions.
func poolAll[T dtype.Float](s *PoolShape, input []T, atEnd bool, values func(n int) []T, index func(n int) []int64) (r poolResult[T]) {
	n := s.Planes * s.OH * s.OW
	x := values(len(input))
	copy(x, input)
	for _, y := range []*[]T{&r.largest, &r.largestAt, &r.mean, &r.meanInside} {
		*y = values(n)
	}
	r.index = index(n)
	MaxPool2D(s, x, r.largest, nil)
	MaxPool2D(s, x, r.largestAt, r.index)
	near := *s
	near.H, near.W = s.H-(s.R-1)*(s.DilationH-1), s.W-(s.S-1)*(s.DilationW-1) // the result is as large without dilation
	if n := s.Planes * near.H * near.W; atEnd {
		x = x[len(x)-n:]
	} else {
		x = x[:n]
	}
	AvgPool2D(&near, Counts{Padding: true}, x, r.mean)
	AvgPool2D(&near, Counts{}, x, r.meanInside)
	r.dLargest, r.dMean = values(len(input)), values(len(x))
	MaxPool2DBackward(s, r.largestAt, r.index, r.dLargest)
	AvgPool2DBackward(&near, Counts{Padding: true}, r.mean, r.dMean)
	return r
}

func testPoolPatches[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for i := range 200 {
		s := randomPool(rng)
		x := values[T](rng, s.Planes*s.H*s.W)
		for j := range x {
			if rng.IntN(3) > 0 {
				x[j] = T(rng.IntN(4) - 2) // ties
			}
			if i%4 > 0 && x[j] != x[j] { // bands leave planes with NaN to patches
				x[j] = T(math.Copysign(0, -1))
			}
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) { checkPool(t, s, x, i%2 == 0) })
	}
}

// checkPool compares the pools of the current level with those in Go, on memory that ends, or begins, where a page does that must
// not be touched.
func checkPool[T dtype.Float](t *testing.T, s *PoolShape, x []T, atEnd bool) {
	t.Helper()
	got := poolAll(s, x, atEnd,
		func(n int) []T { return guarded.Slice[T](t, n, atEnd) }, func(n int) []int64 { return guarded.Slice[int64](t, n, atEnd) })
	var want poolResult[T]
	withoutAsm(func() {
		want = poolAll(s, x, atEnd, func(n int) []T { return make([]T, n) }, func(n int) []int64 { return make([]int64, n) })
	})
	for _, y := range []struct {
		name      string
		got, want []T
	}{
		{"largest", got.largest, want.largest}, {"largest with index", got.largestAt, want.largestAt},
		{"mean", got.mean, want.mean}, {"mean without padding", got.meanInside, want.meanInside},
		{"gradient of the largest", got.dLargest, want.dLargest}, {"gradient of the mean", got.dMean, want.dMean},
	} {
		if !slices.EqualFunc(y.got, y.want, sameBits[T]) {
			t.Errorf("%+v: %s is %v, want %v", *s, y.name, y.got, y.want)
		}
	}
	if !slices.Equal(got.index, want.index) {
		t.Errorf("%+v: index %v, want %v", *s, got.index, want.index)
	}
}

func TestPoolPatches(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		t.Run("float32", testPoolPatches[float32])
		t.Run("float64", testPoolPatches[float64])
	})
}
