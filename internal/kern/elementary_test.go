package kern

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"cresset/dtype"
	"cresset/internal/kgen/recipe"
	"cresset/internal/op"
)

// elementary are the generated functions of one argument, each with a reference in float64 whose own error does not
// count beside float32.
var elementary = map[string]struct {
	slice     func(dst, src []float32)
	reference func(float64) float64
}{
	"Exp":      {Exp[float32], math.Exp},
	"Expm1":    {Expm1[float32], math.Expm1},
	"Log":      {Log[float32], math.Log},
	"Log1p":    {Log1p[float32], math.Log1p},
	"Sin":      {Sin[float32], anySin},
	"Cos":      {Cos[float32], anyCos},
	"Tanh":     {Tanh[float32], math.Tanh},
	"Sigmoid":  {Sigmoid[float32], func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
	"Erf":      {Erf[float32], math.Erf},
	"Rsqrt":    {Rsqrt[float32], func(x float64) float64 { return 1 / math.Sqrt(x) }},
	"SiLU":     {SiLU[float32], func(x float64) float64 { return x / (1 + math.Exp(-x)) }},
	"GELU":     {GELU[float32], func(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) }},
	"GELUTanh": {GELUTanh[float32], func(x float64) float64 { return x / (1 + math.Exp(-math.Sqrt(8/math.Pi)*(x+0.044715*x*x*x))) }},
	"Tan":      {Tan[float32], func(x float64) float64 { return anySin(x) / anyCos(x) }},
	"Asin":     {Asin[float32], math.Asin},
	"Acos":     {Acos[float32], math.Acos},
	"Atan":     {Atan[float32], math.Atan},
	"Sinh":     {Sinh[float32], math.Sinh},
	"Cosh":     {Cosh[float32], math.Cosh},
	"Asinh":    {Asinh[float32], math.Asinh},
	"Acosh":    {Acosh[float32], math.Acosh},
	"Atanh":    {Atanh[float32], math.Atanh},
	"Exp2":     {Exp2[float32], math.Exp2},
	"Log2":     {Log2[float32], math.Log2},
	"Log10":    {Log10[float32], math.Log10},
	"Erfc":     {Erfc[float32], math.Erfc},
	"Erfinv":   {Erfinv[float32], math.Erfinv},
	"Lgamma":   {Lgamma[float32], inDouble(Lgamma[float64])},
	"Digamma":  {Digamma[float32], inDouble(Digamma[float64])},
	"Trigamma": {Trigamma[float32], inDouble(Trigamma[float64])},
	"Softplus": {softplusAlone[float32], func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }},
}

// ofTwo are the generated functions of two arguments.
var ofTwo = map[string]func(x, y float32) float32{"Pow": powf, "Atan2": atan2f, "Hypot": hypotf}

// softplusAlone is Softplus for beta 1 and no threshold.
func softplusAlone[T dtype.Float](dst, src []T) { Softplus(dst, src, op.Number{A: 1, B: math.Inf(1)}) }

func powReference(x, y float64) float64 {
	if x > 0 && !math.IsInf(x, 1) && !math.IsInf(y, 0) && y*math.Log(x) < 700 {
		return math.Exp(y * math.Log(x)) // math.Pow loses y ulps
	}
	return math.Pow(x, y)
}

// ulps is the distance of got from want in units of want's last place as a float32.
func ulps(got float32, want float64) float64 {
	rounded := float32(want)
	if got == rounded || got != got && want != want {
		return 0
	}
	if got != got || want != want {
		return math.Inf(1)
	}
	if math.IsInf(float64(got), 0) {
		return (0x1p128 - math.Abs(want)) / 0x1p104 // ∞ stands for the number that would follow
	}
	_, exponent := math.Frexp(math.Abs(want))
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(exponent-24, -149))
}

