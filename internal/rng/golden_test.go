package rng

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cresset/dtype"
)

// The golden file was recorded from PyTorch 2.6 in the build without MKL; each row starts from torch.manual_seed.
const goldenFile = "testdata/rng_cpu_torch26.txt"

// seededRows maps the name of a row to what draws it from a fresh generator: []float64 or []int64. ulps is how far a float32
// (float64 for "f64" rows) may lie from PyTorch's where the draw goes through package math.
var seededRows = map[string]struct {
	ulps int
	draw func(g *MT19937) any
}{
	"rand5":           {0, func(g *MT19937) any { return uniform[float32](g, 5, 0, 1) }},
	"rand5 f64":       {0, func(g *MT19937) any { return uniform[float64](g, 5, 0, 1) }},
	"randn5":          {1, func(g *MT19937) any { return normal[float32](g, 5, 0, 1) }},
	"randn5 f64":      {2, func(g *MT19937) any { return normal[float64](g, 5, 0, 1) }},
	"randn16":         {0, func(g *MT19937) any { return normal[float32](g, 16, 0, 1) }},
	"randn17":         {0, func(g *MT19937) any { return normal[float32](g, 17, 0, 1) }},
	"randn20 f64":     {2, func(g *MT19937) any { return normal[float64](g, 20, 0, 1) }},
	"randint(10,8)":   {0, func(g *MT19937) any { return randInt[int64](g, 8, 0, 10) }},
	"randint(-5,5)":   {0, func(g *MT19937) any { return randInt[int64](g, 8, -5, 5) }},
	"randint(2**40)":  {0, func(g *MT19937) any { return randInt[int64](g, 4, 0, 1<<40) }},
	"randint int32":   {0, func(g *MT19937) any { return randInt[int32](g, 8, 0, 100) }},
	"randperm10":      {0, func(g *MT19937) any { return fill(10, func(d []int64) { Perm(g, d) }) }},
	"uniform_(-1,1)":  {0, func(g *MT19937) any { return uniform[float32](g, 5, -1, 1) }},
	"normal_(2,3)x5":  {1, func(g *MT19937) any { return normal[float32](g, 5, 2, 3) }},
	"normal_(2,3)x16": {0, func(g *MT19937) any { return normal[float32](g, 16, 2, 3) }},
	"bernoulli_ .5":   {0, func(g *MT19937) any { return bernoulli(g, 10, 1) }},
	"dropout.5":       {0, func(g *MT19937) any { return bernoulli(g, 10, 2) }}, // ones * noise / (1-p)
	"random_()":       {0, func(g *MT19937) any { return fill(4, func(d []int64) { Random(g, d) }) }},
	"exponential_":    {0, func(g *MT19937) any { return floats(fill(4, func(d []float32) { Exponential(g, d, 1) })) }},
	"rand half":       {0, drawHalves},
	"Linear(3,1)":     {0, func(g *MT19937) any { return layer(g, 3, 1, 3) }},
	"Linear(4,3)":     {0, func(g *MT19937) any { return layer(g, 12, 3, 4) }},
	"Conv2d(1,2,3)":   {0, func(g *MT19937) any { return layer(g, 18, 2, 9) }},
	"Embedding(3,2)":  {1, func(g *MT19937) any { return normal[float32](g, 6, 0, 1) }},
	"bernoulli(p tensor .5)": {0, func(g *MT19937) any {
		p := slices.Repeat([]float32{.5}, 10)
		return floats(fill(10, func(d []float32) { BernoulliEach(g, d, p) }))
	}},
	"rand(2,3).t() strided fill": {0, func(g *MT19937) any {
		x := uniform[float32](g, 6, 0, 1) // memory order; the row lists index order
		return []float64{x[0], x[2], x[4], x[1], x[3], x[5]}
	}},
}

// loneRows maps the start of each row that is not one of four to the draws that it lists.
var loneRows = map[string]func() []float64{
	"randn cache": func() []float64 {
		g := New(0)
		return append(normal[float32](g, 3, 0, 1), normal[float32](g, 3, 0, 1)...)
	},
	"interleave": func() []float64 {
		g := New(0)
		x := normal[float32](g, 1, 0, 1)
		x = append(x, uniform[float32](g, 1, 0, 1)...)
		return append(x, normal[float32](g, 1, 0, 1)...)
	},
	"state torch.Size([5056]) torch.uint8": func() []float64 {
		return floats(New(0).State()[:24])
	},
	"Generator default seed 67280421310721": func() []float64 {
		return uniform[float32](New(DefaultSeed), 2, 0, 1)
	},
	"[0.53": func() []float64 { return uniform[float32](New(7), 2, 0, 1) },
}

// unasserted maps rows that say nothing about draws to the reason.
var unasserted = map[string]string{
	"True": "that setting a state restores the stream: TestStateRestoresStream",
	"seed 18446744073709551616 RuntimeError Overflow when unpacking long": "a uint64 cannot hold the seed",
	"seed -9223372036854775809 RuntimeError Overflow when unpacking long": "neither can an int64",
	"double seed 2**32": "a row without values",
}

// notDrawn maps draws that this package lacks to the reason.
var notDrawn = map[string]string{"multinomial": "package tensor makes it of exponential draws"}

func TestGoldenSeededRows(t *testing.T) {
	seen := map[string]int{}
	for _, line := range goldenLines(t) {
		m := seededRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		seed, name, values := parseUint(t, m[1]), m[2], m[3]
		if notDrawn[name] != "" {
			continue
		}
		c, known := seededRows[name]
		if !known {
			t.Errorf("no draw for row %q", line)
			continue
		}
		seen[name]++
		switch got := c.draw(New(seed)).(type) {
		case []float64:
			compareFloats(t, line, got, values, c.ulps, strings.HasSuffix(name, "f64"))
		case []int64:
			if want := ints(t, values); !slices.Equal(got, want) {
				t.Errorf("%s: got %d", line, got)
			}
		}
	}
	for name := range seededRows {
		if seen[name] != 4 {
			t.Errorf("%s: %d rows, want one for each of 4 seeds", name, seen[name])
		}
	}
}

