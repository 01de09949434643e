package tensor

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"cresset/device"
	"cresset/dtype"
)

// The recording is PyTorch 2.6's, in the build without MKL; each row "SEED NAME [VALUES]" starts from torch.manual_seed.
const drawsFile = "../internal/rng/testdata/rng_cpu_torch26.txt"

var (
	float64s = Place{}.As(dtype.Float64)
	halfs    = Place{}.As(dtype.Float16)
	bhalfs   = Place{}.As(dtype.BFloat16)
)

// seededDraws maps the name of a row to what draws it. ulps is how far a value may lie from PyTorch's.
var seededDraws = map[string]struct {
	ulps float64
	draw func() []*Tensor
}{
	"rand5":                  {0, func() []*Tensor { return []*Tensor{Rand(5)} }},
	"rand5 f64":              {0, func() []*Tensor { return []*Tensor{float64s.Rand(5)} }},
	"randn5":                 {5, func() []*Tensor { return []*Tensor{Randn(5)} }},
	"randn5 f64":             {5, func() []*Tensor { return []*Tensor{float64s.Randn(5)} }},
	"randn16":                {5, func() []*Tensor { return []*Tensor{Randn(16)} }},
	"randn17":                {5, func() []*Tensor { return []*Tensor{RandnLike(Empty(17))} }},
	"randn20 f64":            {5, func() []*Tensor { return []*Tensor{float64s.Randn(4, 5)} }},
	"randint(10,8)":          {0, func() []*Tensor { return []*Tensor{RandInt(0, 10, 8)} }},
	"randint(-5,5)":          {0, func() []*Tensor { return []*Tensor{RandInt(-5, 5, 8)} }},
	"randint(2**40)":         {0, func() []*Tensor { return []*Tensor{RandInt(0, 1<<40, 4)} }},
	"randint int32":          {0, func() []*Tensor { return []*Tensor{Place{}.As(dtype.Int32).RandInt(0, 100, 8)} }},
	"randperm10":             {0, func() []*Tensor { return []*Tensor{RandPerm(10)} }},
	"uniform_(-1,1)":         {0, func() []*Tensor { return []*Tensor{Empty(5).UniformInPlace(-1, 1)} }},
	"normal_(2,3)x5":         {5, func() []*Tensor { return []*Tensor{Empty(5).NormalInPlace(2, 3)} }},
	"normal_(2,3)x16":        {5, func() []*Tensor { return []*Tensor{Empty(16).NormalInPlace(2, 3)} }},
	"bernoulli_ .5":          {0, func() []*Tensor { return []*Tensor{Empty(10).BernoulliInPlace(.5)} }},
	"bernoulli(p tensor .5)": {0, func() []*Tensor { return []*Tensor{Bernoulli(Full([]int{10}, .5))} }},
	"dropout.5":              {0, func() []*Tensor { return []*Tensor{Ones(10).Dropout(.5)} }},
	"random_()":              {0, func() []*Tensor { return []*Tensor{Place{}.As(dtype.Int64).Empty(4).RandomInPlace()} }},
	"exponential_":           {5, func() []*Tensor { return []*Tensor{Empty(4).ExponentialInPlace(1)} }},
	"multinomial":            {0, func() []*Tensor { return []*Tensor{Of([]float32{.1, .2, .3, .4}).Multinomial(3)} }},
	"rand half":              {0, func() []*Tensor { return []*Tensor{halfs.Rand(5), bhalfs.Rand(5)} }},
	"Embedding(3,2)":         {5, func() []*Tensor { return []*Tensor{Randn(3, 2)} }},
	"rand(2,3).t() strided fill": {0, func() []*Tensor {
		return []*Tensor{Empty(3, 2).T().UniformInPlace(0, 1)}
	}},
}

// elsewhere maps rows that this package does not draw to where they are.
var elsewhere = map[string]string{
	"Linear(3,1)":   "nn",
	"Linear(4,3)":   "nn",
	"Conv2d(1,2,3)": "nn",
}

var seededRow = regexp.MustCompile(`^(\d+) (.+?) (\[.*)$`)

