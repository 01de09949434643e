package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// amxConvs have ends of everything: odd channels, windows of more than a panel's columns, lines that are cut, parts of outputs, images of less than a vector, several images
// in a piece, steps in several blocks, windows at borders alone, a few columns behind lines that are cut, lines of one pixel, weights that fill a scratch.
var amxConvs = []ConvShape{
	{2, 10, 9, 11, 12, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false},
	{3, 18, 13, 12, 40, 3, 2, 2, 3, 1, 1, 1, 1, 2, 0, 0, false},
	{1, 5, 17, 19, 24, 3, 3, 1, 2, 2, 3, 2, 3, 1, 0, 0, false},
	{2, 33, 4, 5, 70, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, false},
	{1, 3, 20, 21, 16, 7, 7, 2, 2, 3, 3, 1, 1, 1, 0, 0, false},
	{1, 6, 3, 2700, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false},
	{1, 34, 8, 9, 150, 3, 3, 2, 2, 1, 1, 1, 1, 1, 0, 0, false},
	{1, 64, 1, 400, 8, 1, 5, 1, 3, 0, 2, 1, 1, 1, 0, 0, false},
	{3, 64, 12, 11, 40, 3, 3, 1, 1, 1, 1, 1, 1, 2, 0, 0, false},
	{2, 96, 9, 14, 33, 3, 2, 2, 2, 1, 1, 1, 1, 1, 0, 0, false},
	{1, 96, 1, 2800, 20, 1, 3, 1, 1, 0, 1, 1, 1, 1, 0, 0, false},
	{2, 160, 3, 7, 34, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false},
	{3, 64, 14, 14, 40, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, false},
	{2, 64, 32, 32, 80, 1, 1, 1, 1, 0, 0, 1, 1, 2, 0, 0, false},
	{7, 96, 7, 7, 70, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false},
	{2, 32, 5, 130, 33, 3, 3, 2, 2, 1, 1, 1, 1, 1, 0, 0, false},
	{2, 64, 1, 16, 40, 1, 3, 1, 1, 0, 1, 1, 1, 1, 0, 0, false},
	{1, 32, 60, 60, 48, 3, 3, 1, 1, 30, 31, 30, 31, 1, 0, 0, false},
	{1, 256, 64, 70, 33, 2, 2, 1, 2, 0, 0, 1, 1, 1, 0, 0, false},
	{1, 1024, 17, 5, 33, 3, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, false},
	{1, 1024, 9, 40, 12, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, false},
	{2, 32, 40, 2, 33, 3, 1, 1, 3, 1, 0, 1, 1, 1, 0, 0, false},
	{2, 34, 1, 15, 123, 1, 1000, 1, 1, 0, 500, 1, 1, 1, 0, 0, false},
}

// randomHalves returns a small convolution that AMX takes.
func randomHalves(rnd *rand.Rand) ConvShape {
	one := func(n int) int { return 1 + rnd.IntN(n) }
	for {
		channels := []int{32, 64, 96, 128, 256, 512, 1024, one(100)}[rnd.IntN(8)]
		s := ConvShape{
			N: one(4), H: one(40), W: one(60), R: one(3), S: one(3), StrideH: one(3), StrideW: one(3), PadH: rnd.IntN(3), PadW: rnd.IntN(3),
			DilationH: one(3), DilationW: one(3), Groups: one(2),
		}
		switch rnd.IntN(4) {
		case 0:
			s.R, s.S = 1, 1
		case 1:
			s.StrideH, s.StrideW = 1, 1
		case 2:
			s.W = one(5)
		}
		s.C, s.K = s.Groups*channels, s.Groups*(7+one(60))
		if s.H+2*s.PadH <= s.DilationH*(s.R-1) || s.W+2*s.PadW <= s.DilationW*(s.S-1) {
			continue
		}
		if o := s.withOutput(); o.takesAMX() && o.N*o.OH*o.OW*o.K*channels*s.R*s.S < 2e6 {
			return s
		}
	}
}

// convHalves is a convolution of bfloat16, with what float64 makes of it.
type convHalves struct {
	*ConvShape
	x, w, dy, bias []dtype.BF16
	y, dx, dw      *sums
}

func newConvHalves(shape ConvShape) *convHalves {
	s := shape.withOutput()
	rng := rand.New(rand.NewPCG(27, 28))
	numbers := func(n int) []dtype.BF16 { return halves(randomMatrix[float32](rng, 1, n, 0)).Data }
	c := &convHalves{ConvShape: s, x: numbers(s.N * s.C * s.H * s.W), w: numbers(s.K * s.C / s.Groups * s.R * s.S), dy: numbers(s.N * s.K * s.OH * s.OW), bias: numbers(s.K)}
	c.y, c.dx, c.dw = newSums(len(c.dy)), newSums(len(c.x)), newSums(len(c.w))
	for i := range c.dy {
		c.y.add(i, float64(c.bias[i/(s.OH*s.OW)%s.K].Float32()))
	}
	s.eachTap(func(iy, ix, iw int) {
		x, w, dy := float64(c.x[ix].Float32()), float64(c.w[iw].Float32()), float64(c.dy[iy].Float32())
		c.y.add(iy, x*w)
		c.dx.add(ix, dy*w)
		c.dw.add(iw, dy*x)
	})
	return c
}

