package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

func needAMX(t *testing.T) {
	t.Helper()
	if !vec.HasAMX() {
		t.Skip("this machine, at this level, has no AMX")
	}
}

// flushed is what AMX takes a float32 for: zero of the same sign where it is subnormal.
func flushed(x float32) float32 {
	if math.Abs(float64(x)) < 0x1p-126 {
		return float32(math.Copysign(0, float64(x)))
	}
	return x
}

// amxStep is what TDPBF16PS adds to a sum for 32 elements of a row of A and a column of B.
func amxStep(sum float32, a, b []dtype.BF16) float32 {
	var parts [2]float32
	for l := range a {
		x, y := flushed(a[l].Float32()), flushed(b[l].Float32())
		parts[l%2] = flushed(fma32(float64(x)*float64(y), float64(parts[l%2])))
	}
	return flushed(flushed(sum) + flushed(parts[0]+parts[1]))
}

// TestAMXRoundsAsDocumented holds the processor to Intel's description of TDPBF16PS, bit by bit, on ordinary numbers, on bit patterns from everywhere, and on
// numbers whose products are about the least normal one.
func TestAMXRoundsAsDocumented(t *testing.T) {
	needAMX(t)
	rng := rand.New(rand.NewPCG(17, 18))
	for name, number := range map[string]func() float32{
		"ordinary": func() float32 { return float32(rng.NormFloat64()) },
		"any bits": func() float32 { return math.Float32frombits(rng.Uint32()) },
		"small":    func() float32 { return float32(rng.NormFloat64() * math.Exp2(float64(rng.IntN(8)-66))) },
		"least":    func() float32 { return float32(rng.NormFloat64() * math.Exp2(float64(rng.IntN(126)-126))) },
	} {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				a, b, from := amxOperands(number)
				sums := make([]float32, vec.AMXRows*vec.AMXCols)
				tile := vec.AMXTile{Rows: vec.AMXRows, K: 1, A: a, RowA: vec.AMXSteps, ColA: vec.AMXSteps, B: pairsOf(b), From: from, RowFrom: vec.AMXCols, Sums: sums, Count: 1}
				tile.RunSums()
				for at, got := range sums {
					i, j := at/vec.AMXCols, at%vec.AMXCols
					want := amxStep(from[at], a[i*vec.AMXSteps:][:vec.AMXSteps], b[j*vec.AMXSteps:][:vec.AMXSteps])
					if math.Float32bits(got) != math.Float32bits(want) && !(got != got && want != want) {
						t.Fatalf("element %d, %d is %v (%#x), want %v (%#x)", i, j, got, math.Float32bits(got), want, math.Float32bits(want))
					}
				}
			}
		})
	}
}

// amxOperands returns rows of A, columns of B and what the sums start from.
func amxOperands(number func() float32) (a, b []dtype.BF16, from []float32) {
	a, b, from = make([]dtype.BF16, vec.AMXRows*vec.AMXSteps), make([]dtype.BF16, vec.AMXCols*vec.AMXSteps), make([]float32, vec.AMXRows*vec.AMXCols)
	for i := range a {
		a[i], b[i], from[i] = dtype.ToBF16(number()), dtype.ToBF16(number()), number()
	}
	return a, b, from
}

// pairsOf returns a panel of columns of so many elements.
func pairsOf(b []dtype.BF16) []float32 {
	panel := make([]float32, len(b)/2)
	for j := range vec.AMXCols {
		for l := 0; l < vec.AMXSteps; l += 2 {
			panel[l/2*vec.AMXCols+j] = math.Float32frombits(uint32(b[j*vec.AMXSteps+l]) | uint32(b[j*vec.AMXSteps+l+1])<<16)
		}
	}
	return panel
}

// TestAMXKeepsToFloat64 bounds what a product is off, at sizes that are no multiple of anything: k roundings of float32 for each sum, and one of the result.
func TestAMXKeepsToFloat64(t *testing.T) {
	needAMX(t)
	rng := rand.New(rand.NewPCG(19, 20))
	for _, s := range []struct{ m, n, k int }{{1, 16, 32}, {2, 17, 33}, {33, 31, 63}, {40, 70, 545}, {65, 33, 1025}, {3, 1030, 34}} {
		for la := range layouts {
			for lb := range layouts {
				t.Run(fmt.Sprintf("%dx%dx%d/%s/%s", s.m, s.n, s.k, layouts[la].name, layouts[lb].name), func(t *testing.T) {
					a, b := halves(randomMatrix[float32](rng, s.m, s.k, la)), halves(randomMatrix[float32](rng, s.k, s.n, lb))
					got := make([]dtype.BF16, s.m*s.n)
					if !GemmBF16(s.m, s.n, s.k, a, b, nil, got, s.n) {
						t.Fatal("was not computed")
					}
					for at, h := range got {
						want, size := dotOf(a, b, at/s.n, at%s.n, s.k)
						tol := (float64(s.k)/2+3)*0x1p-24*size + 0x1p-8*math.Abs(want)
						if diff := math.Abs(float64(h.Float32()) - want); !(diff <= tol) {
							t.Fatalf("C[%d, %d] = %v, want %v ± %v", at/s.n, at%s.n, h.Float32(), want, tol)
						}
					}
				})
			}
		}
	}
}

