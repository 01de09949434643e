package kern

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/internal/kgen/recipe"
)

// doubles are the generated functions of one float64.
var doubles = map[string]func(dst, src []float64){
	"Exp": Exp[float64], "ExpBelow": expBelowOfAll, "Expm1": Expm1[float64], "Log": Log[float64], "Log1p": Log1p[float64], "Tanh": Tanh[float64],
	"Sigmoid": Sigmoid[float64], "SiLU": SiLU[float64], "Softplus": softplusAlone[float64], "Rsqrt": Rsqrt[float64],
	"Erf": Erf[float64], "GELU": GELU[float64], "GELUSlope": geluSlope64, "GELUTanh": GELUTanh[float64], "Sin": Sin[float64], "SinNear": sin[float64], "Cos": Cos[float64], "CosNear": cos[float64],
	"Tan": Tan[float64], "TanNear": tan[float64], "Asin": Asin[float64], "Acos": Acos[float64], "Atan": Atan[float64], "Sinh": Sinh[float64], "Cosh": Cosh[float64],
	"Asinh": Asinh[float64], "Acosh": Acosh[float64], "Atanh": Atanh[float64], "Exp2": Exp2[float64], "Log2": Log2[float64], "Log10": Log10[float64], "Erfc": Erfc[float64], "Erfinv": Erfinv[float64],
	"Lgamma": Lgamma[float64], "Digamma": Digamma[float64], "Trigamma": Trigamma[float64],
}

// expBelowOfAll is ExpBelow of what it is for: numbers that are not positive.
func expBelowOfAll(dst, src []float64) {
	for i, x := range src {
		dst[i] = -math.Abs(x)
	}
	ExpBelow[float64](dst, dst)
}

// geluSlope64 is the derivative of GELU.
func geluSlope64(dst, src []float64) {
	ones := slices.Repeat([]float64{1}, len(src))
	GELUGrad(dst, ones, src)
}

// patterns64 are n numbers from everywhere, those of numbers and bit patterns that are evenly spread.
func patterns64(n int) []float64 {
	var xs []float64
	for _, x := range numbers(0) {
		xs = append(xs, float64(x))
	}
	rng := rand.New(rand.NewPCG(17, 18))
	for range n {
		xs = append(xs, math.Float64frombits(rng.Uint64()), rng.NormFloat64(), rng.NormFloat64()*300)
	}
	return xs
}

func TestGenerated64FollowsRecipe(t *testing.T) {
	for _, r := range slices.Concat(recipe.All(recipe.F64), recipe.Alone(recipe.F64), recipe.Parts(recipe.F64)) {
		t.Run(r.Name, func(t *testing.T) {
			xs := patterns64(3000)
			if f, ok := map[string]func(x, y float64) float64{"Pow": pow64, "Atan2": atan264, "Hypot": hypot64}[r.Name]; ok {
				for i, x := range xs {
					y := xs[len(xs)-1-i]
					followed(t, f(x, y), r, x, y)
				}
				return
			}
			got := make([]float64, len(xs))
			doubles[r.Name](got, xs)
			for i, x := range xs {
				if r.Name == "ExpBelow" {
					x = -math.Abs(x)
				}
				followed(t, got[i], r, x)
			}
		})
	}
}

