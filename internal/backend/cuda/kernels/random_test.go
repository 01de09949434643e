package kernels_test

import (
	"bufio"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
)

// draw runs a kernel on a device of 8 multiprocessors, which tensors of ordinary size do not see.
func draw[T dtype.Element](t *testing.T, row string, n int, p kernels.Draw) []T {
	t.Helper()
	lanes := 4
	if row != "bernoulli_each" && (dtype.Of[T]() == dtype.Float64 || p.Wide != 0) {
		lanes = 2
	}
	m, got := &machine{t: t}, make([]T, n)
	p.N, p.Out = uint64(n), put(m, got)
	g, _ := kernels.DrawGrid(p.N, lanes, 8, 2048)
	launch(m, row+suffix[T](), g, p)
	return got
}

// TestDraws compares with the numbers that PyTorch draws on a GPU, as far as the file prints them.
func TestDraws(t *testing.T) {
	file, err := os.Open("testdata/rng_cuda_philox_computed.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var seed uint64
	rows := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if text, ok := strings.CutPrefix(line, "seed "); ok {
			if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
				t.Fatal(err)
			}
			continue
		}
		label, list, found := cutLast(line, " [")
		if !found {
			continue
		}
		want := strings.Fields(regexp.MustCompile(`[\[\],']`).ReplaceAllString(list, " "))
		got := drawn(t, strings.TrimSpace(label), len(want), seed)
		if got == nil {
			continue
		}
		rows++
		for i, w := range want {
			if !printsAs(got[i], w) {
				t.Errorf("seed %d: %s: element %d: got %v, want %s", seed, label, i, got[i], w)
			}
		}
	}
	if rows < 40 {
		t.Errorf("only %d rows were compared", rows)
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i:], true
}

// drawn returns the draws that a row of the file is about, nil where it is about none.
func drawn(t *testing.T, label string, n int, seed uint64) []float64 {
	p := kernels.Draw{Seed: seed, B: 1}
	switch label {
	case "rand f32 call1":
		return wide(draw[float32](t, "uniform", n, p))
	case "rand f32 call2 (offset 4)":
		p.Offset = 4
		return wide(draw[float32](t, "uniform", n, p))
	case "randn f32":
		return wide(draw[float32](t, "normal", n, p))
	case "rand f64":
		return wide(draw[float64](t, "uniform", n, p))
	case "randn f64":
		return wide(draw[float64](t, "normal", n, p))
	case "randint(10,(8,))":
		p.Range = 10
		return wide(draw[int64](t, "randint", n, p))
	case "randint(0,2**40,(2,))":
		p.Range, p.Wide = 1<<40, 1
		return wide(draw[int64](t, "randint", n, p))
	case "bernoulli_(.5) x8":
		p.A = 0.5
		return wide(draw[float32](t, "bernoulli", n, p))
	case "dropout(p=.5, ones(8)) vec4":
		return wide(dropout(t, n, 4, p))
	case "dropout(p=.5, ones(6)): n%4!=0 -> vec2: thread t elems 2t,2t+1":
		return wide(dropout(t, n, 2, p))
	}
	return nil
}

func dropout(t *testing.T, n int, width uint32, p kernels.Draw) []float32 {
	t.Helper()
	m := &machine{t: t}
	mask := make([]bool, n)
	ones := slices.Repeat([]float32{1}, n)
	out := make([]float32, n)
	p.N, p.A, p.Width, p.In, p.Mask, p.Out = uint64(n), 0.5, width, put(m, ones), put(m, mask), put(m, out)
	g, _ := kernels.DrawGrid(p.N, 4, 8, 2048)
	launch(m, "dropout_f32", g, p)
	for i, v := range out {
		if mask[i] != (v == 2) {
			t.Errorf("element %d is %v, its mask %v", i, v, mask[i])
		}
	}
	return out
}

func wide[T dtype.Number](s []T) []float64 {
	w := make([]float64, len(s))
	for i, v := range s {
		w[i] = float64(v)
	}
	return w
}

// printsAs reports whether a number prints as text does, one unit of its last digit more or less.
func printsAs(v float64, text string) bool {
	want, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false
	}
	_, digits, _ := strings.Cut(text, ".")
	return math.Abs(v-want) <= math.Pow(10, -float64(len(digits)))*0.501
}

// TestLargeDraws wants every element of a tensor that a thread draws more than once for, each only once.
func TestLargeDraws(t *testing.T) {
	const n, threads = 150_000, 8 * 8 * 256 // 2 rounds of 4 lanes and a part of a third
	got := draw[float32](t, "uniform", n, kernels.Draw{Seed: 3, B: 1})
	seen := map[float32]int{}
	sum := 0.0
	for _, v := range got {
		if v < 0 || v >= 1 {
			t.Fatalf("%v is not in [0, 1)", v)
		}
		seen[v]++
		sum += float64(v)
	}
	if mean := sum / n; !(math.Abs(mean-0.5) <= 0.005) || len(seen) < n*99/100 {
		t.Errorf("mean %v, %d different numbers of %d", mean, len(seen), n)
	}
	// The second round is the first of the next call.
	next := draw[float32](t, "uniform", n, kernels.Draw{Seed: 3, Offset: 4, B: 1})
	compare(t, "second round", got[4*threads:], next[:n-4*threads])
}

func TestMoreDraws(t *testing.T) {
	const n = 4000
	p := make([]float32, n)
	for i := range p {
		p[i] = float32(i%5) / 4
	}
	m, got, fault := &machine{t: t}, make([]float32, n), make([]kernels.Fault, 1)
	d := kernels.Draw{N: n, Out: put(m, got), In: put(m, p), Seed: 7, Report: kernels.Report{Word: put(m, fault), Tag: 3}}
	g, _ := kernels.EachGrid(n, 8, 2048)
	launch(m, "bernoulli_each_f32", g, d)
	var ones [5]int
	for i, v := range got {
		ones[i%5] += int(v)
	}
	if ones[0] != 0 || ones[4] != n/5 || !(math.Abs(float64(ones[2])-n/10) <= 60) {
		t.Errorf("ones by probability: %v", ones)
	}
	p[9] = 2
	launch(m, "bernoulli_each_f32", g, d)
	if want := (kernels.Fault{Code: kernels.ProbabilityFault, Tag: 3, At: 9}); fault[0] != want {
		t.Errorf("got %+v, want %+v", fault[0], want)
	}

	sum := 0.0
	for _, v := range draw[float64](t, "exponential", n, kernels.Draw{Seed: 1, A: 2}) {
		sum += v
	}
	if mean := sum / n; !(math.Abs(mean-0.5) <= 0.03) {
		t.Errorf("exponential of rate 2: mean %v", mean)
	}
}