// checkRounded bounds what sums are off by k/2+3 roundings of float32 for the most that a step of AMX pads k to, and one of the result.
func checkRounded(t *testing.T, name string, got []dtype.BF16, want *sums) {
	t.Helper()
	for i, h := range got {
		tol := float64(want.terms[i]+4)*0x1p-24*want.size[i] + 0x1p-8*math.Abs(want.value[i])
		if diff := math.Abs(float64(h.Float32()) - want.value[i]); !(diff <= tol) {
			t.Fatalf("%s[%d] = %v, want %v ± %v", name, i, h.Float32(), want.value[i], tol)
		}
	}
}

// TestConvBF16 judges convolutions on AMX by float64, and their bits with several threads, which divide the outputs, by those with one.
func TestConvBF16(t *testing.T) {
	needAMX(t)
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	shapes, rnd := slices.Clone(amxConvs), rand.New(rand.NewPCG(29, 30))
	for range 30 {
		shapes = append(shapes, randomHalves(rnd))
	}
	for _, shape := range shapes {
		t.Run(fmt.Sprintf("%+v", shape), func(t *testing.T) {
			c, atEnd := newConvHalves(shape), shape.K%2 > 0
			x, w := guarded.Copy(t, c.x, atEnd), guarded.Copy(t, c.w, atEnd)
			var bits []dtype.BF16
			for _, threads := range []int{1, 7} {
				runtime.GOMAXPROCS(threads)
				y := guarded.Slice[dtype.BF16](t, len(c.dy), atEnd)
				if done, err := ConvBF16(c.ConvShape, x, w, c.bias, y); !done || err != nil {
					t.Fatal(done, err)
				}
				checkRounded(t, "y", y, c.y)
				if bits == nil {
					bits = y
				}
				if !slices.Equal(y, bits) {
					t.Errorf("%d threads make other bits", threads)
				}
			}
		})
	}
}

// TestPlacesOfPixelsFit32Bits: images of a piece are as far apart in the results as all outputs make them.
func TestPlacesOfPixelsFit32Bits(t *testing.T) {
	s := ConvShape{N: 8, C: 32, H: 32, W: 32, K: 300_000, R: 1, S: 1, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1, Groups: 1}.withOutput()
	if c := newPixelsAMX(s); c == nil || c.images*s.K*s.OH*s.OW > math.MaxInt32 {
		t.Errorf("pieces are %+v", c)
	}
}

// TestConvBF16GradInput judges gradients for the input likewise, with strides that leave some phases without products too.
func TestConvBF16GradInput(t *testing.T) {
	needAMX(t)
	for _, shape := range []ConvShape{
		{2, 12, 9, 11, 10, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false},
		{2, 66, 13, 12, 66, 3, 3, 2, 2, 1, 1, 1, 1, 2, 0, 0, false},
		{1, 32, 9, 13, 32, 3, 3, 2, 2, 1, 1, 1, 1, 1, 0, 0, false},
		{1, 32, 15, 17, 33, 2, 1, 3, 4, 1, 0, 1, 1, 1, 0, 0, false},
		{1, 32, 12, 13, 32, 3, 3, 2, 3, 2, 3, 2, 1, 1, 0, 0, false},
	} {
		t.Run(fmt.Sprintf("%+v", shape), func(t *testing.T) {
			c := newConvHalves(shape)
			dx := slices.Repeat([]dtype.BF16{0x7fc0}, len(c.x)) // what is not written is not a number
			if done, err := ConvBF16GradInput(c.ConvShape, c.dy, c.w, nil, dx); !done || err != nil {
				t.Fatal(done, err)
			}
			checkRounded(t, "dx", dx, c.dx)
		})
	}
}

// TestConvBF16GradWeight judges gradients for the weights likewise, between pages that must not be touched.
func TestConvBF16GradWeight(t *testing.T) {
	needAMX(t)
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	for i, shape := range []ConvShape{
		{2, 10, 9, 11, 12, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false},
		{3, 18, 13, 12, 40, 3, 2, 2, 3, 1, 1, 1, 1, 2, 0, 0, false},
		{1, 40, 17, 19, 24, 3, 3, 1, 2, 2, 3, 2, 3, 1, 0, 0, false},
		{2, 33, 4, 5, 70, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, false},
		{1, 8, 20, 21, 65, 7, 7, 2, 2, 3, 3, 1, 1, 1, 0, 0, false},
		{1, 8, 2, 1500, 8, 2, 3, 1, 1, 0, 1, 1, 1, 1, 0, 0, false},
		{5, 80, 6, 6, 72, 1, 1, 1, 1, 0, 0, 1, 1, 2, 0, 0, false},
		{2, 48, 300, 20, 40, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false},
		{3, 9, 9, 9, 8, 3, 3, 2, 2, 4, 5, 1, 1, 1, 0, 0, false},
		{2, 16, 14, 13, 24, 3, 3, 3, 3, 1, 1, 1, 1, 1, 0, 0, false},
	} {
		t.Run(fmt.Sprintf("%+v", shape), func(t *testing.T) {
			c, atEnd := newConvHalves(shape), i%2 == 0
			x, dy := guarded.Copy(t, c.x, atEnd), guarded.Copy(t, c.dy, atEnd)
			var bits []dtype.BF16
			for _, threads := range []int{1, 7} {
				runtime.GOMAXPROCS(threads)
				dw := guarded.Slice[dtype.BF16](t, len(c.w), atEnd)
				for i := range dw {
					dw[i] = 0x7fc0
				}
				if done, err := ConvBF16GradWeight(c.ConvShape, x, dy, dw); !done || err != nil {
					t.Fatal(done, err)
				}
				checkRounded(t, "dw", dw, c.dw)
				if bits == nil {
					bits = dw
				}
				if !slices.Equal(dw, bits) {
					t.Errorf("%d threads make other bits", threads)
				}
			}
		})
	}
}
