package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/internal/kern/guarded"
	"cresset/internal/kern/vec"
	"cresset/internal/mem"
)

// everyQuantLevel is everyLevel with those that have kernels for quantized weights alone.
func everyQuantLevel(t *testing.T, f func(t *testing.T)) {
	everyLevel(t, f)
	defer vec.Use(vec.Current())
	for _, l := range []vec.Level{vec.AMX, vec.AVXVNNI, vec.NEONDot} {
		if slices.Contains(vec.Available(), l) {
			vec.Use(l)
			t.Run(l.String(), f)
		}
	}
}

func newFixed(m, k, digits int) Fixed {
	return NewFixed(m, k, digits, mem.Wrap(make([]float64, FixedBytes(m, k, digits)/8+1)))
}

// fixedRows returns m rows of k random numbers, the first of them 0, and what they are as whole numbers.
func fixedRows(t *testing.T, rnd *rand.Rand, m, k, digits int, atEnd bool) ([]float32, Fixed) {
	x := randomFloats(rnd, m*k)
	f := newFixed(m, k, digits)
	f.X = guarded.Slice[int8](t, len(f.X), atEnd)
	for i := range m {
		if i == 0 {
			clear(x[:k])
		}
		f.Set(i, x[i*k:][:k])
	}
	return x, f
}

func randomInt8(rnd *rand.Rand, n int) []int8 {
	w := make([]int8, n)
	for i := range w {
		w[i] = int8(rnd.IntN(256) - 128)
	}
	return w
}

func randomFloats(rnd *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rnd.NormFloat64())
	}
	return x
}

// TestInt8LinearIsTheDotProduct compares with float64, and the bits of each level with those of the loop in Go. A weight begins or ends at a page that must not be touched.
func TestInt8LinearIsTheDotProduct(t *testing.T) {
	bits := map[string][]float32{}
	everyQuantLevel(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(31, 32))
		for _, s := range []struct{ m, n, k int }{{2, 1, 1}, {2, 4, 64}, {3, 5, 63}, {2, 7, 65}, {3, 9, 128}, {8, 6, 200}, {2, 3, 1030}, {2, 130, 1}, {2, 2, 0}, {2, 3, 1<<16 + 70},
			{4, 15, 64}, {5, 130, 70}, {16, 33, 64}, {17, 65, 70}, {40, 16, 200}, {33, 50, 1100}, {18, 130, 66}} {
			for _, digits := range []int{1, 3} {
				for _, biased := range []bool{false, true} {
					name := fmt.Sprintf("%dx%dx%d, %d digits, bias %v", s.m, s.n, s.k, digits, biased)
					x, fixed := fixedRows(t, rnd, s.m, s.k, digits, !biased)
					p := Int8Linear{X: fixed, N: s.n, W: guarded.Copy(t, randomInt8(rnd, s.n*s.k), !biased), Scale: randomFloats(rnd, s.n), Y: make([]float32, s.m*s.n)}
					if biased {
						p.Bias = randomFloats(rnd, s.n)
					}
					p.Run()
					p.check(t, name, x)
					if want, seen := bits[name]; seen {
						compareLevels(t, name, p.Y, want)
					}
					bits[name] = p.Y
				}
			}
		}
	})
}

// check compares with products in float64, which may differ by what a number of x is rounded by, and by roundings of the result.
func (p *Int8Linear) check(t *testing.T, name string, x []float32) {
	t.Helper()
	k := p.X.K
	for i := range p.X.M {
		for j := range p.N {
			var want, weights float64
			for l := range k {
				w := float64(p.W[j*k+l]) * float64(p.Scale[j])
				want, weights = want+float64(x[i*k+l])*w, weights+math.Abs(w)
			}
			bound := weights*p.X.Step[i]/2*(1+0x1p-20) + 0x1p-23*math.Abs(want)
			if p.Bias != nil {
				want += float64(p.Bias[j])
				bound += 0x1p-23 * math.Abs(want)
			}
			if got := float64(p.Y[i*p.N+j]); !(math.Abs(got-want) <= bound) {
				t.Fatalf("%s: y[%d,%d] is %v, want %v within %v", name, i, j, got, want, bound)
			}
		}
	}
}

// compareLevels wants the bits of another level.
func compareLevels(t *testing.T, name string, got, want []float32) {
	t.Helper()
	for i := range want {
		if !sameBits(got[i], want[i]) {
			t.Fatalf("%s: element %d is %v, at another level %v", name, i, got[i], want[i])
		}
	}
}

// TestFixedNumbersAreTheNearest holds digits of rows of all sizes to the numbers that they stand for.
func TestFixedNumbersAreTheNearest(t *testing.T) {
	everyQuantLevel(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(33, 34))
		for _, exponent := range []int{-149, -126, -100, -20, 0, 60, 127} {
			for _, digits := range []int{1, 3} {
				for k := 1; k <= 130; k++ {
					x := randomFloats(rnd, k)
					for l := range x {
						x[l] = float32(math.Ldexp(float64(x[l])/8, exponent))
					}
					f := newFixed(1, k, digits)
					for l := range f.X {
						f.X[l] = 77 // which Set has to write over
					}
					f.Set(0, x)
					for l, v := range x {
						var n float64
						for d := digits - 1; d >= 0; d-- {
							n = 256*n + float64(f.X[d*FixedRow(k)+fixedPlace(k, l)])
						}
						if got := n * f.Step[0]; !(math.Abs(got-float64(v)) <= f.Step[0]/2*(1+0x1p-16)) {
							t.Fatalf("%d digits, 2**%d: %v became %v, by steps of %v", digits, exponent, v, got, f.Step[0])
						}
					}
					for l := k / 64 * 64; l < fixedPlace(k, k/64*64) && k%64 > 0; l++ {
						if f.X[l] != 0 {
							t.Fatalf("%d digits of %d numbers: %d before the last", digits, k, f.X[l])
						}
					}
				}
			}
		}
	})
}

// TestFixedRowsThatAreNotFinite give NaN.
func TestFixedRowsThatAreNotFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		f := newFixed(1, 3, 3)
		f.Set(0, []float32{1, float32(v), 2})
		if !math.IsNaN(f.Step[0]) {
			t.Errorf("a row with %v has the step %v, want NaN", v, f.Step[0])
		}
	}
}
