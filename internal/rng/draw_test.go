package rng

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"cresset/dtype"
)

func TestFMA32RoundsOnce(t *testing.T) {
	g := New(1)
	check := func(x, y, z float32) {
		t.Helper()
		exact := new(big.Float).SetPrec(300).Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
		want, _ := exact.Add(exact, big.NewFloat(float64(z))).Float32()
		if got := fma32(x, y, z); got != want {
			t.Errorf("fma32(%v, %v, %v) is %v, want %v", x, y, z, got, want)
		}
	}
	// Sums that lie a little beside the middle of two float32.
	check(1+0x1p-23, 0x1p-24, 0x1p30+0x1p7)
	check(0x1p-30, 0x1p-30, 1+0x1p-23)
	for _, tiny := range []float32{0x1p-60, -0x1p-60} {
		check(1, 1, tiny)
		check(0x1p-24*(1+0x1p-23), 1-0x1p-23, 1)
		check(0x1p-24*(1-0x1p-23), 1+0x1p-23, 1)
		check(-0x1p-24*(1-0x1p-23), 1+0x1p-23, 1+0x1p-23)
	}
	for range 20_000 {
		x, y := g.Float32()-.5, g.Float32()-.5
		z := float32(math.Ldexp(float64(g.Float32()-.5), int(g.Uint32()%60)-30))
		check(x, y, z)
	}
}

func TestUniformStaysInRange(t *testing.T) {
	for _, v := range fill(5000, func(d []dtype.F16) { Uniform(New(2), d, -2, 3) }) {
		if x := v.Float32(); x < -2 || x > 3 {
			t.Fatalf("float16 draw %v", x)
		}
	}
	for _, v := range fill(5000, func(d []float64) { Uniform(New(2), d, 10, 11) }) {
		if v < 10 || v >= 11 {
			t.Fatalf("float64 draw %v", v)
		}
	}
}

// The cached second value reaches across calls and element types.
func TestNormalCacheCrossesCalls(t *testing.T) {
	g := New(5)
	got := append(normal[float32](g, 3, 0, 1), normal[float64](g, 4, 0, 1)...)
	want := normal[float64](New(5), 7, 0, 1)
	for i := range want {
		if i < 3 {
			want[i] = float64(float32(want[i]))
		}
		if got[i] != want[i] {
			t.Errorf("draw %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// The block path neither uses nor changes the cached value.
func TestNormalBlocksLeaveCache(t *testing.T) {
	g, h := New(6), New(6)
	g.NormFloat64()
	h.NormFloat64()
	normal[float32](g, 40, 0, 1)
	if got, want := g.NormFloat64(), h.NormFloat64(); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNormalEachTakesNoBlocks(t *testing.T) {
	each := fill(20, func(d []float64) { NormalEach(New(0), d, 0, 1) })
	if want := normal[float64](New(0), 5, 0, 1); !slices.Equal(each[:5], want) {
		t.Errorf("got %v, want %v", each[:5], want)
	}
}

// Means and deviations of every element type lie within 5 standard errors.
func TestNormalMoments(t *testing.T) {
	checkMoments(t, "float32", moments[float32])
	checkMoments(t, "float64", moments[float64])
	checkMoments(t, "float16", moments[dtype.F16])
	checkMoments(t, "bfloat16", moments[dtype.BF16])
}

const momentDraws = 20_003

func moments[T Real]() (mean, std float64) {
	value := widener[T]()
	sum, squares := 0.0, 0.0
	for _, v := range fill(momentDraws, func(d []T) { Normal(New(8), d, 3, 2) }) {
		x := value(v) - 3
		sum += x
		squares += x * x
	}
	mean = sum / momentDraws
	return mean, math.Sqrt(squares/momentDraws - mean*mean)
}

func checkMoments(t *testing.T, name string, of func() (mean, std float64)) {
	t.Helper()
	mean, std := of()
	const tol = 5 * 2 / 141.4 // 5 σ/√n
	if !(math.Abs(mean) <= tol) || !(math.Abs(std-2) <= tol) {
		t.Errorf("%s: mean 3%+v, deviation %v, want 3 and 2", name, mean, std)
	}
}

func TestExponentialMean(t *testing.T) {
	sum := 0.0
	for _, v := range fill(20_000, func(d []float64) { Exponential(New(8), d, 4) }) {
		sum += v
	}
	if mean := sum / 20_000; !(math.Abs(mean-.25) <= 5*.25/141.4) {
		t.Errorf("mean is %v, want 0.25", mean)
	}
}

// Dropout(0.5) of 36 ones after manual_seed(123), recorded from PyTorch.
func TestBernoulliOfDropout(t *testing.T) {
	const want = "220220000202222202022002020202022220"
	got := make([]byte, len(want))
	for i, kept := range fill(len(want), func(d []int32) { Bernoulli(New(123), d, .5) }) {
		got[i] = byte('0' + 2*kept)
	}
	if string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBernoulli(t *testing.T) {
	if d := fill(50, func(d []bool) { Bernoulli(New(0), d, 0) }); slices.Contains(d, true) {
		t.Error("p = 0 gave a one")
	}
	if d := fill(50, func(d []dtype.BF16) { Bernoulli(New(0), d, 1) }); slices.Contains(d, 0) {
		t.Error("p = 1 gave a zero")
	}
	p := []float64{0, 1, .3, .7, 0, 1}
	g := New(0)
	for i, got := range fill(len(p), func(d []float64) { BernoulliEach(New(0), d, p) }) {
		if want := g.Float64() < p[i]; want != (got == 1) {
			t.Errorf("p = %v: got %v", p[i], got)
		}
	}
}