func TestDrawsArePyTorchs(t *testing.T) {
	text, err := os.ReadFile(drawsFile)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, line := range strings.Split(string(text), "\n") {
		m := seededRow.FindStringSubmatch(line)
		if m == nil || elsewhere[m[2]] != "" {
			continue
		}
		row, ok := seededDraws[m[2]]
		if !ok {
			t.Errorf("no draw for row %q", line)
			continue
		}
		seen[m[2]]++
		seed, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ManualSeed(seed)
		var got []float64
		double := false
		for _, x := range row.draw() {
			got = append(got, Values[float64](x)...)
			double = x.DType() == dtype.Float64
		}
		compareDraws(t, m[1]+" "+m[2], got, numbersIn(t, strings.ReplaceAll(m[3], "bf16", "")), row.ulps, double)
	}
	for name := range seededDraws {
		if seen[name] != 4 {
			t.Errorf("%s: %d rows, want one for each of 4 seeds", name, seen[name])
		}
	}
}

func numbersIn(t *testing.T, s string) []float64 {
	t.Helper()
	var out []float64
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("[], ", r) }) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

func compareDraws(t *testing.T, row string, got, want []float64, ulps float64, double bool) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: got %d values, want %d", row, len(got), len(want))
		return
	}
	for i, w := range want {
		ulp := float64(math.Nextafter32(float32(math.Abs(w)), math.MaxFloat32)) - float64(float32(math.Abs(w)))
		if double {
			ulp = math.Nextafter(math.Abs(w), math.MaxFloat64) - math.Abs(w)
		}
		if !(math.Abs(got[i]-w) <= ulps*ulp) {
			t.Errorf("%s: element %d: got %v, want %v", row, i, got[i], w)
		}
	}
}

func TestNormalCacheOutlivesACall(t *testing.T) {
	ManualSeed(0)
	first, second := Randn(3), float64s.Randn(4)
	ManualSeed(0)
	whole := float64s.Randn(7)
	got := append(Values[float32](first), Values[float32](second)...)
	if want := Values[float32](whole); !slices.Equal(got, want) {
		t.Errorf("3 and 4 draws are %v, 7 draws are %v", got, want)
	}
}

func TestStridedDraws(t *testing.T) {
	tests := []struct {
		name string
		view func(x *Tensor) *Tensor
		want []float32 // where the draws 0, 1, … go, by row-major index of the view
	}{
		{"every other column", func(x *Tensor) *Tensor { return x.Slice(1, 0, 4, 2) }, []float32{0, 1, 2, 3, 4, 5}},
		{"transposed columns", func(x *Tensor) *Tensor { return x.Slice(1, 0, 4, 2).T() }, []float32{0, 2, 4, 1, 3, 5}},
		{"permuted", func(x *Tensor) *Tensor { return x.T() }, []float32{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}},
	}
	for _, tt := range tests {
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.Int32} {
			x := Place{}.As(dt).Full([]int{3, 4}, 7)
			v := tt.view(x)
			stream := Place{}.As(dt).With(NewGenerator(5))
			if dt.IsFloat() {
				v.UniformInPlace(0, 1, NewGenerator(5))
			} else {
				v.RandIntInPlace(0, 1000, NewGenerator(5))
			}
			var draws []float32
			if dt.IsFloat() {
				draws = Values[float32](stream.Rand(len(tt.want)))
			} else {
				draws = Values[float32](stream.RandInt(0, 1000, len(tt.want)))
			}
			for i, got := range Values[float32](v) {
				if want := draws[int(tt.want[i])]; got != want {
					t.Errorf("%s %s: element %d is %v, want draw %v, %v", tt.name, dt, i, got, tt.want[i], want)
				}
			}
			if untouched := 12 - len(tt.want); untouched > 0 {
				if got := Values[float32](x)[1]; got != 7 {
					t.Errorf("%s %s: a neighbour became %v", tt.name, dt, got)
				}
			}
		}
	}
}