// sampleStep is the distance between tested bit patterns; CRESSET_ULP_STEP=1 tests all.
func sampleStep(t *testing.T) uint64 {
	text := os.Getenv("CRESSET_ULP_STEP")
	if text == "" {
		return 20011
	}
	step, err := strconv.ParseUint(text, 10, 32)
	if err != nil || step == 0 {
		t.Fatalf("CRESSET_ULP_STEP=%q", text)
	}
	return step
}

func TestElementaryULP(t *testing.T) {
	for _, r := range slices.Concat(recipe.All(recipe.F32), recipe.Alone(recipe.F32)) {
		if len(r.Params) != 1 {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			fn, step := elementary[r.Name], sampleStep(t)
			src, dst := make([]float32, 0, 4096), make([]float32, 4096)
			worst, at := 0.0, float32(0)
			judge := func() {
				fn.slice(dst, src)
				for i, x := range src {
					if e := ulpsOf(r.Name, x, dst[i], fn.reference(float64(x))); e > worst {
						worst, at = e, x
					}
				}
				src = src[:0]
			}
			try := func(x float32) {
				if src = append(src, x); len(src) == cap(src) {
					judge()
				}
			}
			for bits := uint64(0); bits < 1<<32; bits += step {
				try(math.Float32frombits(uint32(bits)))
			}
			for bits := math.Float32bits(1. / 16); bits < math.Float32bits(16); bits += uint32(step/64 + 1) {
				try(math.Float32frombits(bits))
				try(-math.Float32frombits(bits))
			}
			for _, unit := range []float64{math.Ln2 / 2, math.Pi / 2} { // where reductions change and results vanish
				for k := range 6000 {
					x := float32(float64(k) * unit)
					for range 3 {
						try(x)
						x = math.Nextafter32(x, 1e38)
					}
				}
			}
			for _, limit := range []float32{0.5625, 5.25, 10, 10.875, 14.4375, 18, 87.33655, 88.72284, 89, 103.97208, 104, 110, 0x1p-126} {
				first := math.Float32bits(limit) - 100
				for bits := range uint32(200) { // where arguments are limited, or results become subnormal, 0 or infinite
					try(math.Float32frombits(first + bits))
					try(-math.Float32frombits(first + bits))
				}
			}
			judge()
			t.Logf("%.3f ulp at %g (%#x)", worst, at, math.Float32bits(at))
			if worst > r.ULP {
				t.Errorf("%s: %.3f ulp at %g (%#x), want at most %v", r.Name, worst, at, math.Float32bits(at), r.ULP)
			}
		})
	}
}

// numbers are bit patterns from everywhere, more of them where the functions bend, and all special ones.
func numbers(n int) []float32 {
	rng := rand.New(rand.NewPCG(7, 8))
	xs := []float32{0, math.Float32frombits(1 << 31), 1, -1, 2, -2, 3, -3, 0.5, -0.5, float32(math.Inf(1)), float32(math.Inf(-1)),
		float32(math.NaN()), math.Float32frombits(0xffc12345), math.MaxFloat32, -math.MaxFloat32, 0x1p-126, -0x1p-126,
		0x1p-149, -0x1p-149, 0x1p23, 0x1p24, 8191, 8192}
	for range n {
		xs = append(xs, math.Float32frombits(rng.Uint32()), float32(rng.NormFloat64()), float32(rng.NormFloat64()*50))
	}
	return xs
}

// followed checks that a result is the recipe's, bit by bit.
func followed[T dtype.Float](t *testing.T, got T, r *recipe.Recipe, args ...T) {
	t.Helper()
	if want := recipe.Eval(r, args...); !identical(got, want) {
		t.Errorf("%v: got %v (%[2]x), want %v (%[3]x)", args, got, want)
	}
}

