package kern

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The functions of two numbers of float32 are judged by those of package math in float64, those of float64 by series.
func TestAtan2AndHypotULP(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	worst := map[string]float64{}
	judge := func(name string, e float64) { worst[name] = max(worst[name], e) }
	for range int(2e9 / float64(sampleStep(t))) {
		y, x := math.Float32frombits(rng.Uint32()), math.Float32frombits(rng.Uint32())
		if rng.IntN(2) == 0 {
			x = y * float32(rng.NormFloat64())
		}
		judge("atan2", ulps(atan2f(y, x), math.Atan2(float64(y), float64(x))))
		judge("hypot", ulps(hypotf(y, x), math.Hypot(float64(y), float64(x))))
	}
	for range 100 {
		y, x := math.Exp(rng.NormFloat64()*3), math.Exp(rng.NormFloat64()*3)
		judge("atan2 of float64", ulps64(atan264(y, x), bigAtan(bigDiv(bigOf(y), bigOf(x)))))
		sum := bigAdd(bigMul(bigOf(y), bigOf(y)), bigMul(bigOf(x), bigOf(x)))
		judge("hypot of float64", ulps64(hypot64(y, x), new(big.Float).SetPrec(bigPrec).Sqrt(sum)))
	}
	for name, e := range worst {
		t.Logf("%s: %.3f ulp", name, e)
		if e > 2 {
			t.Errorf("%s: %.3f ulp, want at most 2", name, e)
		}
	}
}
