package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

var poolShapes = []struct {
	name  string
	shape PoolShape // without OH and OW
}{
	{"2x2", PoolShape{3, 8, 6, 2, 2, 2, 2, 0, 0, 1, 1, 0, 0}},
	{"remainder", PoolShape{3, 9, 7, 2, 3, 2, 3, 0, 0, 1, 1, 0, 0}},
	{"overlapping", PoolShape{2, 7, 8, 3, 3, 1, 2, 0, 0, 1, 1, 0, 0}},
	{"padded", PoolShape{2, 7, 8, 3, 4, 2, 2, 1, 2, 1, 1, 0, 0}},
	{"dilated", PoolShape{2, 11, 13, 3, 2, 1, 2, 1, 1, 2, 3, 0, 0}},
	{"line", PoolShape{4, 1, 20, 1, 3, 1, 2, 0, 1, 1, 1, 0, 0}},
	{"many planes", PoolShape{70, 28, 28, 2, 2, 2, 2, 0, 0, 1, 1, 0, 0}},
	{"small planes", PoolShape{36, 6, 10, 2, 3, 2, 2, 0, 1, 1, 1, 0, 0}},
	{"no planes", PoolShape{0, 4, 4, 2, 2, 2, 2, 0, 0, 1, 1, 0, 0}},
}

func (s PoolShape) withOutput() *PoolShape {
	s.OH = (s.H+2*s.PadH-s.DilationH*(s.R-1)-1)/s.StrideH + 1
	s.OW = (s.W+2*s.PadW-s.DilationW*(s.S-1)-1)/s.StrideW + 1
	return &s
}

// eachElement calls visit with the elements of x that output i of y sees, in
// order; those in the padding have at < 0.
func (s *PoolShape) eachElement(i int, visit func(at int)) {
	oh, ow := i/s.OW%s.OH, i%s.OW
	for r := range s.R {
		for q := range s.S {
			h, w := oh*s.StrideH-s.PadH+r*s.DilationH, ow*s.StrideW-s.PadW+q*s.DilationW
			if h < 0 || h >= s.H || w < 0 || w >= s.W {
				visit(-1)
				continue
			}
			visit(h*s.W + w)
		}
	}
}

func TestMaxPool2D(t *testing.T) {
	for _, row := range poolShapes {
		t.Run(row.name, func(t *testing.T) {
			s := row.shape.withOutput()
			rnd := rand.New(rand.NewPCG(1, 2))
			x := make([]float32, s.Planes*s.H*s.W)
			for i := range x {
				x[i] = float32(rnd.IntN(9)) // ties
				if rnd.IntN(20) == 0 {
					x[i] = float32(math.NaN())
				}
			}
			y, index := make([]float32, s.Planes*s.OH*s.OW), make([]int64, s.Planes*s.OH*s.OW)
			dy := fill(rnd, make([]float32, len(y)))
			MaxPool2D(s, x, y, index)
			wantDx := newSums(len(x))
			for i := range y {
				plane := i / (s.OH * s.OW) * s.H * s.W
				best, at := float32(math.Inf(-1)), -1
				s.eachElement(i, func(j int) {
					if j >= 0 && (at < 0 || x[plane+j] > best || x[plane+j] != x[plane+j]) {
						best, at = x[plane+j], j
					}
				})
				if math.Float32bits(y[i]) != math.Float32bits(best) || index[i] != int64(at) {
					t.Fatalf("y[%d] = %v from %d, want %v from %d", i, y[i], index[i], best, at)
				}
				wantDx.add(plane+at, float64(dy[i]))
			}
			dx := fill(rnd, make([]float32, len(x)))
			MaxPool2DBackward(s, dy, index, dx)
			checkSums(t, "dx", dx, wantDx)
		})
	}
}

func TestMaxPool2DOfInfinities(t *testing.T) {
	inf := math.Inf(-1)
	s := PoolShape{1, 2, 4, 2, 2, 2, 2, 0, 0, 1, 1, 1, 2}
	y, index := make([]float64, 2), make([]int64, 2)
	MaxPool2D(&s, []float64{inf, inf, inf, inf, inf, inf, inf, 1}, y, index)
	if y[0] != inf || index[0] != 0 || y[1] != 1 || index[1] != 7 {
		t.Errorf("got %v from %v, want [-Inf 1] from [0 7]", y, index)
	}
}

// PyTorch refuses windows that see nothing but padding; here they stay harmless.
func TestPoolOfPadding(t *testing.T) {
	s := PoolShape{1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 3}
	y, index, dx := make([]float32, 3), make([]int64, 3), make([]float32, 1)
	inf := float32(math.Inf(-1))
	MaxPool2D(&s, []float32{5}, y, index)
	if want := [3]float32{inf, 5, inf}; [3]float32(y) != want || index[0] != 0 || index[2] != 0 {
		t.Errorf("max = %v from %v, want %v from [0 0 0]", y, index, want)
	}
	AvgPool2D(&s, Counts{}, []float32{5}, y)
	if want := [3]float32{0, 5, 0}; [3]float32(y) != want {
		t.Errorf("mean = %v, want %v", y, want)
	}
	AvgPool2DBackward(&s, Counts{}, []float32{1, 2, 3}, dx)
	if dx[0] != 2 {
		t.Errorf("dx = %v, want [2]", dx)
	}
}

