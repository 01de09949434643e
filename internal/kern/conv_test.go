package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/op"
)

var convShapes = []struct {
	name  string
	shape ConvShape // without OH and OW
}{
	{"3x3", ConvShape{2, 3, 8, 9, 4, 3, 3, 1, 1, 0, 0, 1, 1, 1, 0, 0, false}},
	{"padded", ConvShape{2, 3, 8, 9, 5, 3, 3, 1, 1, 1, 2, 1, 1, 1, 0, 0, false}},
	{"strided", ConvShape{3, 2, 11, 12, 4, 3, 2, 2, 3, 1, 1, 1, 1, 1, 0, 0, false}},
	{"dilated", ConvShape{1, 2, 13, 11, 3, 3, 3, 2, 1, 2, 3, 2, 3, 1, 0, 0, false}},
	{"groups", ConvShape{2, 6, 7, 7, 4, 3, 3, 1, 1, 1, 1, 1, 1, 2, 0, 0, false}},
	{"depthwise", ConvShape{2, 5, 9, 9, 10, 3, 3, 1, 1, 1, 1, 1, 1, 5, 0, 0, false}},
	{"many small groups", ConvShape{2, 34, 9, 9, 68, 3, 3, 1, 1, 1, 1, 1, 1, 34, 0, 0, false}},
	{"pointwise", ConvShape{2, 6, 20, 17, 7, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, false}},
	{"pointwise groups", ConvShape{2, 6, 5, 6, 4, 1, 1, 1, 1, 0, 0, 1, 1, 2, 0, 0, false}},
	{"pointwise strided", ConvShape{2, 3, 5, 6, 4, 1, 1, 2, 2, 0, 0, 1, 1, 1, 0, 0, false}},
	{"line", ConvShape{2, 3, 1, 40, 4, 1, 5, 1, 2, 0, 2, 1, 1, 1, 0, 0, false}},
	{"several pieces", ConvShape{2, 9, 40, 41, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}},
	{"padding beyond the input", ConvShape{1, 1, 2, 2, 1, 2, 2, 1, 1, 4, 4, 1, 1, 1, 0, 0, false}},
	{"window as large as the input", ConvShape{3, 2, 4, 5, 3, 4, 5, 1, 1, 0, 0, 1, 1, 1, 0, 0, false}},
	{"dilated without strides", ConvShape{1, 2, 13, 17, 3, 3, 3, 1, 1, 2, 3, 2, 3, 1, 0, 0, false}},
	{"more weights than a run", ConvShape{1, 120, 5, 6, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}},
	{"pieces of lines", ConvShape{1, 40, 30, 70, 2, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}},
	{"lines of whole tiles", ConvShape{1, 3, 6, 64, 14, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}},
	{"long lines", ConvShape{1, 2, 2, 9000, 2, 2, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}},
	{"a very long line", ConvShape{1, 1, 1, 70_000, 1, 1, 3, 1, 1, 0, 1, 1, 1, 1, 0, 0, false}},
	{"long strided lines", ConvShape{1, 3, 3, 9000, 2, 3, 3, 2, 2, 1, 1, 1, 1, 1, 0, 0, false}},
	{"phases", ConvShape{2, 3, 23, 31, 9, 5, 5, 2, 2, 2, 2, 1, 1, 1, 0, 0, false}},
	{"strides beyond the window", ConvShape{2, 3, 20, 22, 5, 2, 2, 3, 4, 1, 1, 1, 1, 1, 0, 0, false}},
	{"wide outputs", ConvShape{1, 2, 9, 9, 40, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}},
	{"many small images", ConvShape{23, 9, 7, 7, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}},
	{"small images in groups", ConvShape{9, 34, 8, 8, 6, 2, 2, 1, 1, 1, 1, 1, 1, 2, 0, 0, false}},
	{"images in bands", ConvShape{2, 9, 40, 41, 3, 3, 3, 1, 2, 1, 1, 1, 1, 1, 0, 0, false}},
	{"depthwise strided", ConvShape{2, 6, 21, 19, 6, 3, 3, 2, 2, 1, 1, 1, 1, 6, 0, 0, false}},
	{"depthwise dilated", ConvShape{2, 4, 17, 40, 8, 3, 5, 1, 1, 2, 4, 2, 2, 4, 0, 0, false}},
	{"depthwise in bands", ConvShape{1, 2, 150, 130, 2, 3, 3, 1, 1, 1, 1, 1, 1, 2, 0, 0, false}},
	{"depthwise, odd padding", ConvShape{3, 7, 12, 35, 7, 3, 3, 2, 2, 2, 3, 1, 1, 7, 0, 0, false}},
	{"depthwise, strided in bands", ConvShape{1, 2, 300, 331, 4, 3, 3, 2, 2, 1, 0, 1, 1, 2, 0, 0, false}},
	{"depthwise lines", ConvShape{2, 3, 1, 40, 3, 3, 3, 1, 1, 1, 1, 1, 1, 3, 0, 0, false}},
	{"depthwise, strides that differ", ConvShape{2, 3, 17, 19, 3, 3, 3, 1, 2, 1, 1, 1, 1, 3, 0, 0, false}},
	{"one output", ConvShape{2, 9, 12, 13, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}},
	{"phases that meet nothing", ConvShape{2, 20, 12, 13, 18, 2, 1, 3, 4, 0, 0, 1, 1, 1, 0, 0, false}},
	{"steps and dilation", ConvShape{2, 20, 17, 18, 18, 3, 3, 2, 4, 3, 2, 2, 2, 1, 0, 0, false}},
	{"pointwise strided channels", ConvShape{2, 20, 15, 16, 18, 1, 1, 2, 2, 0, 0, 1, 1, 1, 0, 0, false}},
	{"many outputs in groups", ConvShape{2, 8, 11, 12, 38, 3, 3, 2, 1, 1, 1, 1, 1, 2, 0, 0, false}},
	{"long steps", ConvShape{1, 3, 31, 33, 4, 3, 3, 5, 6, 1, 1, 1, 1, 1, 0, 0, false}},
	{"by pixels", ConvShape{2, 9, 13, 11, 21, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}},
	{"by pixels in groups, strided", ConvShape{2, 14, 15, 30, 44, 3, 4, 2, 3, 1, 2, 1, 1, 2, 0, 0, false}},
	{"by pixels, dilated", ConvShape{2, 4, 19, 23, 16, 3, 4, 2, 2, 2, 3, 2, 3, 1, 0, 0, false}},
	{"by pixels, narrow", ConvShape{9, 8, 7, 7, 13, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}},
	{"by pixels, less padded than the window", ConvShape{1, 5, 9, 40, 12, 3, 7, 1, 1, 0, 2, 1, 1, 1, 0, 0, false}},
	{"by pixels, parts of lines", ConvShape{1, 140, 3, 130, 12, 2, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}},
	{"by pixels, pointwise", ConvShape{2, 35, 9, 11, 20, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, false}},
	{"by pixels, pointwise with planes of pages", ConvShape{1, 32, 32, 32, 12, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, false}},
	{"phases by pixels", ConvShape{2, 20, 12, 14, 40, 4, 4, 2, 2, 1, 1, 1, 1, 1, 0, 0, false}},
	{"phases by pixels, pointwise", ConvShape{2, 20, 12, 14, 40, 2, 2, 2, 2, 0, 0, 1, 1, 1, 0, 0, false}},
	{"phases by pixels, unlike", ConvShape{3, 13, 17, 22, 40, 3, 3, 2, 2, 1, 1, 1, 1, 1, 0, 0, false}},
	{"by pixels, lines of whole tiles", ConvShape{2, 35, 9, 84, 40, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}},
	{"phases by pixels, lines of whole tiles", ConvShape{2, 20, 11, 84, 40, 4, 4, 2, 2, 1, 1, 1, 1, 1, 0, 0, false}},
	{"phases by pixels, odd, steps of three and two", ConvShape{2, 40, 17, 23, 20, 5, 4, 2, 3, 3, 1, 1, 1, 1, 0, 0, false}},
	{"phases by pixels that meet nothing, in groups", ConvShape{2, 40, 23, 21, 40, 1, 3, 2, 2, 0, 1, 1, 1, 2, 0, 0, false}},
	{"phases by pixels, dilated", ConvShape{2, 20, 23, 25, 40, 3, 3, 2, 2, 5, 0, 3, 2, 1, 0, 0, false}},
	{"by pixels, stored by tiles", ConvShape{2, 256, 9, 11, 48, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, false}},
	{"by pixels, stored by tiles after two blocks", ConvShape{2, 302, 5, 8, 80, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, false}},
	{"joined phases", ConvShape{2, 32, 10, 56, 70, 2, 2, 2, 2, 0, 0, 1, 1, 1, 0, 0, false}},
	{"joined phases a column apart, in groups, odd lines", ConvShape{2, 64, 11, 52, 64, 4, 4, 2, 2, 1, 1, 1, 1, 2, 0, 0, false}},
	{"joined phases of parts of lines", ConvShape{1, 16, 6, 280, 140, 4, 4, 2, 2, 1, 1, 1, 1, 1, 0, 0, false}},
	{"joined phases of columns alone", ConvShape{1, 16, 6, 28, 72, 3, 4, 1, 2, 1, 2, 1, 1, 1, 0, 0, false}},
	{"no images", ConvShape{0, 2, 4, 5, 3, 3, 3, 1, 1, 0, 0, 1, 1, 1, 0, 0, false}},
	{"no channels", ConvShape{2, 0, 4, 5, 3, 3, 3, 1, 1, 0, 0, 1, 1, 1, 0, 0, false}},
}

