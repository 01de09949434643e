package kern

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactFMA32 is a*b + c by big.Float, rounded once.
func exactFMA32(a, b, c float32) float32 {
	sum := float64(a)*float64(b) + float64(c)
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return float32(sum)
	}
	exact := new(big.Float).SetPrec(1000).SetFloat64(float64(a) * float64(b))
	want, _ := exact.Add(exact, big.NewFloat(float64(c))).Float32()
	return want
}

// generatedFMA is what generated code makes of an fma.
func generatedFMA(a, b, c float32) float32 {
	y := fma32Const(float64(a)*float64(b), float64(c))
	if -0x1p-126 <= y && y <= 0x1p-126 {
		y = fma32(float64(a)*float64(b), float64(c))
	}
	return y
}

func TestFMARoundsOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	check := func(a, b, c float32) {
		t.Helper()
		want := exactFMA32(a, b, c)
		for name, got := range map[string]float32{
			"fma32": fma32(float64(a)*float64(b), float64(c)), "generated": generatedFMA(a, b, c),
		} {
			if got != want && (got == got || want == want) || got == 0 && math.Signbit(float64(got)) != math.Signbit(float64(want)) {
				t.Fatalf("%s(%x, %x, %x): got %x, want %x", name, a, b, c, got, want)
			}
		}
		if math.Abs(float64(c)) >= 0x1p-78 {
			if got := fma32Const(float64(a)*float64(b), float64(c)); got != want && (got == got || want == want) {
				t.Fatalf("fma32Const(%x, %x, %x): got %x, want %x", a, b, c, got, want)
			}
		}
	}
	xs := numbers(0)
	for _, a := range xs {
		for _, b := range xs {
			for _, c := range xs {
				check(a, b, c)
			}
		}
	}
	pattern := func() float32 { return math.Float32frombits(rng.Uint32()) }
	short := func(bits, low, span int) float32 { // few mantissa bits, so that sums are ties or nearly
		return float32(math.Ldexp(float64(rng.IntN(1<<bits)-1<<(bits-1)), low+rng.IntN(span)))
	}
	for range 10_000 {
		check(pattern(), pattern(), pattern())
		// Ties of a normal result, with a small or no push off the tie.
		check(short(13, -10, 4), short(13, -10, 4), short(24, -8, 40))
		check(1+short(4, -24, 24), 0x1p-25*(1+short(3, -24, 12)), 1+short(6, -23, 10))
		// Products far below the tie that c makes with the last place.
		check(short(24, -90, 60), short(24, -90, 60), short(24, -60, 30))
		// Subnormal results and results at the least normal number.
		check(short(24, -90, 20), short(24, -90, 20), short(24, -150, 4))
		check(short(12, -80, 10), short(12, -80, 10), 0x1p-126*(1+short(4, -24, 4)))
	}
}