func testAvgPool2D[T interface{ float32 | float64 }](t *testing.T) {
	for _, row := range poolShapes {
		if row.shape.DilationH != 1 {
			continue
		}
		for _, countPad := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/countPad=%v", row.name, countPad), func(t *testing.T) {
				s := row.shape.withOutput()
				rnd := rand.New(rand.NewPCG(1, 2))
				x := fill(rnd, make([]T, s.Planes*s.H*s.W))
				y := fill(rnd, make([]T, s.Planes*s.OH*s.OW))
				dy := fill(rnd, make([]T, len(y)))
				wantY, wantDx := newSums(len(y)), newSums(len(x))
				for i := range y {
					plane := i / (s.OH * s.OW) * s.H * s.W
					count := 0
					s.eachElement(i, func(j int) {
						if j >= 0 || countPad {
							count++
						}
					})
					s.eachElement(i, func(j int) {
						if j >= 0 {
							wantY.add(i, float64(x[plane+j])/float64(count))
							wantDx.add(plane+j, float64(dy[i])/float64(count))
						}
					})
				}
				AvgPool2D(s, Counts{Padding: countPad}, x, y)
				checkSums(t, "y", y, wantY)
				dx := fill(rnd, make([]T, len(x)))
				AvgPool2DBackward(s, Counts{Padding: countPad}, dy, dx)
				checkSums(t, "dx", dx, wantDx)
			})
		}
	}
}

func TestAvgPool2D(t *testing.T) {
	t.Run("float32", testAvgPool2D[float32])
	t.Run("float64", testAvgPool2D[float64])
}

func TestAdaptiveAvgPool2D(t *testing.T) {
	for _, s := range []PoolShape{
		{Planes: 2, H: 7, W: 5, OH: 3, OW: 4},
		{Planes: 3, H: 8, W: 6, OH: 2, OW: 3},
		{Planes: 1, H: 2, W: 3, OH: 5, OW: 7},
		{Planes: 4, H: 9, W: 9, OH: 1, OW: 1},
		{Planes: 0, H: 9, W: 9, OH: 2, OW: 2},
	} {
		t.Run(fmt.Sprintf("%dx%d to %dx%d", s.H, s.W, s.OH, s.OW), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			x := fill(rnd, make([]float32, s.Planes*s.H*s.W))
			y := make([]float32, s.Planes*s.OH*s.OW)
			dy := fill(rnd, make([]float32, len(y)))
			wantY, wantDx := newSums(len(y)), newSums(len(x))
			bounds := func(i, out, n int) (int, int) {
				return int(math.Floor(float64(i*n) / float64(out))), int(math.Ceil(float64((i+1)*n) / float64(out)))
			}
			for i := range y {
				plane := i / (s.OH * s.OW) * s.H * s.W
				top, bottom := bounds(i/s.OW%s.OH, s.OH, s.H)
				left, right := bounds(i%s.OW, s.OW, s.W)
				count := float64((bottom - top) * (right - left))
				for h := top; h < bottom; h++ {
					for w := left; w < right; w++ {
						wantY.add(i, float64(x[plane+h*s.W+w])/count)
						wantDx.add(plane+h*s.W+w, float64(dy[i])/count)
					}
				}
			}
			AdaptiveAvgPool2D(&s, x, y)
			checkSums(t, "y", y, wantY)
			dx := fill(rnd, make([]float32, len(x)))
			AdaptiveAvgPool2DBackward(&s, dy, dx)
			checkSums(t, "dx", dx, wantDx)
		})
	}
}

func BenchmarkPool2D(b *testing.B) {
	s := PoolShape{64 * 32, 28, 28, 2, 2, 2, 2, 0, 0, 1, 1, 14, 14}
	x, y := make([]float32, s.Planes*s.H*s.W), make([]float32, s.Planes*s.OH*s.OW)
	fill(rand.New(rand.NewPCG(1, 2)), x)
	index, dx := make([]int64, len(y)), make([]float32, len(x))
	for _, row := range []struct {
		name string
		run  func()
	}{
		{"max", func() { MaxPool2D(&s, x, y, index) }},
		{"max backward", func() { MaxPool2DBackward(&s, y, index, dx) }},
		{"avg", func() { AvgPool2D(&s, Counts{Padding: true}, x, y) }},
		{"avg backward", func() { AvgPool2DBackward(&s, Counts{Padding: true}, y, dx) }},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.SetBytes(int64(4 * (len(x) + len(y))))
			for b.Loop() {
				row.run()
			}
		})
	}
}