func (s ConvShape) withOutput() *ConvShape {
	s.OH = (s.H+2*s.PadH-s.DilationH*(s.R-1)-1)/s.StrideH + 1
	s.OW = (s.W+2*s.PadW-s.DilationW*(s.S-1)-1)/s.StrideW + 1
	return &s
}

// eachTap calls visit with the offsets in y, x and w of every product of a
// convolution: its definition, from which value and gradients follow.
func (s *ConvShape) eachTap(visit func(y, x, w int)) {
	c, k := s.C/s.Groups, s.K/s.Groups
	y := 0
	for plane := range s.N * s.K {
		n, out := plane/s.K, plane%s.K
		for i := range s.OH * s.OW {
			top, left := i/s.OW*s.StrideH-s.PadH, i%s.OW*s.StrideW-s.PadW
			w := out * c * s.R * s.S
			for in := range c {
				x := (n*s.C + out/k*c + in) * s.H * s.W
				for j := range s.R * s.S {
					h, v := top+j/s.S*s.DilationH, left+j%s.S*s.DilationW
					if h >= 0 && h < s.H && v >= 0 && v < s.W {
						visit(y, x+h*s.W+v, w+j)
					}
				}
				w += s.R * s.S
			}
			y++
		}
	}
}

// sums accumulates a reference in float64, with what bounds its roundings.
type sums struct {
	value, size []float64
	terms       []int
}