func TestGeneratorsStandAlone(t *testing.T) {
	ManualSeed(0)
	a := On(device.CPU).With(NewGenerator(7)).Rand(3)
	b := Rand(5).String()
	if want := "tensor([0.4963, 0.7682, 0.0885, 0.1320, 0.3074])"; b != want {
		t.Errorf("the default generator gave %s, want %s", b, want)
	}
	if got, want := Empty(3).UniformInPlace(0, 1, NewGenerator(7)).String(), a.String(); got != want {
		t.Errorf("the same seed gave %s and %s", got, want)
	}
}

func TestGeneratorState(t *testing.T) {
	g := NewGenerator(3)
	p := Place{}.With(g)
	p.Randn(3)
	state := g.State()
	a := p.Randn(4).String()
	g.SetState(state)
	if b := p.Randn(4).String(); a != b {
		t.Errorf("after SetState: %s, want %s", b, a)
	}
	err := Try(func() { g.SetState(make([]byte, 10)) })
	want := "Expected either a CPUGeneratorImplStateLegacy of size 5048 or a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 10"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestSeeds(t *testing.T) {
	ManualSeed(-1)
	if got, want := InitialSeed(), uint64(math.MaxUint64); got != want {
		t.Errorf("ManualSeed(-1): initial seed %d, want %d", got, want)
	}
	if got, want := Rand(2).String(), "tensor([0.9938, 0.5713])"; got != want {
		t.Errorf("ManualSeed(-1): %s, want %s", got, want)
	}
	if a, b := Seed(), InitialSeed(); a != b {
		t.Errorf("Seed returned %d, the initial seed is %d", a, b)
	}
}

func TestGeneratorIsShared(t *testing.T) {
	g := NewGenerator(0)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				Place{}.With(g).Rand(8)
				Empty(3).NormalInPlace(0, 1, g)
			}
		})
	}
	wg.Wait()
	h := NewGenerator(0)
	for range 4 * 50 {
		Place{}.With(h).Rand(8)
	}
	for range 4 * 50 * 3 / 2 {
		Place{}.With(h).As(dtype.Float64).Rand(2) // what a pair of normal draws takes
	}
	got, want := Place{}.With(g).Rand(1).String(), Place{}.With(h).Rand(1).String()
	if got != want {
		t.Errorf("after the same number of draws: %s, want %s", got, want)
	}
}

func TestDropout(t *testing.T) {
	x := Ones(4).SetRequiresGrad(true)
	if got := x.Dropout(0); got != x {
		t.Error("p=0 does not return x")
	}
	if got := x.Dropout(.5, Training(false)); got != x {
		t.Error("evaluation does not return x")
	}
	if got, want := x.Dropout(1).String(), "tensor([0., 0., 0., 0.], grad_fn=<MulBackward0>)"; got != want {
		t.Errorf("p=1: got %s, want %s", got, want)
	}
	y := x.Dropout(.25, NewGenerator(3))
	y.Sum().Backward()
	if got, want := x.Grad().String(), y.Detach().String(); got != want {
		t.Errorf("gradient %s, want the mask %s", got, want)
	}
	if got, want := slices.Max(Values[float32](y)), float32(1)/.75; got != want {
		t.Errorf("kept elements are %v, want %v", got, want)
	}
}

func TestDrawsAndGradients(t *testing.T) {
	x := Ones(2).SetRequiresGrad(true)
	y := x.MulScalar(2)
	y.UniformInPlace(0, 1)
	if got, want := y.GradFn(), "UniformBackward0"; got != want {
		t.Errorf("grad_fn %s, want %s", got, want)
	}
	y.Sum().Backward()
	if got, want := x.Grad().String(), "tensor([0., 0.])"; got != want {
		t.Errorf("gradient %s, want %s", got, want)
	}
	p := Full([]int{2}, .5).SetRequiresGrad(true)
	if got, want := Bernoulli(p).GradFn(), "BernoulliBackward0"; got != want {
		t.Errorf("grad_fn %s, want %s", got, want)
	}
	z := Ones(2)
	z.NormalInPlace(0, 1)
	if z.Version() != 1 {
		t.Errorf("version %d after one change", z.Version())
	}
}