// TestAMXPiecesFitTheirScratch multiplies so long rows that a scratch bounds those of a piece, which are whole tiles. Several threads would have smaller pieces.
func TestAMXPiecesFitTheirScratch(t *testing.T) {
	needAMX(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const m, n, k = 246, 16, 34000
	ones := slices.Repeat([]dtype.BF16{0x3f80}, m*k)
	got := make([]dtype.BF16, m*n)
	if !GemmBF16(m, n, k, Matrix[dtype.BF16]{ones, k, 1}, Matrix[dtype.BF16]{ones, n, 1}, nil, got, n) {
		t.Fatal("was not computed")
	}
	if want := slices.Repeat([]dtype.BF16{dtype.ToBF16(k)}, m*n); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// dotOf returns an element of a product in float64, and the sum of the products' sizes.
func dotOf(a, b Matrix[dtype.BF16], i, j, k int) (sum, size float64) {
	for l := range k {
		v := float64(a.Data[i*a.Row+l*a.Col].Float32()) * float64(b.Data[l*b.Row+j*b.Col].Float32())
		sum += v
		size += math.Abs(v)
	}
	return sum, size
}

// TestGemmRounded judges products of rounded float32, with a bias and ReLU too, by float64 products of the rounded operands.
func TestGemmRounded(t *testing.T) {
	needAMX(t)
	rng := rand.New(rand.NewPCG(23, 24))
	for n, s := range []struct{ m, n, k int }{{32, 16, 32}, {33, 47, 65}, {70, 33, 545}, {64, 1030, 40}} {
		for la := range layouts {
			for lb := range layouts {
				a, b, ldc := randomMatrix[float32](rng, s.m, s.k, la), randomMatrix[float32](rng, s.k, s.n, lb), s.n+n
				x, y := halves(a), halves(b)
				var bias []float32
				then := op.Invalid
				if (la+lb)%2 == 0 {
					bias, then = randomMatrix[float32](rng, 1, s.n, 0).Data, op.ReLU
				}
				got := make([]float32, s.m*ldc)
				GemmRounded(s.m, s.n, s.k, a, b, bias, 0, then, got, ldc)
				for at, v := range got {
					i, j := at/ldc, at%ldc
					if j >= s.n {
						if v != 0 {
							t.Fatalf("wrote between the rows of C, at %d", at)
						}
						continue
					}
					want, size := dotOf(x, y, i, j, s.k)
					if bias != nil {
						want = max(want+float64(bias[j]), 0)
					}
					if diff, tol := math.Abs(float64(v)-want), (float64(s.k)/2+4)*0x1p-24*(size+math.Abs(want)); !(diff <= tol) {
						t.Fatalf("%v, %s, %s: C[%d, %d] = %v, want %v ± %v", s, layouts[la].name, layouts[lb].name, i, j, v, want, tol)
					}
				}
			}
		}
	}
}

// TestAMXTurnedHasTheSameBits: whether B's columns are read as rows or packed depends on how many rows A has, and must not be seen.
func TestAMXTurnedHasTheSameBits(t *testing.T) {
	needAMX(t)
	rng := rand.New(rand.NewPCG(25, 26))
	for _, s := range []struct{ m, n, k int }{{1, 40, 64}, {3, 33, 96}, {31, 290, 545}, {40, 64, 600}, {128, 130, 1056}} {
		a, b := halves(randomMatrix[float32](rng, s.m, s.k, 0)), halves(randomMatrix[float32](rng, s.k, s.n, 1))
		bias := randomMatrix[float32](rng, 1, ceilDiv(s.n, vec.AMXCols)*vec.AMXCols, 0).Data
		for _, start := range [][]float32{nil, bias} {
			want, got := make([]dtype.BF16, s.m*s.n), make([]dtype.BF16, s.m*s.n)
			packed := amxProduct[dtype.BF16]{m: s.m, n: s.n, k: s.k, a: a, b: b, start: start, c: want, ldc: s.n}
			turned := packed
			turned.c = got
			if turned.turn(); !turned.turned {
				t.Fatalf("%v is not turned", s)
			}
			packed.run(inline)
			turned.run(inline)
			if !slices.Equal(got, want) {
				t.Errorf("%v with a bias %v differs", s, start != nil)
			}
		}
	}
}