func newSums(n int) *sums { return &sums{make([]float64, n), make([]float64, n), make([]int, n)} }

func (s *sums) add(i int, v float64) {
	s.value[i] += v
	s.size[i] += math.Abs(v)
	s.terms[i]++
}

func (s *sums) clone() *sums {
	return &sums{slices.Clone(s.value), slices.Clone(s.size), slices.Clone(s.terms)}
}

func checkSums[T dtype.Float](t *testing.T, name string, got []T, want *sums) {
	t.Helper()
	for i := range got {
		tol := float64(want.terms[i]+2) * epsilon[T]() * want.size[i]
		if diff := math.Abs(float64(got[i]) - want.value[i]); !(diff <= tol) {
			t.Fatalf("%s[%d] = %v, want %v ± %v", name, i, got[i], want.value[i], tol)
		}
	}
}

// convCase is a convolution with its operands, and what its definition gives for them in float64.
type convCase[T dtype.Float] struct {
	*ConvShape
	x, w, dy, bias, shift []T
	y, biased             *sums
	dx, shifted, dw       *sums
}

func newConvCase[T dtype.Float](s *ConvShape) *convCase[T] {
	rnd := rand.New(rand.NewPCG(1, 2))
	c := &convCase[T]{
		ConvShape: s,
		x:         fill(rnd, make([]T, s.N*s.C*s.H*s.W)),
		w:         fill(rnd, make([]T, s.K*s.C/s.Groups*s.R*s.S)),
		dy:        fill(rnd, make([]T, s.N*s.K*s.OH*s.OW)),
		bias:      fill(rnd, make([]T, s.K)),
		shift:     fill(rnd, make([]T, s.C)),
	}
	c.y, c.dx, c.dw = newSums(len(c.dy)), newSums(len(c.x)), newSums(len(c.w))
	s.eachTap(func(iy, ix, iw int) {
		x, w, dy := float64(c.x[ix]), float64(c.w[iw]), float64(c.dy[iy])
		c.y.add(iy, x*w)
		c.dx.add(ix, dy*w)
		c.dw.add(iw, dy*x)
	})
	c.biased, c.shifted = c.y.clone(), c.dx.clone()
	for i := range c.dy {
		c.biased.add(i, float64(c.bias[i/(s.OH*s.OW)%s.K]))
	}
	for i := range c.x {
		c.shifted.add(i, float64(c.shift[i/(s.H*s.W)%s.C]))
	}
	return c
}

