package kern

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"cresset/internal/kgen/recipe"
)

// elementary are the generated functions of one argument, each with a reference in float64 whose own error does not
// count beside float32.
var elementary = map[string]struct {
	slice     func(dst, src []float32)
	reference func(float64) float64
}{
	"Exp":      {ExpF32, math.Exp},
	"Expm1":    {Expm1F32, math.Expm1},
	"Log":      {LogF32, math.Log},
	"Log1p":    {Log1pF32, math.Log1p},
	"Sin":      {SinF32, math.Sin},
	"Cos":      {CosF32, math.Cos},
	"Tanh":     {TanhF32, math.Tanh},
	"Sigmoid":  {SigmoidF32, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
	"Erf":      {ErfF32, math.Erf},
	"Rsqrt":    {RsqrtF32, func(x float64) float64 { return 1 / math.Sqrt(x) }},
	"SiLU":     {SiLUF32, func(x float64) float64 { return x / (1 + math.Exp(-x)) }},
	"GELU":     {GELUF32, func(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) }},
	"GELUTanh": {GELUTanhF32, func(x float64) float64 { return x / (1 + math.Exp(-math.Sqrt(8/math.Pi)*(x+0.044715*x*x*x))) }},
	"Softplus": {SoftplusF32, func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }},
}

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
		got = float32(math.Copysign(math.MaxFloat32, float64(got)))
		want = math.Abs(want) - 0x1p104 // the number that would follow
		return math.Max(0, (float64(math.MaxFloat32)-want)/0x1p104)
	}
	_, exponent := math.Frexp(math.Abs(want))
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(exponent-24, -149))
}

// sampleStep is the distance between tested bit patterns; CRESSET_ULP_STEP=1 tests all.
func sampleStep(t *testing.T) uint64 {
	text := os.Getenv("CRESSET_ULP_STEP")
	if text == "" {
		return 4001
	}
	step, err := strconv.ParseUint(text, 10, 32)
	if err != nil || step == 0 {
		t.Fatalf("CRESSET_ULP_STEP=%q", text)
	}
	return step
}

func TestElementaryULP(t *testing.T) {
	for _, r := range recipe.All() {
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
					if e := ulps(dst[i], fn.reference(float64(x))); e > worst {
						worst, at = e, x
					}
				}
				src = src[:0]
			}
			for bits := uint64(0); bits < 1<<32; bits += step {
				if src = append(src, math.Float32frombits(uint32(bits))); len(src) == cap(src) {
					judge()
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
	if worst > recipe.Pow().ULP {
		t.Errorf("Pow: %.3f ulp at (%g, %g)", worst, atX, atY)
	}
}
