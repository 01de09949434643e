package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// fastBounds returns the bound that FastConv's documentation states for each element of a result, before the bias is added.
func fastBounds(s *ConvShape, x, w []float32) []float64 {
	bounds := make([]float64, s.N*s.K*s.OH*s.OW)
	weights := make([]float64, s.K*s.C)
	for i, v := range w {
		weights[i/9] += math.Abs(float64(v))
	}
	largest := make([]float64, s.C) // of the tile
	for n := range s.N {
		for h := 0; h < s.OH; h += 4 {
			for j := 0; j < s.OW; j += 4 {
				for c := range s.C {
					largest[c] = s.largest(x[(n*s.C+c)*s.H*s.W:], h-s.PadH, j-s.PadW)
				}
				for k := range s.K {
					sum := 0.
					for c, v := range largest {
						sum += v * weights[k*s.C+c]
					}
					for i := range 16 {
						if oh, ow := h+i/4, j+i%4; oh < s.OH && ow < s.OW {
							bounds[((n*s.K+k)*s.OH+oh)*s.OW+ow] = 180 * float64(s.C+32) * 0x1p-24 * sum
						}
					}
				}
			}
		}
	}
	return bounds
}

// largest returns the largest size of 6x6 elements of a plane.
func (s *ConvShape) largest(plane []float32, h, w int) (v float64) {
	for i := max(h, 0); i < min(h+6, s.H); i++ {
		for j := max(w, 0); j < min(w+6, s.W); j++ {
			v = max(v, math.Abs(float64(plane[i*s.W+j])))
		}
	}
	return v
}

var fastShapes = []ConvShape{
	{3, 16, 14, 14, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, true},
	{2, 17, 20, 23, 19, 3, 3, 1, 1, 0, 2, 1, 1, 1, 0, 0, true},
	{1, 16, 3, 250, 31, 3, 3, 1, 1, 2, 1, 1, 1, 1, 0, 0, true},
	{32, 20, 4, 4, 17, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, true},
	{8, 520, 5, 5, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, true},
	{1, 16, 6, 65, 64, 3, 3, 1, 1, 1, 2, 1, 1, 1, 0, 0, true},
}

// An element of a fast convolution is off by no more than is documented, also where neighbours differ in size.
func TestFastConvKeepsItsBound(t *testing.T) { eachLevel(t, testFastConvs) }

func testFastConvs(t *testing.T) {
	if !vec.HasWinograd() {
		t.Skip("no assembly")
	}
	for _, shape := range fastShapes {
		s := shape.withOutput()
		if !s.winograd() {
			t.Fatalf("%+v is not computed so", *s)
		}
		for _, spread := range []float64{0, 8} {
			t.Run(fmt.Sprintf("%+v/%v", *s, spread), func(t *testing.T) { testFastConv(t, s, spread) })
		}
	}
}

func testFastConv(t *testing.T, s *ConvShape, spread float64) {
	rnd := rand.New(rand.NewPCG(1, 2))
	x, w, bias := fill(rnd, make([]float32, s.N*s.C*s.H*s.W)), fill(rnd, make([]float32, s.K*s.C*9)), fill(rnd, make([]float32, s.K))
	for i := range x {
		x[i] *= float32(math.Exp(spread * rnd.NormFloat64()))
	}
	y := fill(rnd, make([]float32, s.N*s.K*s.OH*s.OW))
	if err := Conv2D(s, x, w, nil, op.Invalid, y); err != nil {
		t.Fatal(err)
	}
	want, bounds := make([]float64, len(y)), fastBounds(s, x, w)
	s.eachTap(func(iy, ix, iw int) { want[iy] += float64(x[ix]) * float64(w[iw]) })
	for i, v := range y {
		if diff := math.Abs(float64(v) - want[i]); !(diff <= bounds[i]) {
			t.Fatalf("y[%d] = %v, want %v ± %v", i, v, want[i], bounds[i])
		}
	}
	biased := slices.Clone(y)
	for i := range biased {
		biased[i] = max(biased[i]+bias[i/(s.OH*s.OW)%s.K], 0)
	}
	if err := Conv2D(s, x, w, bias, op.ReLU, y); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(y, biased) {
		t.Error("bias and ReLU are not those of what was computed without")
	}
}

// The gradient for the input is a fast convolution too, that for the weights is the ordinary one.
func TestFastConvGradients(t *testing.T) {
	fast := ConvShape{3, 16, 14, 15, 18, 3, 3, 1, 1, 1, 0, 1, 1, 1, 0, 0, true}.withOutput()
	plain := *fast
	plain.Fast = false
	rnd := rand.New(rand.NewPCG(1, 2))
	x, w, dy := fill(rnd, make([]float32, fast.N*fast.C*fast.H*fast.W)), fill(rnd, make([]float32, fast.K*fast.C*9)), fill(rnd, make([]float32, fast.N*fast.K*fast.OH*fast.OW))
	everyLevel(t, func(t *testing.T) {
		var dx, dw [2][]float32
		for i, s := range []*ConvShape{&plain, fast} {
			dx[i], dw[i] = make([]float32, len(x)), make([]float32, len(w))
			if err := Conv2DGradInput(s, dy, w, nil, dx[i]); err != nil {
				t.Fatal(err)
			}
			if err := Conv2DGradWeight(s, x, dy, dw[i]); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(dw[0], dw[1]) {
			t.Error("the gradients for the weights differ")
		}
		if same := slices.Equal(dx[0], dx[1]); same == vec.HasWinograd() {
			t.Errorf("the gradients for the input are the same: %v", same)
		}
		for i, v := range dx[0] {
			if math.Abs(float64(v-dx[1][i])) > 1e-4 {
				t.Fatalf("dx[%d] = %v, without FastConv %v", i, dx[1][i], v)
			}
		}
	})
}

// Where the conditions do not hold, nothing changes.
func TestFastConvElsewhere(t *testing.T) {
	if !vec.HasWinograd() {
		t.Skip("no assembly")
	}
	usual := ConvShape{4, 16, 14, 14, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, true}
	for name, change := range map[string]func(s *ConvShape){
		"few channels": func(s *ConvShape) { s.C = 15 }, "few outputs": func(s *ConvShape) { s.K = 15 },
		"strides": func(s *ConvShape) { s.StrideW = 2 }, "dilation": func(s *ConvShape) { s.DilationH = 2 }, "groups": func(s *ConvShape) { s.Groups = 2 },
		"window": func(s *ConvShape) { s.S = 5 }, "padding": func(s *ConvShape) { s.PadW = 3 }, "few pixels": func(s *ConvShape) { s.H = 3 },
		"few tiles": func(s *ConvShape) { s.N = 1 }, "not asked for": func(s *ConvShape) { s.Fast = false },
	} {
		s := usual
		if change(&s); s.withOutput().winograd() || !usual.withOutput().winograd() {
			t.Errorf("%s: computed by Winograd's algorithm", name)
		}
	}
}