// check compares the convolution and its gradients with their definition.
func (c *convCase[T]) check(t *testing.T) {
	t.Helper()
	// What the kernels are given is not what they leave.
	rnd := rand.New(rand.NewPCG(3, 4))
	y, dx, dw := fill(rnd, make([]T, len(c.dy))), fill(rnd, make([]T, len(c.x))), fill(rnd, make([]T, len(c.w)))
	Conv2D(c.ConvShape, c.x, c.w, nil, op.Invalid, y)
	checkSums(t, "y", y, c.y)
	Conv2D(c.ConvShape, c.x, c.w, c.bias, op.Invalid, y)
	checkSums(t, "y with bias", y, c.biased)
	Conv2DGradInput(c.ConvShape, c.dy, c.w, nil, dx)
	checkSums(t, "dx", dx, c.dx)
	Conv2DGradInput(c.ConvShape, c.dy, c.w, c.shift, dx)
	checkSums(t, "dx with bias", dx, c.shifted)
	Conv2DGradWeight(c.ConvShape, c.x, c.dy, dw)
	checkSums(t, "dw", dw, c.dw)
}

// checkConv checks a convolution by every level.
func checkConv[T dtype.Float](t *testing.T, s *ConvShape) {
	t.Helper()
	c := newConvCase[T](s.withOutput())
	everyLevel(t, c.check)
}

func TestConv2D(t *testing.T) {
	for _, row := range convShapes {
		t.Run("float32/"+row.name, func(t *testing.T) { checkConv[float32](t, &row.shape) })
		t.Run("float64/"+row.name, func(t *testing.T) { checkConv[float64](t, &row.shape) })
	}
}

// randomConv returns a small convolution.
func randomConv(rnd *rand.Rand) *ConvShape {
	s := ConvShape{
		N: 1 + rnd.IntN(2), Groups: 1 + rnd.IntN(2), H: 1 + rnd.IntN(20), W: 1 + rnd.IntN(40), R: 1 + rnd.IntN(4), S: 1 + rnd.IntN(4),
		StrideH: 1 + rnd.IntN(3), StrideW: 1 + rnd.IntN(4), PadH: rnd.IntN(4), PadW: rnd.IntN(4), DilationH: 1 + rnd.IntN(3), DilationW: 1 + rnd.IntN(3),
	}
	s.C, s.K = s.Groups*(1+rnd.IntN(20)), s.Groups*(1+rnd.IntN(20))
	s.H, s.W = max(s.H, s.DilationH*(s.R-1)+1), max(s.W, s.DilationW*(s.S-1)+1)
	return s.withOutput()
}

// TestGradInputBesideWeights has long lines, each second element of which meets no weight: there the gradient for the input is the bias alone.
func TestGradInputBesideWeights(t *testing.T) {
	s := (&ConvShape{N: 1, C: 32, H: 4, W: 1000, K: 32, R: 1, S: 60, StrideH: 1, StrideW: 2, DilationH: 1, DilationW: 2, Groups: 1}).withOutput()
	everyLevel(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(91, 92))
		dy, w, bias := randomFloats(rnd, s.N*s.K*s.OH*s.OW), randomFloats(rnd, s.K*s.C*s.R*s.S), randomFloats(rnd, s.C)
		dx := make([]float32, s.N*s.C*s.H*s.W)
		Conv2DGradInput(s, dy, w, bias, dx)
		for i := 1; i < len(dx); i += 2 {
			if want := bias[i/(s.H*s.W)]; dx[i] != want {
				t.Fatalf("element %d is %v, and the bias %v", i, dx[i], want)
			}
		}
	})
}

func TestConv2DShapes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		s := randomConv(rnd)
		t.Run(fmt.Sprintf("%+v", *s), func(t *testing.T) {
			checkConv[float32](t, s)
			checkConv[float64](t, s)
		})
	}
}

// The pieces of a weight gradient follow the number of threads, its bits do not.
func TestConv2DThreadsKeepBits(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	for _, s := range []*ConvShape{
		ConvShape{3, 11, 20, 23, 9, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}.withOutput(),
		ConvShape{3, 20, 41, 46, 18, 3, 3, 2, 2, 1, 1, 1, 1, 1, 0, 0, false}.withOutput(),
		ConvShape{5, 24, 41, 46, 24, 3, 3, 2, 2, 1, 1, 1, 1, 24, 0, 0, false}.withOutput(),
		ConvShape{5, 24, 41, 46, 24, 3, 3, 1, 1, 1, 1, 1, 1, 24, 0, 0, false}.withOutput(),
		ConvShape{5, 24, 20, 23, 30, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, true}.withOutput(),
		ConvShape{5, 24, 20, 23, 30, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}.withOutput(),
		ConvShape{5, 24, 41, 46, 24, 5, 5, 1, 1, 1, 1, 1, 1, 24, 0, 0, false}.withOutput(),
	} {
		testConvThreads(t, s)
	}
}