func TestGoldenLoneRows(t *testing.T) {
	for _, line := range goldenLines(t) {
		if seededRow.MatchString(line) || seedRow.MatchString(line) || unasserted[line] != "" {
			continue
		}
		draw, name := loneRow(line)
		if draw == nil {
			t.Errorf("no draw for row %q", line)
			continue
		}
		compareFloats(t, line, draw(), strings.TrimPrefix(line, name), 1, false)
	}
}

// loneRow returns the draw of a row and the part of it that is no value.
func loneRow(line string) (func() []float64, string) {
	for name, draw := range loneRows {
		if name[0] == '[' && strings.HasPrefix(line, name) {
			return draw, ""
		}
		if strings.HasPrefix(line, name) {
			return draw, name
		}
	}
	return nil, ""
}

// Rows as "seed -1 18446744073709551615 [0.99, 0.57]": the argument of manual_seed, what initial_seed returns, and two
// draws.
func TestGoldenSeeds(t *testing.T) {
	rows := 0
	for _, line := range goldenLines(t) {
		m := seedRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		rows++
		seed, err := strconv.ParseUint(m[1], 10, 64)
		if err != nil {
			negative, err := strconv.ParseInt(m[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			seed = uint64(negative)
		}
		g := New(seed)
		if got, want := g.InitialSeed(), parseUint(t, m[2]); got != want {
			t.Errorf("%s: initial seed %d", line, got)
		}
		compareFloats(t, line, uniform[float32](g, 2, 0, 1), m[3], 0, false)
	}
	if rows != 8 {
		t.Errorf("got %d rows, want 8", rows)
	}
}

var (
	seededRow = regexp.MustCompile(`^(\d+) (.+?) (\[.*)$`)
	seedRow   = regexp.MustCompile(`^seed (-?\d+) (\d+) (\[.*)$`)
	number    = regexp.MustCompile(`-?\d+(\.\d+)?(e[-+]\d+)?`)
)

func goldenLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func parseUint(t *testing.T, s string) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func ints(t *testing.T, values string) []int64 {
	t.Helper()
	var out []int64
	for _, s := range number.FindAllString(values, -1) {
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// compareFloats compares got with the numbers in values, in units of their last place.
func compareFloats(t *testing.T, row string, got []float64, values string, ulps int, double bool) {
	t.Helper()
	values = strings.ReplaceAll(values, "bf16", "")
	want := number.FindAllString(values, -1)
	if len(got) != len(want) {
		t.Errorf("%s: got %d values", row, len(got))
		return
	}
	for i, s := range want {
		w, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		if far := ulpsApart(got[i], w, double); !(far <= float64(ulps)) {
			t.Errorf("%s: element %d is %v, %v ulp away", row, i, got[i], far)
		}
	}
}

func ulpsApart(got, want float64, double bool) float64 {
	if got == want {
		return 0
	}
	if double {
		return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
	}
	w := math.Abs(want)
	next := math.Nextafter32(float32(w), float32(math.Inf(1)))
	return math.Abs(got-want) / (float64(next) - w)
}

// fill returns n elements that draw has filled.
func fill[T any](n int, draw func([]T)) []T {
	d := make([]T, n)
	draw(d)
	return d
}

func floats[T dtype.Number](d []T) []float64 {
	out := make([]float64, len(d))
	for i, v := range d {
		out[i] = float64(v)
	}
	return out
}

func uniform[T dtype.Float](g *MT19937, n int, from, to float64) []float64 {
	return floats(fill(n, func(d []T) { Uniform(g, d, from, to) }))
}

func normal[T dtype.Float](g *MT19937, n int, mean, std float64) []float64 {
	return floats(fill(n, func(d []T) { Normal(g, d, mean, std) }))
}

func randInt[T dtype.Integer](g *MT19937, n int, lo, hi int64) []int64 {
	d := make([]T, n)
	if err := RandInt(g, d, lo, hi); err != nil {
		panic(err)
	}
	out := make([]int64, n)
	for i, v := range d {
		out[i] = int64(v)
	}
	return out
}

func bernoulli(g *MT19937, n int, scale float64) []float64 {
	d := floats(fill(n, func(d []float32) { Bernoulli(g, d, .5) }))
	for i := range d {
		d[i] *= scale
	}
	return d
}

func drawHalves(g *MT19937) any {
	var out []float64
	for _, h := range fill(5, func(d []dtype.F16) { Uniform(g, d, 0, 1) }) {
		out = append(out, float64(h.Float32()))
	}
	for _, h := range fill(5, func(d []dtype.BF16) { Uniform(g, d, 0, 1) }) {
		out = append(out, float64(h.Float32()))
	}
	return out
}

// layer draws as torch.nn initializes a layer: the weight by kaiming_uniform_(a=√5), then the bias from ±1/√fanIn.
func layer(g *MT19937, weights, biases int, fanIn float64) []float64 {
	gain := math.Sqrt(2 / (1 + 5.000000000000001)) // √5 squared, in float64
	bound := math.Sqrt(3) * (gain / math.Sqrt(fanIn))
	w := uniform[float32](g, weights, -bound, bound)
	bound = 1 / math.Sqrt(fanIn)
	return append(w, uniform[float32](g, biases, -bound, bound)...)
}
