package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"cresset/dtype"
)

var convShapes = []struct {
	name  string
	shape ConvShape // without OH and OW
}{
	{"3x3", ConvShape{2, 3, 8, 9, 4, 3, 3, 1, 1, 0, 0, 1, 1, 1, 0, 0}},
	{"padded", ConvShape{2, 3, 8, 9, 5, 3, 3, 1, 1, 1, 2, 1, 1, 1, 0, 0}},
	{"strided", ConvShape{3, 2, 11, 12, 4, 3, 2, 2, 3, 1, 1, 1, 1, 1, 0, 0}},
	{"dilated", ConvShape{1, 2, 13, 11, 3, 3, 3, 2, 1, 2, 3, 2, 3, 1, 0, 0}},
	{"groups", ConvShape{2, 6, 7, 7, 4, 3, 3, 1, 1, 1, 1, 1, 1, 2, 0, 0}},
	{"depthwise", ConvShape{2, 5, 9, 9, 10, 3, 3, 1, 1, 1, 1, 1, 1, 5, 0, 0}},
	{"pointwise", ConvShape{2, 6, 20, 17, 7, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0}},
	{"pointwise groups", ConvShape{2, 6, 5, 6, 4, 1, 1, 1, 1, 0, 0, 1, 1, 2, 0, 0}},
	{"pointwise strided", ConvShape{2, 3, 5, 6, 4, 1, 1, 2, 2, 0, 0, 1, 1, 1, 0, 0}},
	{"line", ConvShape{2, 3, 1, 40, 4, 1, 5, 1, 2, 0, 2, 1, 1, 1, 0, 0}},
	{"several pieces", ConvShape{2, 9, 40, 41, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0}},
	{"padding beyond the input", ConvShape{1, 1, 2, 2, 1, 2, 2, 1, 1, 4, 4, 1, 1, 1, 0, 0}},
	{"window as large as the input", ConvShape{3, 2, 4, 5, 3, 4, 5, 1, 1, 0, 0, 1, 1, 1, 0, 0}},
	{"dilated without strides", ConvShape{1, 2, 13, 17, 3, 3, 3, 1, 1, 2, 3, 2, 3, 1, 0, 0}},
	{"more weights than a run", ConvShape{1, 120, 5, 6, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0}},
	{"pieces of lines", ConvShape{1, 40, 30, 70, 2, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0}},
	{"no images", ConvShape{0, 2, 4, 5, 3, 3, 3, 1, 1, 0, 0, 1, 1, 1, 0, 0}},
	{"no channels", ConvShape{2, 0, 4, 5, 3, 3, 3, 1, 1, 0, 0, 1, 1, 1, 0, 0}},
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
	for n := range s.N {
		for out := range s.K {
			for i := range s.OH * s.OW {
				for j := range c * s.R * s.S {
					h := i/s.OW*s.StrideH - s.PadH + j/s.S%s.R*s.DilationH
					w := i%s.OW*s.StrideW - s.PadW + j%s.S*s.DilationW
					if h >= 0 && h < s.H && w >= 0 && w < s.W {
						in := out/k*c + j/(s.R*s.S)
						visit((n*s.K+out)*s.OH*s.OW+i, ((n*s.C+in)*s.H+h)*s.W+w, out*c*s.R*s.S+j)
					}
				}
			}
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

func checkSums[T dtype.Float](t *testing.T, name string, got []T, want *sums) {
	t.Helper()
	for i := range got {
		tol := float64(want.terms[i]+2) * epsilon[T]() * want.size[i]
		if diff := math.Abs(float64(got[i]) - want.value[i]); !(diff <= tol) {
			t.Fatalf("%s[%d] = %v, want %v ± %v", name, i, got[i], want.value[i], tol)
		}
	}
}

func testConv2D[T dtype.Float](t *testing.T) {
	for _, row := range convShapes {
		t.Run(row.name, func(t *testing.T) {
			s := row.shape.withOutput()
			rnd := rand.New(rand.NewPCG(1, 2))
			x := fill(rnd, make([]T, s.N*s.C*s.H*s.W))
			w := fill(rnd, make([]T, s.K*s.C/s.Groups*s.R*s.S))
			dy := fill(rnd, make([]T, s.N*s.K*s.OH*s.OW))
			bias := fill(rnd, make([]T, s.K))
			wantY, wantBiased := newSums(len(dy)), newSums(len(dy))
			wantDx, wantDw := newSums(len(x)), newSums(len(w))
			for i := range dy {
				wantBiased.add(i, float64(bias[i/(s.OH*s.OW)%s.K]))
			}
			s.eachTap(func(iy, ix, iw int) {
				v := float64(x[ix]) * float64(w[iw])
				wantY.add(iy, v)
				wantBiased.add(iy, v)
				wantDx.add(ix, float64(dy[iy])*float64(w[iw]))
				wantDw.add(iw, float64(dy[iy])*float64(x[ix]))
			})
			// What the kernels are given is not what they leave.
			y, dx, dw := fill(rnd, make([]T, len(dy))), fill(rnd, make([]T, len(x))), fill(rnd, make([]T, len(w)))
			Conv2D(s, x, w, nil, y)
			checkSums(t, "y", y, wantY)
			Conv2D(s, x, w, bias, y)
			checkSums(t, "y with bias", y, wantBiased)
			Conv2DGradInput(s, dy, w, dx)
			checkSums(t, "dx", dx, wantDx)
			Conv2DGradWeight(s, x, dy, dw)
			checkSums(t, "dw", dw, wantDw)
		})
	}
}

func TestConv2D(t *testing.T) {
	t.Run("float32", testConv2D[float32])
	t.Run("float64", testConv2D[float64])
}

// The pieces of a weight gradient follow the number of threads, its bits do not.
func TestConv2DThreadsKeepBits(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	s := ConvShape{3, 11, 20, 23, 9, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0}.withOutput()
	rnd := rand.New(rand.NewPCG(1, 2))
	x, w := fill(rnd, make([]float32, s.N*s.C*s.H*s.W)), fill(rnd, make([]float32, s.K*s.C*s.R*s.S))
	dy := fill(rnd, make([]float32, s.N*s.K*s.OH*s.OW))
	var want [3][]float32
	for _, threads := range []int{1, 2, 7} {
		runtime.GOMAXPROCS(threads)
		got := [3][]float32{make([]float32, len(dy)), make([]float32, len(x)), make([]float32, len(w))}
		Conv2D(s, x, w, nil, got[0])
		Conv2DGradInput(s, dy, w, got[1])
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
		{64, 1, 28, 28, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0},
		{64, 32, 14, 14, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0},
		{1, 64, 56, 56, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0},
		{8, 64, 28, 28, 64, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0},
		{8, 64, 28, 28, 64, 3, 3, 1, 1, 1, 1, 1, 1, 64, 0, 0},
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
			{"forward", func() { Conv2D(s, x, w, nil, y) }},
			{"gradinput", func() { Conv2DGradInput(s, dy, w, dx) }},
			{"gradweight", func() { Conv2DGradWeight(s, x, dy, dw) }},
		} {
			name := fmt.Sprintf("n%dc%dk%d/%dx%d/%dx%dg%d/%s", s.N, s.C, s.K, s.H, s.W, s.R, s.S, s.Groups, pass.name)
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					pass.run()
				}
				reportGflops(b, flops)
			})
		}
	}
}