func testConvThreads(t *testing.T, s *ConvShape) {
	rnd := rand.New(rand.NewPCG(1, 2))
	x, w := fill(rnd, make([]float32, s.N*s.C*s.H*s.W)), fill(rnd, make([]float32, s.K*s.C/s.Groups*s.R*s.S))
	dy := fill(rnd, make([]float32, s.N*s.K*s.OH*s.OW))
	var want [3][]float32
	for _, threads := range []int{1, 2, 7} {
		runtime.GOMAXPROCS(threads)
		got := [3][]float32{make([]float32, len(dy)), make([]float32, len(x)), make([]float32, len(w))}
		Conv2D(s, x, w, nil, op.Invalid, got[0])
		Conv2DGradInput(s, dy, w, nil, got[1])
		Conv2DGradWeight(s, x, dy, got[2])
		if threads == 1 {
			want = got
		}
		for i, name := range []string{"y", "dx", "dw"} {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("%s differs between 1 and %d threads", name, threads)
			}
		}
	}
}

func BenchmarkConv2D(b *testing.B) {
	for _, shape := range []ConvShape{
		{64, 1, 28, 28, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false},
		{64, 32, 14, 14, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false},
		{4, 64, 56, 56, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false},
		{2, 128, 28, 28, 128, 3, 3, 2, 2, 1, 1, 1, 1, 1, 0, 0, false},
		{1, 3, 224, 224, 64, 7, 7, 2, 2, 3, 3, 1, 1, 1, 0, 0, false},
		{1, 32, 224, 224, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false},
		{1, 512, 7, 7, 512, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false},
		{4, 16, 32, 32, 32, 5, 5, 1, 1, 0, 0, 1, 1, 1, 0, 0, false},
		{16, 64, 1, 1000, 64, 1, 5, 1, 1, 0, 2, 1, 1, 1, 0, 0, false},
		{8, 64, 28, 28, 64, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, false},
		{8, 64, 28, 28, 64, 3, 3, 1, 1, 1, 1, 1, 1, 64, 0, 0, false},
	} {
		s := shape.withOutput()
		rnd := rand.New(rand.NewPCG(1, 2))
		x := fill(rnd, make([]float32, s.N*s.C*s.H*s.W))
		w := fill(rnd, make([]float32, s.K*s.C/s.Groups*s.R*s.S))
		dy := fill(rnd, make([]float32, s.N*s.K*s.OH*s.OW))
		y, dx, dw := make([]float32, len(dy)), make([]float32, len(x)), make([]float32, len(w))
		flops := 2 * len(y) * s.C / s.Groups * s.R * s.S
		for _, pass := range []struct {
			name string
			run  func()
		}{
			{"forward", func() { Conv2D(s, x, w, nil, op.Invalid, y) }},
			{"gradinput", func() { Conv2DGradInput(s, dy, w, nil, dx) }},
			{"gradweight", func() { Conv2DGradWeight(s, x, dy, dw) }},
		} {
			name := fmt.Sprintf("n%dc%dk%d/%dx%d/%dx%ds%dg%d/%s", s.N, s.C, s.K, s.H, s.W, s.R, s.S, s.StrideW, s.Groups, pass.name)
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					pass.run()
				}
				reportGflops(b, flops)
			})
		}
	}
}

// What a weight does not meet must not reach its gradient, whatever zeros stand for.
func TestDepthwiseGradWeightOfInfinities(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		s := ConvShape{2, 3, 9, 9, 3, 3, 3, 1, 1, 0, 0, 1, 1, 3, 0, 0, false}.withOutput()
		rnd := rand.New(rand.NewPCG(1, 2))
		x, dy := fill(rnd, make([]float32, s.N*s.C*s.H*s.W)), fill(rnd, make([]float32, s.N*s.K*s.OH*s.OW))
		x[8] = float32(math.Inf(1)) // in the last column: the first and second of the window never meet it
		dw := make([]float32, s.K*s.R*s.S)
		Conv2DGradWeight(s, x, dy, dw)
		for i, v := range dw {
			if got, want := math.IsInf(float64(v), 0), i == 2; got != want || v != v {
				t.Errorf("dw[%d] = %v", i, v)
			}
		}
	})
}
