package tensor_test

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"cresset/cuda"
	"cresset/dtype"
	"cresset/tensor"
)

// philoxDraws are the draws of which the golden has rows, by the row's beginning.
var philoxDraws = []struct {
	row       string
	tolerance float64 // half of the last digit that is printed, and for normal draws 5 ulp
	draw      func(p tensor.Place) *tensor.Tensor
}{
	{"rand f32 call1", 5.1e-5, func(p tensor.Place) *tensor.Tensor { return p.Rand(12) }},
	{"rand f32 call2", 5.1e-5, func(p tensor.Place) *tensor.Tensor { p.Rand(12); return p.Rand(4) }},
	{"randn f32", 5.2e-5, func(p tensor.Place) *tensor.Tensor { return p.Randn(8) }},
	{"rand f64", 5.1e-9, func(p tensor.Place) *tensor.Tensor { return p.As(dtype.Float64).Rand(4) }},
	{"randn f64", 5.1e-7, func(p tensor.Place) *tensor.Tensor { return p.As(dtype.Float64).Randn(4) }},
	{"randint(10,(8,))", 0, func(p tensor.Place) *tensor.Tensor { return p.RandInt(0, 10, 8) }},
	{"randint(0,2**40,(2,))", 0, func(p tensor.Place) *tensor.Tensor { return p.RandInt(0, 1<<40, 2) }},
	{"bernoulli_(.5) x8", 0, func(p tensor.Place) *tensor.Tensor { return p.Empty(8).BernoulliInPlace(.5) }},
	{"dropout(p=.5, ones(8))", 0, func(p tensor.Place) *tensor.Tensor { return p.Ones(8).Dropout(.5) }},
	{"dropout(p=.5, ones(6))", 0, func(p tensor.Place) *tensor.Tensor { return p.Ones(6).Dropout(.5) }},
}

