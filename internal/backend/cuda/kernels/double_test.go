package kernels_test

import (
	"bufio"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
)

// TestElementary64 wants the functions of float64 within 2 ulp of exact results.
func TestElementary64(t *testing.T) {
	const most = 2
	file, err := os.Open("testdata/elementary64.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	columns := map[string]*[3][]float64{} // two arguments and the result
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if words[0] == "#" {
			continue
		}
		c := columns[words[0]]
		if c == nil {
			c = new([3][]float64)
			columns[words[0]] = c
		}
		for i, word := range words[1:] {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			if i == len(words)-2 {
				i = 2
			}
			c[i] = append(c[i], v)
		}
	}
	for name, c := range columns {
		m := &machine{t: t}
		n := len(c[0])
		got := make([]float64, n)
		p := kernels.Elementwise{N: uint64(n), Out: put(m, got), In: [3]uint64{put(m, c[0]), put(m, c[1])}, X: 1, Y: math.Inf(1)}
		launch(m, name+"_f64", kernels.Flat(p.N, few), p)
		worst, at := int64(0), 0
		for i, want := range c[2] {
			if e := apart(got[i], want); e > worst {
				worst, at = e, i
			}
		}
		t.Logf("%s: %d ulp", name, worst)
		if worst > most {
			t.Errorf("%s(%v): got %v, want %v, %d ulp apart", name, c[0][at], got[at], c[2][at], worst)
		}
	}
}

// apart is how many float64 numbers lie between two.
func apart(a, b float64) int64 {
	if a == b {
		return 0
	}
	if a != a || b != b || (a < 0) != (b < 0) {
		return math.MaxInt64
	}
	d := int64(math.Float64bits(a)) - int64(math.Float64bits(b))
	return max(d, -d)
}

// TestElementary64Specials wants what the CPU gives for zeros, infinities, NaN and the ends of the range.
func TestElementary64Specials(t *testing.T) {
	a := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 710, -746, 1e300, -1e300, 2, -2, -3, 0.5, -0.5}
	for name, loop := range map[string]func(dst, src []float64){
		"exp": kern.ExpF64, "expm1": kern.Expm1F64, "log": kern.LogF64, "log1p": kern.Log1pF64, "tanh": kern.TanhF64,
		"sigmoid": kern.SigmoidF64, "erf": kern.ErfF64, "rsqrt": kern.RsqrtF64, "silu": kern.SiLUF64, "gelu": kern.GELUF64,
		"gelu_tanh": kern.GELUTanhF64, "sin": kern.SinF64, "cos": kern.CosF64,
	} {
		m := &machine{t: t}
		got, want := make([]float64, len(a)), make([]float64, len(a))
		loop(want, a)
		launch(m, name+"_f64", kernels.Flat(uint64(len(a)), few),
			kernels.Elementwise{N: uint64(len(a)), Out: put(m, got), In: [3]uint64{put(m, a)}})
		compareNear(t, name, got, want)
	}
	var x, y []float64
	for _, v := range a {
		x = append(x, slices.Repeat([]float64{v}, len(a))...)
		y = append(y, a...)
	}
	m := &machine{t: t}
	got, want := make([]float64, len(x)), make([]float64, len(x))
	kern.PowF64(want, x, y)
	launch(m, "pow_f64", kernels.Flat(uint64(len(x)), few),
		kernels.Elementwise{N: uint64(len(x)), Out: put(m, got), In: [3]uint64{put(m, x), put(m, y)}})
	compareNear(t, "pow", got, want)
}

// compareNear wants the same zeros, infinities and NaNs, and of other numbers no more than 2 ulp on either side.
func compareNear(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i, v := range want {
		if v != 0 && apart(got[i], v) <= 4 {
			got[i] = v
		}
	}
	compare(t, name, got, want)
}
