package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"cresset/internal/kern/guarded"
)

// The matrices of F(4x4, 3x3) with the points 0, ±5/8, ±3/2 and infinity.
var (
	winogradB = [][]float64{
		{225. / 256, 0, -169. / 64, 0, 1, 0}, {0, -45. / 32, -9. / 4, 5. / 8, 1, 0}, {0, 45. / 32, -9. / 4, -5. / 8, 1, 0},
		{0, -75. / 128, -25. / 64, 3. / 2, 1, 0}, {0, 75. / 128, -25. / 64, -3. / 2, 1, 0}, {0, 225. / 256, 0, -169. / 64, 0, 1},
	}
	winogradG = [][]float64{
		{256. / 225, 0, 0}, {-2048. / 2975, -256. / 595, -32. / 119}, {-2048. / 2975, 256. / 595, -32. / 119},
		{128. / 1071, 64. / 357, 32. / 119}, {128. / 1071, -64. / 357, 32. / 119}, {0, 0, 1},
	}
	winogradA = [][]float64{
		{1, 1, 1, 1, 1, 0}, {0, 5. / 8, -5. / 8, 3. / 2, -3. / 2, 0}, {0, 25. / 64, 25. / 64, 9. / 4, 9. / 4, 0}, {0, 125. / 512, -125. / 512, 27. / 8, -27. / 8, 1},
	}
)

// sandwich returns element (i, j) of m·x·m', and the sum of its terms' sizes.
func sandwich(m [][]float64, i, j int, x func(r, c int) float32) (sum, size float64) {
	for r, a := range m[i] {
		for c, b := range m[j] {
			v := a * b * float64(x(r, c))
			sum, size = sum+v, size+math.Abs(v)
		}
	}
	return sum, size
}

func near(t *testing.T, what string, got float32, want, size float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 16*0x1p-24*size {
		t.Fatalf("%s = %v, want %v", what, got, want)
	}
}

func TestWinograd(t *testing.T) { eachTileLevel(t, testWinograd) }

func testWinograd(t *testing.T) {
	if !HasWinograd() {
		t.Skip("no assembly")
	}
	rng := rand.New(rand.NewPCG(71, 72))
	for range 300 {
		w := &Winograd{Channels: 1 + rng.IntN(3), H: 1 + rng.IntN(9), W: 1 + rng.IntN(70), Tiles: 1 + rng.IntN(WinogradTiles()), Pitch: 16 + rng.IntN(20)}
		w.Step = w.Channels*w.Pitch + rng.IntN(20)
		atEnd := rng.IntN(2) == 0
		w.Planes = guarded.Copy(t, random[float32](rng, w.Channels*w.H*w.W), atEnd)
		w.Matrices = guarded.Slice[float32](t, 35*w.Step+(w.Channels-1)*w.Pitch+Lanes[float32](), atEnd)
		w.Scratch = guarded.Slice[float32](t, WinogradScratch, atEnd)
		testWinogradIn(t, rng, w)
		testWinogradOut(t, rng, w)
		testWinogradWeights(t, rng, atEnd)
	}
}

func testWinogradIn(t *testing.T, rng *rand.Rand, w *Winograd) {
	w.Line, w.Column = rng.IntN(w.H+2)-2, rng.IntN(w.W+2)-2
	w.In()
	for c := range w.Channels {
		for tile := range w.Tiles {
			for p := range WinogradMatrix {
				want, size := sandwich(winogradB, p/6, p%6, func(r, q int) float32 {
					h, at := w.Line+r, w.Column+4*tile+q
					if h < 0 || h >= w.H || at < 0 || at >= w.W {
						return 0
					}
					return w.Planes[(c*w.H+h)*w.W+at]
				})
				near(t, "an element of B'·x·B", w.Matrices[p*w.Step+c*w.Pitch+tile], want, size)
			}
		}
	}
}

func testWinogradOut(t *testing.T, rng *rand.Rand, w *Winograd) {
	w.Line, w.Column = rng.IntN(w.H), rng.IntN(w.W)
	copy(w.Matrices, random[float32](rng, len(w.Matrices)))
	if rng.IntN(2) == 0 {
		w.Bias = random[float32](rng, w.Channels)
	}
	before := append([]float32(nil), w.Planes...)
	w.Out()
	for i, got := range w.Planes {
		c, h, at := i/(w.H*w.W), i/w.W%w.H-w.Line, i%w.W-w.Column
		if h < 0 || h >= 4 || at < 0 || at >= 4*w.Tiles {
			near(t, "an element beside the tiles", got, float64(before[i]), 0)
			continue
		}
		want, size := sandwich(winogradA, h, at%4, func(r, q int) float32 { return w.Matrices[(6*r+q)*w.Step+c*w.Pitch+at/4] })
		if w.Bias != nil {
			want, size = want+float64(w.Bias[c]), size+math.Abs(float64(w.Bias[c]))
		}
		near(t, "an element of A'·m·A", got, want, size)
	}
}

func testWinogradWeights(t *testing.T, rng *rand.Rand, atEnd bool) {
	channels, outputs := 1+rng.IntN(3), 1+rng.IntN(Lanes[float32]())
	step := channels*outputs + rng.IntN(9)
	src := guarded.Copy(t, random[float32](rng, channels*9*WinogradOutputs), atEnd)
	dst := guarded.Slice[float32](t, 35*step+channels*outputs, atEnd)
	WinogradWeights(dst, step, src, channels, outputs)
	for c := range channels {
		for k := range outputs {
			for p := range WinogradMatrix {
				want, size := sandwich(winogradG, p/6, p%6, func(r, q int) float32 { return src[(9*c+3*r+q)*WinogradOutputs+k] })
				near(t, "an element of G·w·G'", dst[p*step+c*outputs+k], want, size)
			}
		}
	}
}