// TestPhiloxDraws compares draws on a GPU with what PyTorch draws there.
func TestPhiloxDraws(t *testing.T) {
	_, dev := gpus(t)
	golden, err := os.ReadFile("testdata/rng_cuda_philox_computed.txt")
	if err != nil {
		t.Fatal(err)
	}
	var seed int64
	rows := 0
	for line := range strings.Lines(string(golden)) {
		if s, ok := strings.CutPrefix(line, "seed "); ok {
			if seed, err = strconv.ParseInt(strings.TrimSpace(s), 10, 64); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for _, d := range philoxDraws {
			if !strings.HasPrefix(line, " "+d.row) {
				continue
			}
			rows++
			tensor.ManualSeed(seed)
			got := tensor.Values[float64](d.draw(tensor.On(dev)))
			for i, want := range numbersOf(t, line) {
				if !(math.Abs(got[i]-want) <= d.tolerance) {
					t.Errorf("seed %d, %s: element %d is %v, want %v", seed, d.row, i, got[i], want)
				}
			}
		}
	}
	if rows < 5*len(philoxDraws) {
		t.Errorf("only %d rows were compared", rows)
	}
}

// numbersOf reads the list that ends a line of the golden.
func numbersOf(t *testing.T, line string) (v []float64) {
	t.Helper()
	text := strings.NewReplacer("'", "").Replace(line[strings.LastIndexByte(line, '['):])
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return v
}

func TestEveryGPUHasAStreamOfItsOwn(t *testing.T) {
	first, second := twoGPUs(t)
	tensor.ManualSeed(3)
	a := tensor.On(first).Rand(4)
	tensor.On(first).Rand(4)
	b := tensor.On(second).Rand(4)
	if !sameBits(arrayOf(a), arrayOf(b)) {
		t.Error("the same seed gives different numbers on two GPUs")
	}
	cuda.ManualSeed(5)
	if one, other := tensor.DefaultGenerator(first).InitialSeed(), tensor.DefaultGenerator(second).InitialSeed(); one != 5 || other != 3 {
		t.Errorf("seeds are %d and %d, want 5 and 3", one, other)
	}
}

func TestGPUGeneratorsAreRestored(t *testing.T) {
	first := gpu(t)
	cuda.ManualSeed(5)
	g := tensor.DefaultGenerator(first)
	state := g.State()
	x := tensor.On(first).Randn(5)
	g.SetState(state)
	if !sameBits(arrayOf(x), arrayOf(tensor.On(first).Randn(5))) {
		t.Error("a restored generator draws other numbers")
	}
	own := tensor.NewGeneratorOn(first, 5)
	if !sameBits(arrayOf(tensor.On(first).With(own).Randn(5)), arrayOf(x)) {
		t.Error("a generator of the same seed draws other numbers")
	}
	if err := tensor.Try(func() { tensor.On(first).With(tensor.NewGenerator(0)).Rand(1) }); err == nil ||
		err.Error() != "Expected a 'cuda' device type for generator but found 'cpu'" {
		t.Errorf("got %v", err)
	}
}

func TestDropoutOnGPUs(t *testing.T) {
	dev := gpu(t)
	x := tensor.On(dev).Ones(5, 8).SetRequiresGrad(true)
	y := x.Dropout(0.25)
	if got := y.GradFn(); got != "NativeDropoutBackward0" {
		t.Errorf("grad_fn is %s", got)
	}
	y.Sum().Backward()
	if !sameBits(arrayOf(x.Grad()), arrayOf(y.Detach())) {
		t.Errorf("the gradient %v is not the mask of %v", x.Grad(), y)
	}
}

// TestRandPermOnGPUs wants every number once, another order from call to call, and the same from the same seed.
func TestRandPermOnGPUs(t *testing.T) {
	_, dev := gpus(t)
	p := tensor.On(dev)
	for _, n := range []int{0, 1, 1500} {
		tensor.ManualSeed(5)
		first, second := p.RandPerm(n), p.RandPerm(n)
		values, _ := first.Sort(0)
		if !values.Equal(p.Arange(0, n, 1)) {
			t.Errorf("%d numbers: sorted, they are %v", n, values)
		}
		if n > 1 && first.Equal(second) {
			t.Errorf("%d numbers: two calls give the same order", n)
		}
		tensor.ManualSeed(5)
		if again := p.RandPerm(n); !again.Equal(first) {
			t.Errorf("%d numbers: the same seed gives another order", n)
		}
	}
}

// TestNarrowDrawsOnGPUs wants the draws of small types to be those of float32 and int32, rounded or cut once.
func TestNarrowDrawsOnGPUs(t *testing.T) {
	_, dev := gpus(t)
	p := tensor.On(dev)
	const n = 600
	for name, c := range map[string]struct {
		wide   dtype.DType
		narrow []dtype.DType
		draw   func(x *tensor.Tensor)
	}{
		"normal_":      {dtype.Float32, halves, func(x *tensor.Tensor) { x.NormalInPlace(1, 2) }},
		"exponential_": {dtype.Float32, halves, func(x *tensor.Tensor) { x.ExponentialInPlace(2) }},
		"bernoulli_":   {dtype.Float32, append(halves[:2:2], dtype.Int8, dtype.Int16), func(x *tensor.Tensor) { x.BernoulliInPlace(0.25) }},
		"random_":      {dtype.Int32, []dtype.DType{dtype.Int8, dtype.Int16}, func(x *tensor.Tensor) { x.RandIntInPlace(-100, 100) }},
		"bernoulli":    {dtype.Float32, halves, func(x *tensor.Tensor) { x.FillInPlace(0.25); x.CopyInPlace(tensor.Bernoulli(x)) }},
		"dropout":      {dtype.Float32, halves, func(x *tensor.Tensor) { x.FillInPlace(3); x.CopyInPlace(x.Dropout(0.25)) }},
	} {
		tensor.ManualSeed(9)
		want := p.As(c.wide).Empty(n)
		c.draw(want)
		for _, dt := range c.narrow {
			tensor.ManualSeed(9)
			got := p.As(dt).Empty(n)
			c.draw(got)
			if !got.Equal(want.To(dt)) {
				t.Errorf("%s of %s: got %v, want %v", name, dt, got, want.To(dt))
			}
		}
	}
	for _, dt := range halves {
		x := p.As(dt).Rand(5000) // of which some round to 1
		for i, v := range tensor.Values[float64](x) {
			if !(v >= 0 && v < 1) {
				t.Errorf("rand of %s: element %d is %v", dt, i, v)
			}
		}
		if got := x.Float().Mean().Float64(); !(math.Abs(got-0.5) < 0.02) {
			t.Errorf("rand of %s: the mean is %v", dt, got)
		}
	}
}

var halves = []dtype.DType{dtype.Float16, dtype.BFloat16}