func TestGeneratedFollowsRecipe(t *testing.T) {
	xs := numbers(300)
	got := make([]float32, len(xs))
	for _, r := range slices.Concat(recipe.All(recipe.F32), recipe.Alone(recipe.F32)) {
		t.Run(r.Name, func(t *testing.T) {
			if f, ok := ofTwo[r.Name]; ok {
				for i := range xs {
					followed(t, f(xs[i], xs[len(xs)-1-i]), r, xs[i], xs[len(xs)-1-i])
				}
				return
			}
			elementary[r.Name].slice(got, xs)
			for i, x := range xs {
				followed(t, got[i], r, x)
			}
		})
	}
}

func TestElementarySpecialValues(t *testing.T) {
	inf, nan, zero := float32(math.Inf(1)), float32(math.NaN()), math.Float32frombits(1<<31)
	for name, rows := range map[string][][2]float32{
		"Exp":      {{0, 1}, {zero, 1}, {inf, inf}, {-inf, 0}, {nan, nan}, {89, inf}, {-104, 0}, {-103, 0x1p-149}},
		"Expm1":    {{0, 0}, {zero, zero}, {inf, inf}, {-inf, -1}, {nan, nan}, {0x1p-149, 0x1p-149}, {-50, -1}},
		"Log":      {{1, 0}, {0, -inf}, {zero, -inf}, {-1, nan}, {-inf, nan}, {inf, inf}, {nan, nan}},
		"Log1p":    {{0, 0}, {zero, zero}, {-1, -inf}, {-2, nan}, {inf, inf}, {-inf, nan}, {nan, nan}, {-0x1p-149, -0x1p-149}},
		"Sin":      {{0, 0}, {zero, zero}, {inf, nan}, {-inf, nan}, {nan, nan}, {0x1p-149, 0x1p-149}},
		"Cos":      {{0, 1}, {zero, 1}, {inf, nan}, {-inf, nan}, {nan, nan}},
		"Tanh":     {{0, 0}, {zero, zero}, {inf, 1}, {-inf, -1}, {nan, nan}, {0x1p-149, 0x1p-149}},
		"Sigmoid":  {{0, 0.5}, {zero, 0.5}, {inf, 1}, {-inf, 0}, {nan, nan}},
		"Erf":      {{0, 0}, {zero, zero}, {inf, 1}, {-inf, -1}, {nan, nan}},
		"Rsqrt":    {{0, inf}, {zero, -inf}, {inf, 0}, {-1, nan}, {-inf, nan}, {nan, nan}, {4, 0.5}},
		"SiLU":     {{0, 0}, {zero, zero}, {inf, inf}, {-inf, nan}, {nan, nan}, {-200, zero}},
		"GELU":     {{0, 0}, {zero, zero}, {inf, inf}, {-inf, nan}, {nan, nan}, {-20, zero}},
		"GELUTanh": {{0, 0}, {zero, zero}, {inf, inf}, {-inf, nan}, {nan, nan}, {-20, zero}},
		"Softplus": {{inf, inf}, {-inf, 0}, {nan, nan}, {-200, 0}, {200, 200}},
	} {
		for _, row := range rows {
			got := []float32{0}
			elementary[name].slice(got, row[:1])
			if math.Float32bits(got[0]) != math.Float32bits(row[1]) && (got[0] == got[0] || row[1] == row[1]) { // any NaN
				t.Errorf("%s(%v): got %v, want %v", name, row[0], got[0], row[1])
			}
		}
	}
}

func TestPowSpecialValues(t *testing.T) {
	inf, nan, zero := float32(math.Inf(1)), float32(math.NaN()), math.Float32frombits(1<<31)
	values := []float32{0, zero, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 2.5, -2.5, inf, -inf, nan, math.MaxFloat32, -math.MaxFloat32,
		0x1p-149, -0x1p-149, 0x1p23, 0x1p23 + 1, 0x1p24, -0x1p23 - 1}
	for _, x := range values {
		for _, y := range values {
			// Go's Pow has the special cases of C99.
			got, want := powf(x, y), float32(math.Pow(float64(x), float64(y)))
			if math.Float32bits(got) != math.Float32bits(want) && ulps(got, float64(want)) > 1 {
				t.Errorf("%v ** %v: got %v, want %v", x, y, got, want)
			}
		}
	}
}

