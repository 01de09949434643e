package vec

import (
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// depthwiseCase is planes to be convolved, and how: some lines of results, bias or none, all planes of one or each of its own.
type depthwiseCase[T dtype.Float] struct {
	Window3x3
	planes, line, lines int
	one, atEnd          bool
	x, y, w, bias       []T // where y stands for dy, w for sums
}

func newDepthwiseCase[T dtype.Float](t *testing.T, rng *rand.Rand) *depthwiseCase[T] {
	c := &depthwiseCase[T]{planes: 1 + rng.IntN(3), one: rng.IntN(4) == 0, atEnd: rng.IntN(2) == 0}
	c.H, c.W, c.PadH, c.PadW, c.Stride = 1+rng.IntN(9), 1+rng.IntN(80), rng.IntN(4), rng.IntN(4), 1+rng.IntN(2)
	c.H, c.W = max(c.H, 3-2*c.PadH), max(c.W, 3-2*c.PadW)
	c.OH, c.OW = (c.H+2*c.PadH-3)/c.Stride+1, (c.W+2*c.PadW-3)/c.Stride+1
	read := c.planes
	if c.one {
		read = 1
	}
	c.x, c.w = guarded.Copy(t, random[T](rng, read*c.H*c.W), c.atEnd), guarded.Copy(t, random[T](rng, c.planes*9), c.atEnd)
	c.y = guarded.Copy(t, random[T](rng, c.planes*c.OH*c.OW), c.atEnd)
	if rng.IntN(2) == 0 {
		c.bias = guarded.Copy(t, random[T](rng, c.planes), c.atEnd)
	}
	return c
}

// some chooses some of so many lines.
func (c *depthwiseCase[T]) some(rng *rand.Rand, of int) {
	c.line = rng.IntN(of)
	c.lines = 1 + rng.IntN(of-c.line)
}

func (c *depthwiseCase[T]) biasOf(plane int) T {
	if c.bias == nil {
		return 0
	}
	return c.bias[plane]
}

// at is an element of a plane of x, or zero beyond it.
func (c *depthwiseCase[T]) at(plane, h, w int) T {
	if c.one {
		plane = 0
	}
	if h < 0 || h >= c.H || w < 0 || w >= c.W {
		return 0
	}
	return c.x[(plane*c.H+h)*c.W+w]
}

func testDepthwise[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for range 300 {
		c := newDepthwiseCase[T](t, rng)
		if !c.HasDepthwise() {
			t.Skip("no assembly")
		}
		c.some(rng, c.OH)
		want := slices.Clone(c.y)
		for p := range c.planes {
			for i := c.line; i < c.line+c.lines; i++ {
				for j := range c.OW {
					sum := c.biasOf(p)
					for k := range 9 {
						sum = fma(c.w[9*p+k], c.at(p, i*c.Stride-c.PadH+k/3, j*c.Stride-c.PadW+k%3), sum)
					}
					want[(p*c.OH+i)*c.OW+j] = sum
				}
			}
		}
		NewDepthwise[T](&c.Window3x3).Run(c.y, c.x, c.w, c.bias, c.planes, c.one, c.line, c.lines)
		if !slices.Equal(c.y, want) {
			t.Fatalf("%+v, lines %d of %d, planes %d: got %v, want %v", c.Window3x3, c.line, c.lines, c.planes, c.y, want)
		}
	}
}

func testSpread[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 64))
	for range 300 {
		c := newDepthwiseCase[T](t, rng)
		if !c.HasDepthwise() {
			t.Skip("no assembly")
		}
		if c.Stride, c.one = 2, false; c.OH > (c.H+2*c.PadH-3)/2+1 {
			continue
		}
		c.OW = (c.W+2*c.PadW-3)/2 + 1
		c.some(rng, c.H)
		dx := guarded.Copy(t, random[T](rng, c.planes*c.H*c.W), c.atEnd)
		dy := guarded.Copy(t, random[T](rng, c.planes*c.OH*c.OW), c.atEnd)
		want := slices.Clone(dx)
		for p := range c.planes {
			for h := c.line; h < c.line+c.lines; h++ {
				for w := range c.W {
					sum := c.biasOf(p)
					for k := range 9 {
						k = []int{6, 7, 8, 3, 4, 5, 0, 1, 2}[k] // the line of dy that comes first meets the last of the window
						i, j := h+c.PadH-k/3, w+c.PadW-k%3
						if i >= 0 && j >= 0 && i%2 == 0 && j%2 == 0 && i/2 < c.OH && j/2 < c.OW {
							sum = fma(c.w[9*p+k], dy[(p*c.OH+i/2)*c.OW+j/2], sum)
						}
					}
					want[(p*c.H+h)*c.W+w] = sum
				}
			}
		}
		NewSpread[T](&c.Window3x3).Run(dx, dy, c.w, c.bias, c.planes, false, c.line, c.lines)
		if !slices.Equal(dx, want) {
			t.Fatalf("%+v, lines %d of %d, planes %d: got %v, want %v", c.Window3x3, c.line, c.lines, c.planes, dx, want)
		}
	}
}

func testDepthSums[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 66))
	for range 300 {
		c := newDepthwiseCase[T](t, rng)
		if !c.HasDepthwise() {
			t.Skip("no assembly")
		}
		c.some(rng, c.OH)
		lanes := Lanes[T]()
		sums := guarded.Copy(t, random[T](rng, c.planes*DepthSums[T]()), c.atEnd)
		want := slices.Clone(sums)
		for p := range c.planes {
			for first := 0; first < c.OW; first += lanes {
				begin := first // of the vector
				if current == AVX2 && c.OW >= lanes {
					begin = min(first, c.OW-lanes)
				}
				for i := c.line; i < c.line+c.lines; i++ {
					for j := first; j < min(first+lanes, c.OW); j++ {
						for k := range 9 {
							at := &want[(9*p+k)*lanes+j-begin]
							*at = fma(c.y[(p*c.OH+i)*c.OW+j], c.at(p, i*c.Stride-c.PadH+k/3, j*c.Stride-c.PadW+k%3), *at)
						}
					}
				}
			}
		}
		NewDepthwise[T](&c.Window3x3).AddSums(sums, c.y, c.x, c.planes, c.one, c.line, c.lines)
		if !slices.Equal(sums, want) {
			t.Fatalf("%+v, lines %d of %d, planes %d: got %v, want %v", c.Window3x3, c.line, c.lines, c.planes, sums, want)
		}
	}
}

func TestDepthwise(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testDepthwise[float32])
		t.Run("float64", testDepthwise[float64])
		t.Run("spread/float32", testSpread[float32])
		t.Run("spread/float64", testSpread[float64])
		t.Run("sums/float32", testDepthSums[float32])
		t.Run("sums/float64", testDepthSums[float64])
	})
}
