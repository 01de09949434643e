package kern

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"
)

// gammaLeast are the magnitudes below which, left of 0, the error near the zeros of a function is measured by that magnitude's last place.
var gammaLeast = map[string]float64{"Lgamma": 1. / 4, "Digamma": 1}

// ulpsOf is ulps of a function's result.
func ulpsOf(name string, x, got float32, want float64) float64 {
	if least := gammaLeast[name]; x < 0 && math.Abs(want) < least {
		return math.Abs(float64(got)-want) / (least * 0x1p-23)
	}
	return ulps(got, want)
}

// inDouble is the function of float64, which judges that of float32: series judge it in turn.
func inDouble(f func(dst, src []float64)) func(float64) float64 {
	return func(x float64) float64 {
		y := []float64{x}
		f(y, y)
		return y[0]
	}
}

// bigBernoulli are Bernoulli's numbers B(0) to B(48), by Akiyama and Tanigawa.
var bigBernoulli = sync.OnceValue(func() (all []*big.Float) {
	row := make([]*big.Rat, 49)
	for m := range row {
		row[m] = big.NewRat(1, int64(m+1))
		for j := m; j > 0; j-- {
			row[j-1] = new(big.Rat).Mul(big.NewRat(int64(j), 1), new(big.Rat).Sub(row[j-1], row[j]))
		}
		all = append(all, new(big.Float).SetPrec(bigPrec).SetRat(row[0]))
	}
	return all
})

// stirling is Σ B(2k)·weight(2k)/y**(2k+power) for k > 0, of which the first term left out is less than 2**-180 for y ≥ 40.
func stirling(y *big.Float, power int, weight func(n float64) float64) *big.Float {
	sum, inverse := bigOf(0), bigDiv(bigOf(1), y)
	at := bigOf(1)
	for range 2 + power {
		at = bigMul(at, inverse)
	}
	for n := 2; n <= 48; n += 2 {
		sum = bigAdd(sum, bigMul(bigMul(bigBernoulli()[n], at), bigDiv(bigOf(1), bigOf(weight(float64(n))))))
		at = bigMul(at, bigMul(inverse, inverse))
	}
	return sum
}

// climb calls step with x, x+1 and so on until 40, and returns where it came to.
func climb(x *big.Float, step func(y *big.Float)) *big.Float {
	for x.Cmp(bigOf(40)) < 0 {
		step(x)
		x = bigAdd(x, bigOf(1))
	}
	return x
}

func bigLgamma(x *big.Float) *big.Float {
	product := bigOf(1)
	y := climb(x, func(y *big.Float) { product = bigMul(product, y) })
	sum := bigSub(bigMul(bigSub(y, bigOf(0.5)), bigLog(y)), y)
	sum = bigAdd(sum, bigDiv(bigLog(bigMul(bigOf(2), bigPi())), bigOf(2)))
	sum = bigAdd(sum, stirling(y, -1, func(n float64) float64 { return n * (n - 1) }))
	return bigSub(sum, bigLog(product.Abs(product)))
}

func bigDigamma(x *big.Float) *big.Float {
	sum := bigOf(0)
	y := climb(x, func(y *big.Float) { sum = bigSub(sum, bigDiv(bigOf(1), y)) })
	sum = bigAdd(sum, bigSub(bigLog(y), bigDiv(bigOf(0.5), y)))
	return bigSub(sum, stirling(y, 0, func(n float64) float64 { return n }))
}

func bigTrigamma(x *big.Float) *big.Float {
	sum := bigOf(0)
	y := climb(x, func(y *big.Float) { sum = bigAdd(sum, bigDiv(bigOf(1), bigMul(y, y))) })
	sum = bigAdd(sum, bigAdd(bigDiv(bigOf(1), y), bigDiv(bigOf(0.5), bigMul(y, y))))
	return bigAdd(sum, stirling(y, 1, func(float64) float64 { return 1 }))
}

func TestGamma64ULP(t *testing.T) {
	for _, c := range []struct {
		name      string
		fn        func(dst, src []float64)
		reference func(x *big.Float) *big.Float
		ranges    [][2]float64
	}{
		{"Lgamma", Lgamma[float64], bigLgamma, [][2]float64{{0, 0.5}, {0.5, 3}, {0.999, 1.001}, {1.999, 2.001}, {3, 40}, {40, 1e300}, {-2.4, 0}, {-4, -2}, {-24, -4}}},
		{"Digamma", Digamma[float64], bigDigamma, [][2]float64{{0, 0.5}, {0.5, 2}, {1.4616, 1.4617}, {2, 40}, {40, 1e300}, {-1, 0}, {-4, -1}, {-24, -4}}},
		{"Trigamma", Trigamma[float64], bigTrigamma, [][2]float64{{0, 1}, {1, 40}, {40, 1e300}, {-1, 0}, {-4, -1}, {-24, -4}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(5, 6))
			worst, at := 0.0, 0.0
			for _, r := range c.ranges {
				for range 40 * int(max(1, 20011/sampleStep(t))) {
					x := r[0] + (r[1]-r[0])*rng.Float64()
					got, want := inDouble(c.fn)(x), c.reference(bigOf(x))
					e := ulps64(got, want)
					if least := gammaLeast[c.name]; x < 0 && want.MantExp(nil) < bigOf(least).MantExp(nil) {
						off, _ := bigSub(bigOf(got), want).Float64()
						e = math.Abs(off) / (least * 0x1p-52)
					}
					if e > worst {
						worst, at = e, x
					}
				}
			}
			t.Logf("%.3f ulp at %v", worst, at)
			if worst > 2 {
				t.Errorf("%.3f ulp at %v, want at most 2", worst, at)
			}
		})
	}
}

func TestGammaSpecialValues(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for name, rows := range map[string][][2]float64{
		"Lgamma": {{0, inf}, {zero, inf}, {1, 0}, {2, 0}, {-1, inf}, {-2, inf}, {-1e30, inf}, {inf, inf}, {-inf, inf}, {nan, nan}},
		"Digamma": {{0, -inf}, {zero, inf}, {-1, nan}, {-2, nan}, {-1e30, nan}, {inf, inf}, {-inf, nan}, {nan, nan},
			{0x1p-1074, -inf}, {-0x1p-1074, inf}},
		"Trigamma": {{0, inf}, {zero, inf}, {-1, inf}, {-2, inf}, {-1e30, inf}, {inf, 0}, {-inf, nan}, {nan, nan}, {0x1p-1074, inf}, {-0x1p-1074, inf}},
	} {
		for _, row := range rows {
			if got := inDouble(doubles[name])(row[0]); !sameBits(got, row[1]) {
				t.Errorf("%s(%v) of float64: got %v, want %v", name, row[0], got, row[1])
			}
			single := []float32{float32(row[0])}
			elementary[name].slice(single, single)
			if got := float64(single[0]); !sameBits(got, row[1]) {
				t.Errorf("%s(%v) of float32: got %v, want %v", name, row[0], got, row[1])
			}
		}
	}
}