func TestElementary64SpecialValues(t *testing.T) {
	inf, nan, zero, least := math.Inf(1), math.NaN(), math.Copysign(0, -1), 0x1p-1074
	for name, rows := range map[string][][2]float64{
		"Exp":       {{0, 1}, {zero, 1}, {inf, inf}, {-inf, 0}, {nan, nan}, {709.79, inf}, {1e300, inf}, {-746, 0}, {-745, least}, {-1e300, 0}},
		"ExpBelow":  {{0, 1}, {zero, 1}, {-inf, 0}, {nan, nan}, {-746, 0}, {-745, least}, {-1e300, 0}},
		"Expm1":     {{0, 0}, {zero, zero}, {inf, inf}, {-inf, -1}, {nan, nan}, {least, least}, {-50, -1}, {-1e300, -1}, {709.79, inf}, {1e300, inf}},
		"Log":       {{1, 0}, {0, -inf}, {zero, -inf}, {-1, nan}, {-least, nan}, {-inf, nan}, {inf, inf}, {nan, nan}},
		"Log1p":     {{0, 0}, {zero, zero}, {-1, -inf}, {-2, nan}, {inf, inf}, {-inf, nan}, {nan, nan}, {-least, -least}},
		"Tanh":      {{0, 0}, {zero, zero}, {inf, 1}, {-inf, -1}, {nan, nan}, {least, least}, {1e300, 1}, {-20, -1}},
		"Sigmoid":   {{0, 0.5}, {zero, 0.5}, {inf, 1}, {-inf, 0}, {nan, nan}, {-745, least}, {-746, 0}, {38, 1}, {1e300, 1}, {-1e300, 0}},
		"Rsqrt":     {{0, inf}, {zero, -inf}, {inf, 0}, {-1, nan}, {-inf, nan}, {nan, nan}, {4, 0.5}},
		"SiLU":      {{0, 0}, {zero, zero}, {inf, inf}, {-inf, nan}, {nan, nan}, {-753, zero}, {-1e300, zero}, {1e300, 1e300}, {least, 0}},
		"Erf":       {{0, 0}, {zero, zero}, {inf, 1}, {-inf, -1}, {nan, nan}, {6, 1}, {-1e300, -1}, {least, least}},
		"GELU":      {{0, 0}, {zero, zero}, {inf, inf}, {-inf, nan}, {nan, nan}, {-38.6, zero}, {-1e300, zero}, {40, 40}, {1e300, 1e300}},
		"GELUSlope": {{0, 0.5}, {zero, 0.5}, {inf, nan}, {-inf, nan}, {nan, nan}, {40, 1}, {-39, zero}, {-1e300, zero}},
		"GELUTanh":  {{0, 0}, {zero, zero}, {inf, inf}, {-inf, nan}, {nan, nan}, {-22, zero}, {-1e300, zero}, {1e300, 1e300}},
		"Sin":       {{0, 0}, {zero, zero}, {inf, nan}, {-inf, nan}, {nan, nan}, {least, least}, {-0x1p-600, -0x1p-600}},
		"Cos":       {{0, 1}, {zero, 1}, {inf, nan}, {-inf, nan}, {nan, nan}, {least, 1}},
		"Softplus":  {{inf, inf}, {-inf, 0}, {nan, nan}, {-746, 0}, {-745, least}, {800, 800}, {1e300, 1e300}, {-1e300, 0}},
	} {
		for _, row := range rows {
			got := []float64{0}
			doubles[name](got, row[:1])
			if !sameBits(got[0], row[1]) {
				t.Errorf("%s(%v): got %v, want %v", name, row[0], got[0], row[1])
			}
		}
	}
}

// ulps64 is the distance of got from want in units of want's last place as a float64.
func ulps64(got float64, want *big.Float) float64 {
	if near, _ := want.Float64(); near == got {
		return 0
	}
	if math.IsInf(got, 0) || got != got {
		return math.Inf(1)
	}
	unit := new(big.Float).SetMantExp(bigOf(1), max(want.MantExp(nil)-53, -1074))
	distance, _ := bigDiv(bigSub(bigOf(got), want), unit).Float64()
	return math.Abs(distance)
}