func TestPow64SpecialValues(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	values := []float64{0, zero, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 2.5, -2.5, inf, -inf, nan, math.MaxFloat64, -math.MaxFloat64,
		0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1p51 + 0.5, 0x1p52, 0x1p52 + 1, -0x1p52 - 1, 0x1p53 - 1, 0x1p53, 0x1p53 + 2, 1e300}
	for _, x := range values {
		for _, y := range values {
			got, want := pow64(x, y), math.Pow(x, y)
			if !sameBits(got, want) && !(math.Abs(got-want) <= 1e-13*math.Abs(want)) {
				t.Errorf("%v ** %v: got %v, want %v", x, y, got, want)
			}
		}
	}
}

func TestPowULP(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst, atX, atY := 0.0, float32(0), float32(0)
	n := int(1e9 / float64(sampleStep(t)))
	for k := range n {
		x := math.Float32frombits(rng.Uint32() >> 1)
		y := float32((rng.Float64()*2 - 1) * 105 / math.Log(float64(x)))
		if k%4 == 0 {
			x = float32(math.Exp(rng.NormFloat64() * 0.01))
			y = float32((rng.Float64()*2 - 1) * 105 / math.Log(float64(x)))
		}
		if e := ulps(powf(x, y), powReference(float64(x), float64(y))); e > worst {
			worst, atX, atY = e, x, y
		}
	}
	t.Logf("%.3f ulp at (%g, %g)", worst, atX, atY)
	if worst > recipe.Pow(recipe.F32).ULP {
		t.Errorf("Pow: %.3f ulp at (%g, %g)", worst, atX, atY)
	}
}

func BenchmarkElementary(b *testing.B) {
	const n = 4096
	rng := rand.New(rand.NewPCG(1, 1))
	x, y, dst := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(math.Abs(rng.NormFloat64())), float32(rng.NormFloat64()*3)
	}
	run := func(name string, fn func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				fn()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/elem")
		})
	}
	for _, r := range recipe.All(recipe.F32) {
		if fn, ok := elementary[r.Name]; ok {
			src := y
			if r.Name == "Log" || r.Name == "Log1p" || r.Name == "Rsqrt" {
				src = x
			}
			run(r.Name, func() { fn.slice(dst, src) })
		}
	}
	run("Pow", func() { Pow[float32](dst, x, y) })
}

// A derivative vanishes somewhere, so its error is measured by its larger summand.
func TestGELUSlopeError(t *testing.T) {
	worst, at := 0.0, float32(0)
	slope := []float32{0}
	for bits := uint64(0); bits < 1<<32; bits += 61 * sampleStep(t) / 20 {
		x := math.Float32frombits(uint32(bits))
		GELUGrad(slope, []float32{1}, []float32{x})
		wide := float64(x)
		below, above := math.Erfc(-wide/math.Sqrt2)/2, wide*math.Exp(-wide*wide/2)/math.Sqrt(2*math.Pi)
		if math.IsInf(wide, 0) || x != x {
			if slope[0] == slope[0] {
				t.Errorf("%v: got %v, want NaN", x, slope[0])
			}
			continue
		}
		_, exponent := math.Frexp(max(below, math.Abs(above)))
		if e := math.Abs(float64(slope[0])-(below+above)) / math.Ldexp(1, max(exponent-24, -149)); e > worst {
			worst, at = e, x
		}
	}
	t.Logf("%.3f ulp at %g (%#x)", worst, at, math.Float32bits(at))
	if limit := recipe.GELUSlope(recipe.F32).ULP; worst > limit {
		t.Errorf("%.3f ulp at %g (%#x), want at most %v", worst, at, math.Float32bits(at), limit)
	}
}
