package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"cresset/internal/kern/guarded"
	"cresset/internal/mem"
)

func randomWords(rnd *rand.Rand, n int) []int32 {
	w := make([]int32, n)
	for i := range w {
		w[i] = int32(rnd.Uint32())
	}
	return w
}

func fixedPairs(m, k, group int) FixedPairs {
	return NewFixedPairs(m, k, group, mem.Wrap(make([]float64, FixedPairsBytes(m, k, group)/8+1)))
}

// TestInt4LinearIsTheDotProduct compares with float64, and the bits of each level with those of the loop in Go. Operands begin or end at pages that must not be touched.
func TestInt4LinearIsTheDotProduct(t *testing.T) {
	bits := map[string][]float32{}
	everyQuantLevel(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(35, 36))
		for _, s := range []struct{ m, n, k, group int }{
			{2, 1, 32, 32}, {2, 4, 128, 32}, {3, 13, 160, 32}, {2, 8, 544, 32}, {2, 9, 64, 64}, {2, 5, 192, 64}, {2, 3, 128, 128}, {1, 11, 2176, 128}, {2, 4, 0, 32}, {1, 4, 640, 32}, {4, 3, 64, 32},
			{4, 4, 32, 32}, {4, 9, 128, 32}, {5, 13, 160, 32}, {9, 8, 544, 32}, {6, 10, 640, 32}, {4, 9, 64, 64}, {7, 22, 192, 64}, {4, 12, 1024, 64}, {8, 6, 128, 128}, {5, 11, 2176, 128}, {4, 4, 0, 32},
			{4, 37, 11008, 128},
		} {
			for _, zeros := range []bool{false, true} {
				name := fmt.Sprintf("%dx%dx%d, groups of %d, zero points %v", s.m, s.n, s.k, s.group, zeros)
				x := randomFloats(rnd, s.m*s.k)
				fixed := fixedPairs(s.m, s.k, s.group)
				fixed.X = guarded.Slice[int8](t, len(fixed.X), zeros)
				for i := range s.m {
					fixed.Set(i, x[i*s.k:][:s.k])
				}
				p := Int4Linear{X: fixed, N: s.n, W: guarded.Copy(t, randomWords(rnd, s.n*s.k/8), !zeros),
					Scale: guarded.Copy(t, randomFloats(rnd, s.n*s.k/s.group), zeros), Y: make([]float32, s.m*s.n)}
				if zeros {
					p.Zero, p.Bias = guarded.Copy(t, randomWords(rnd, (s.n+7)/8*s.k/s.group), zeros), randomFloats(rnd, s.n)
				}
				p.Run()
				p.check(t, name, x)
				if want, seen := bits[name]; seen {
					compareLevels(t, name, p.Y, want)
				}
				bits[name] = p.Y
			}
		}
	})
}

// check compares with products in float64, which may differ by what numbers of x and sums are rounded by.
func (p *Int4Linear) check(t *testing.T, name string, x []float32) {
	t.Helper()
	k, group := p.X.K, p.X.Group
	for i := range p.X.M {
		for j := range p.N {
			var want, weights, size float64
			for l := range k {
				at, zero := j*k+l, 8.
				if p.Zero != nil {
					zero = float64(uint32(p.Zero[j/8*k/group+l/group]) >> (4 * (j % 8)) & 15)
				}
				w := (float64(uint32(p.W[at/8])>>(4*(at%8))&15) - zero) * float64(p.Scale[at/group])
				v := float64(x[i*k+l])
				want, weights = want+v*w, weights+math.Abs(w)
				size += math.Abs(v) * 23 * math.Abs(float64(p.Scale[at/group])) // sums have weights less 8, and zero points
			}
			bound := weights*p.X.Step[i]/2*(1+0x1p-20) + (float64(k)/64+12)*0x1p-24*size
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

// TestFixedPairsAreTheNearest holds digits and sums to the numbers that they stand for.
func TestFixedPairsAreTheNearest(t *testing.T) {
	everyQuantLevel(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(37, 38))
		for k := 32; k <= 320; k += 32 {
			x := randomFloats(rnd, k)
			f := fixedPairs(1, k, 32)
			for i := range f.X {
				f.X[i] = 77 // which Set has to write over
			}
			f.Set(0, x)
			for l := range FixedPairsLen(k) / 3 {
				var want float64
				if l < k {
					want = float64(x[l])
				}
				if got := float64(f.number(0, l)) * f.Step[0]; !(math.Abs(got-want) <= f.Step[0]/2) {
					t.Fatalf("number %d of %d is %v, want %v, by steps of %v", l, k, got, want, f.Step[0])
				}
			}
			for lane, got := range f.Eights {
				var want int32
				for l := range 8 {
					want += 8 * f.number(0, 8*lane+l)
				}
				if got != want {
					t.Fatalf("8 times the sum %d of %d is %d, want %d", lane, k, got, want)
				}
			}
			for g := range k / 32 {
				var want int32
				for l := range 32 {
					want += f.number(0, 32*g+l)
				}
				if f.Sums[g] != float32(want) {
					t.Fatalf("the sum of group %d of %d is %v, want %d", g, k, f.Sums[g], want)
				}
			}
		}
		f := fixedPairs(1, 32, 32)
		x := make([]float32, 32)
		x[5] = float32(math.Inf(1))
		f.Set(0, x)
		if !math.IsNaN(f.Step[0]) {
			t.Errorf("a row with ∞ has the step %v, want NaN", f.Step[0])
		}
	})
}