// decimal is the exact value of a decimal number.
func decimal(s string) *big.Float {
	v, _, err := big.ParseFloat(s, 10, bigPrec, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return v
}

func bigSigmoid(x *big.Float) *big.Float {
	return bigDiv(bigOf(1), bigAdd(bigOf(1), bigExp(bigNeg(x))))
}

var elementary64 = []struct {
	name      string
	fn        func(dst, src []float64)
	reference func(x *big.Float) *big.Float
	low, high float64 // samples spread over the logarithm of |x| between these
	signs     string
	samples   int
}{
	{"exp", Exp[float64], bigExp, 1e-10, 700, "+-", 80},
	{"exp below", ExpBelow[float64], bigExp, 1e-10, 745, "-", 80},
	{"exp subnormal", Exp[float64], bigExp, 708, 745, "-", 40},
	{"exp to the largest", Exp[float64], bigExp, 700, 709.79, "+", 20},
	{"expm1 to -1", Expm1[float64], func(x *big.Float) *big.Float { return bigSub(bigExp(x), bigOf(1)) }, 35, 40, "-", 20},
	{"expm1", Expm1[float64], func(x *big.Float) *big.Float { return bigSub(bigExp(x), bigOf(1)) }, 1e-10, 700, "+-", 80},
	{"log", Log[float64], bigLog, 1e-300, 1e300, "+", 100},
	{"log near 1", Log[float64], bigLog, 0.5, 2, "+", 100},
	{"log1p", Log1p[float64], func(x *big.Float) *big.Float { return bigLog(bigAdd(bigOf(1), x)) }, 1e-10, 1, "+-", 100},
	{"log1p far", Log1p[float64], func(x *big.Float) *big.Float { return bigLog(bigAdd(bigOf(1), x)) }, 1, 1e300, "+", 50},
	{"sin", Sin[float64], func(x *big.Float) *big.Float { return bigSin(x, 0) }, 1e-300, 1e4, "+-", 80},
	{"sin far", Sin[float64], func(x *big.Float) *big.Float { return bigSin(x, 0) }, 1e4, 1e300, "+-", 80},
	{"cos", Cos[float64], func(x *big.Float) *big.Float { return bigSin(x, 1) }, 1e-10, 1e4, "+-", 80},
	{"cos far", Cos[float64], func(x *big.Float) *big.Float { return bigSin(x, 1) }, 1e4, 1e300, "+-", 80},
	{"tan", Tan[float64], bigTan, 1e-300, 1e4, "+-", 60},
	{"tan far", Tan[float64], bigTan, 1e4, 1e300, "+-", 60},
	{"asin", Asin[float64], func(x *big.Float) *big.Float { return bigInverse(x, math.Asin, bigSine, bigCosine) }, 1e-10, 0.999999, "+-", 60},
	{"acos", Acos[float64], func(x *big.Float) *big.Float {
		return bigInverse(x, math.Acos, bigCosine, func(y *big.Float) *big.Float { return bigNeg(bigSine(y)) })
	}, 1e-10, 0.999999, "+-", 60},
	{"atan", Atan[float64], bigAtan, 1e-10, 1e10, "+-", 60},
	{"sinh", Sinh[float64], bigSinh, 1e-10, 710, "+-", 60},
	{"cosh", Cosh[float64], bigCosh, 1e-10, 710, "+-", 60},
	{"asinh", Asinh[float64], func(x *big.Float) *big.Float { return bigInverse(x, math.Asinh, bigSinh, bigCosh) }, 1e-10, 1e10, "+-", 60},
	{"acosh", Acosh[float64], func(x *big.Float) *big.Float { return bigInverse(x, math.Acosh, bigCosh, bigSinh) }, 1.0001, 1e10, "+", 60},
	{"atanh", Atanh[float64], func(x *big.Float) *big.Float {
		return bigDiv(bigLog(bigDiv(bigAdd(bigOf(1), x), bigSub(bigOf(1), x))), bigOf(2))
	}, 1e-10, 0.999999, "+-", 60},
	{"exp2", Exp2[float64], func(x *big.Float) *big.Float { return bigExp(bigMul(x, bigLog(bigOf(2)))) }, 1e-10, 1070, "+-", 60},
	{"log2", Log2[float64], func(x *big.Float) *big.Float { return bigDiv(bigLog(x), bigLog(bigOf(2))) }, 1e-300, 1e300, "+", 40},
	{"log2 near 1", Log2[float64], func(x *big.Float) *big.Float { return bigDiv(bigLog(x), bigLog(bigOf(2))) }, 0.5, 2, "+", 60},
	{"log10", Log10[float64], func(x *big.Float) *big.Float { return bigDiv(bigLog(x), bigLog(bigOf(10))) }, 1e-300, 1e300, "+", 40},
	{"log10 near 1", Log10[float64], func(x *big.Float) *big.Float { return bigDiv(bigLog(x), bigLog(bigOf(10))) }, 0.5, 2, "+", 60},
	{"erfc", Erfc[float64], func(x *big.Float) *big.Float { return bigSub(bigOf(1), bigErf(x)) }, 1e-10, 5.9, "+-", 60},
	{"erfc far", Erfc[float64], func(x *big.Float) *big.Float { return bigSub(bigOf(1), bigErf(x)) }, 5, 27, "+", 40},
	{"erfinv", Erfinv[float64], func(x *big.Float) *big.Float { return bigInverse(x, math.Erfinv, bigErf, bigErfSlope) }, 1e-10, 0.999999, "+-", 60},
	{"tanh", Tanh[float64], func(x *big.Float) *big.Float {
		e := bigExp(bigAdd(x, x))
		return bigDiv(bigSub(e, bigOf(1)), bigAdd(e, bigOf(1)))
	}, 1e-10, 20, "+-", 80},
	{"sigmoid", Sigmoid[float64], bigSigmoid, 1e-10, 740, "+-", 80},
	{"erf", Erf[float64], bigErf, 1e-10, 6, "+-", 100},
	{"erf near 0", Erf[float64], bigErf, 1e-320, 1e-10, "+-", 100},
	{"rsqrt", Rsqrt[float64], func(x *big.Float) *big.Float {
		return bigDiv(bigOf(1), new(big.Float).SetPrec(bigPrec).Sqrt(x))
	}, 1e-300, 1e300, "+", 150},
	{"silu", SiLU[float64], func(x *big.Float) *big.Float { return bigMul(x, bigSigmoid(x)) }, 1e-10, 744, "+-", 80},
	{"silu far", SiLU[float64], func(x *big.Float) *big.Float { return bigMul(x, bigSigmoid(x)) }, 500, 755, "+-", 80},
	{"gelu", GELU[float64], func(x *big.Float) *big.Float {
		z := bigDiv(x, new(big.Float).SetPrec(bigPrec).Sqrt(bigOf(2)))
		return bigMul(x, bigDiv(bigAdd(bigOf(1), bigErf(z)), bigOf(2)))
	}, 1e-10, 38.5, "+-", 40},
	{"gelu far", GELU[float64], func(x *big.Float) *big.Float {
		z := bigDiv(x, new(big.Float).SetPrec(bigPrec).Sqrt(bigOf(2)))
		return bigMul(x, bigDiv(bigAdd(bigOf(1), bigErf(z)), bigOf(2)))
	}, 37, 38.5, "+-", 10},
	{"gelutanh", GELUTanh[float64], func(x *big.Float) *big.Float {
		u := bigAdd(x, bigMul(decimal("0.044715"), bigMul(x, bigMul(x, x))))
		root := new(big.Float).SetPrec(bigPrec).Sqrt(bigDiv(bigOf(8), bigPi()))
		return bigMul(x, bigSigmoid(bigMul(root, u)))
	}, 1e-10, 21, "+-", 80},
	{"softplus", softplusAlone[float64], func(x *big.Float) *big.Float { return bigLog(bigAdd(bigOf(1), bigExp(x))) }, 1e-10, 200, "+-", 100},
	{"softplus to 0", softplusAlone[float64], func(x *big.Float) *big.Float { return bigLog(bigAdd(bigOf(1), bigExp(x))) }, 200, 746, "-", 20},
}

func TestElementary64ULP(t *testing.T) {
	for _, c := range elementary64 {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(3, 4))
			worst, at := 0.0, 0.0
			for k := range c.samples * int(max(1, 20011/sampleStep(t))) {
				u := rng.Float64()
				x := math.Pow(c.low, 1-u) * math.Pow(c.high, u)
				if c.signs[k%len(c.signs)] == '-' {
					x = -x
				}
				got := []float64{0}
				c.fn(got, []float64{x})
				if e := ulps64(got[0], c.reference(bigOf(x))); e > worst {
					worst, at = e, x
				}
			}
			t.Logf("%.3f ulp at %v", worst, at)
			if worst > 2 {
				t.Errorf("%s: %.3f ulp at %v, want at most 2", c.name, worst, at)
			}
		})
	}
}

