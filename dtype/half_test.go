package dtype_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
)

// f16Value is the value of a finite F16 by the definition of binary16.
func f16Value(h dtype.F16) float64 {
	exponent, mantissa := int(h>>10&0x1f), float64(h&0x3ff)
	value := math.Ldexp(mantissa, -24)
	if exponent != 0 {
		value = math.Ldexp(1024+mantissa, exponent-25)
	}
	return math.Copysign(value, -float64(h>>15)*2+1)
}

func TestF16Float32(t *testing.T) {
	for i := range 1 << 16 {
		h := dtype.F16(i)
		got := h.Float32()
		switch {
		case h&0x7fff < 0x7c00:
			if want := float32(f16Value(h)); math.Float32bits(got) != math.Float32bits(want) {
				t.Fatalf("F16(%#04x) = %v, want %v", i, got, want)
			}
			if back := dtype.ToF16(got); back != h {
				t.Fatalf("ToF16(F16(%#04x).Float32()) = %#04x", i, back)
			}
		case h&0x7fff == 0x7c00:
			if !math.IsInf(float64(got), 1-int(h>>15)*2) || dtype.ToF16(got) != h {
				t.Fatalf("F16(%#04x) = %v, want infinity", i, got)
			}
		default:
			wantNaN := h&0x8000 | 0x7e00
			if got == got || math.Signbit(float64(got)) != (h>>15 == 1) || dtype.ToF16(got) != wantNaN {
				t.Fatalf("F16(%#04x) = %v, want NaN with the same sign", i, got)
			}
		}
	}
}

// Around each F16 and around the middle of each two neighbours lie the cases of rounding: below, at and above.
func TestToF16Rounds(t *testing.T) {
	for i := range 0x7c00 {
		low := dtype.F16(i)
		lower, upper := f16Value(low), f16Value(low+1)
		if low+1 == 0x7c00 {
			upper = 65536 // the next number, were the exponent to go on
		}
		even := low + low&1
		middle := float32((lower + upper) / 2) // exact: eleven bits and one
		tests := []struct {
			x    float32
			want dtype.F16
		}{
			{float32(lower), low},
			{math.Nextafter32(float32(lower), 1e9), low},
			{math.Nextafter32(middle, 0), low},
			{middle, even},
			{math.Nextafter32(middle, 1e9), low + 1},
			{math.Nextafter32(float32(upper), 0), low + 1},
		}
		for _, test := range tests {
			if got := dtype.ToF16(test.x); got != test.want {
				t.Fatalf("ToF16(%v) = %#04x, want %#04x", test.x, got, test.want)
			}
			if got := dtype.ToF16(-test.x); got != test.want|0x8000 {
				t.Fatalf("ToF16(%v) = %#04x, want %#04x", -test.x, got, test.want|0x8000)
			}
		}
	}
}

// nearestF16 finds the nearest F16 by bisection over the finite ones.
func nearestF16(x float64) dtype.F16 {
	low, high := 0, 0x7c00
	for high-low > 1 {
		if middle := (low + high) / 2; f16Value(dtype.F16(middle)) <= math.Abs(x) {
			low = middle
		} else {
			high = middle
		}
	}
	below, above := math.Abs(x)-f16Value(dtype.F16(low)), 65536-math.Abs(x)
	if high != 0x7c00 {
		above = f16Value(dtype.F16(high)) - math.Abs(x)
	}
	nearest := dtype.F16(low)
	if above < below || above == below && low&1 == 1 {
		nearest = dtype.F16(high)
	}
	if math.Signbit(x) {
		nearest |= 0x8000
	}
	return nearest
}

func TestToF16Sampled(t *testing.T) {
	const stride = 40961 // prime, over all float32 from 0 to infinity
	for bits := uint32(0); bits <= 0x7f80_0000; bits += stride {
		x := math.Float32frombits(bits)
		if got, want := dtype.ToF16(x), nearestF16(float64(x)); got != want {
			t.Fatalf("ToF16(%v) = %#04x, want %#04x", x, got, want)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		x := float32(random.NormFloat64() * math.Exp2(float64(random.IntN(48)-28)))
		if got, want := dtype.ToF16(x), nearestF16(float64(x)); got != want {
			t.Fatalf("ToF16(%v) = %#04x, want %#04x", x, got, want)
		}
	}
}

func TestBF16RoundTrip(t *testing.T) {
	for i := range 1 << 16 {
		b := dtype.BF16(i)
		x := b.Float32()
		if math.Float32bits(x) != uint32(i)<<16 {
			t.Fatalf("BF16(%#04x) = %v", i, x)
		}
		want := b
		if b&0x7fff > 0x7f80 {
			want = 0x7fc0
		}
		if got := dtype.ToBF16(x); got != want {
			t.Fatalf("ToBF16(BF16(%#04x).Float32()) = %#04x, want %#04x", i, got, want)
		}
	}
}

func TestToBF16Rounds(t *testing.T) {
	for i := range 0x7f80 {
		low, even := dtype.BF16(i), dtype.BF16(i+i&1)
		tests := []struct {
			tail uint32
			want dtype.BF16
		}{
			{0x0001, low}, {0x7fff, low}, {0x8000, even}, {0x8001, low + 1}, {0xffff, low + 1},
		}
		for _, test := range tests {
			x := math.Float32frombits(uint32(i)<<16 | test.tail)
			if got := dtype.ToBF16(x); got != test.want {
				t.Fatalf("ToBF16(%v) = %#04x, want %#04x", x, got, test.want)
			}
			if got := dtype.ToBF16(-x); got != test.want|0x8000 {
				t.Fatalf("ToBF16(%v) = %#04x, want %#04x", -x, got, test.want|0x8000)
			}
		}
	}
}

// A float64 goes through float32, as in PyTorch: just above the middle of two halves it falls on the middle first.
func TestHalfFromFloat64RoundsTwice(t *testing.T) {
	if got := dtype.F16FromFloat64(1 + 0x1p-11 + 0x1p-40); got != 0x3c00 {
		t.Errorf("F16FromFloat64 = %#04x, want %#04x", got, 0x3c00)
	}
	if got := dtype.BF16FromFloat64(1 + 0x1p-8 + 0x1p-40); got != 0x3f80 {
		t.Errorf("BF16FromFloat64 = %#04x, want %#04x", got, 0x3f80)
	}
}

func BenchmarkHalf(b *testing.B) {
	x := make([]float32, 4096)
	for i := range x {
		x[i] = float32(i)/64 - 10
	}
	halves := make([]dtype.F16, len(x))
	brains := make([]dtype.BF16, len(x))
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(4 * len(x)))
			for b.Loop() {
				f()
			}
		})
	}
	run("ToF16", func() {
		for i, v := range x {
			halves[i] = dtype.ToF16(v)
		}
	})
	run("F16.Float32", func() {
		for i, h := range halves {
			x[i] = h.Float32()
		}
	})
	run("ToBF16", func() {
		for i, v := range x {
			brains[i] = dtype.ToBF16(v)
		}
	})
	run("BF16.Float32", func() {
		for i, h := range brains {
			x[i] = h.Float32()
		}
	})
}