// As in float32, the error is measured by the larger summand.
func TestGELUSlope64Error(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	root := new(big.Float).SetPrec(bigPrec).Sqrt(bigMul(bigOf(2), bigPi()))
	worst, at := 0.0, 0.0
	for k := range 60 {
		x := rng.NormFloat64() * []float64{0.01, 1, 10}[k%3]
		wide, slope := bigOf(x), []float64{x}
		geluSlope64(slope, slope)
		half := bigDiv(bigMul(wide, wide), bigOf(2))
		below := bigDiv(bigAdd(bigOf(1), bigErf(bigDiv(wide, new(big.Float).SetPrec(bigPrec).Sqrt(bigOf(2))))), bigOf(2))
		beside := bigDiv(bigMul(wide, bigExp(bigNeg(half))), root)
		exponent := max(below.MantExp(nil), beside.MantExp(nil))
		off, _ := bigSub(bigOf(slope[0]), bigAdd(below, beside)).Float64()
		if e := math.Abs(math.Ldexp(off, 53-exponent)); e > worst {
			worst, at = e, x
		}
	}
	t.Logf("%.3f ulp at %v", worst, at)
	if limit := recipe.GELUSlope(recipe.F64).ULP; worst > limit {
		t.Errorf("%.3f ulp at %v, want at most %v", worst, at, limit)
	}
}

func TestSinNearMultiplesOfHalfPi(t *testing.T) {
	half, _ := bigDiv(bigPi(), bigOf(2)).Float64()
	for n := 1.0; n < 1e15; n = math.Trunc(n*3.7) + 1 {
		for quarters, fn := range []func(float64) float64{anySin, anyCos} {
			x := n * half
			if e := ulps64(fn(x), bigSin(bigOf(x), int64(quarters))); e > 2 {
				t.Errorf("quarters %d, x %v: %.3f ulp, want at most 2", quarters, x, e)
			}
		}
	}
	// The float64 nearest to a multiple of π/2, relative to its size.
	x := 6381956970095103.0 * 0x1p797
	if e := ulps64(anyCos(x), bigSin(bigOf(x), 1)); e > 2 {
		t.Errorf("cos(%v): %.3f ulp, want at most 2", x, e)
	}
}

func TestPow64ULP(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	worst, atX, atY := 0.0, 0.0, 0.0
	for k := range 300 {
		x := math.Exp(rng.NormFloat64() * []float64{0.001, 1, 100}[k%3])
		y := (rng.Float64()*2 - 1) * 740 / math.Log(x)
		if e := ulps64(pow64(x, y), bigExp(bigMul(bigOf(y), bigLog(bigOf(x))))); e > worst {
			worst, atX, atY = e, x, y
		}
	}
	t.Logf("%.3f ulp at (%v, %v)", worst, atX, atY)
	if worst > 2 {
		t.Errorf("pow: %.3f ulp at (%v, %v), want at most 2", worst, atX, atY)
	}
}

func TestLogOfSubnormalNumbers(t *testing.T) {
	// log(k·2^-1074) = log k - 1074·log 2, to 20 digits: log 2 = 0.69314718055994530942.
	for k, want := range map[float64]float64{1: -744.44007192138126231, 4096: -736.12230575466191859} {
		dst := []float64{0}
		Log[float64](dst, []float64{k * 0x1p-1074})
		if !(math.Abs(dst[0]-want) <= 2.3e-13) { // 2 ulp
			t.Errorf("log of %v·2^-1074 is %v, want %v", k, dst[0], want)
		}
	}
}
