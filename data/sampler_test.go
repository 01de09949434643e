package data

import (
	"errors"
	"math"
	"slices"
	"testing"

	"cresset/internal/rng"
	"cresset/tensor"
)

// permutationOf returns what torch.randperm draws.
func permutationOf(g *rng.MT19937, n int) []float32 {
	drawn := make([]int64, n)
	rng.Perm(g, drawn)
	out := make([]float32, n)
	for i, v := range drawn {
		out[i] = float32(v)
	}
	return out
}

// TestSamplersDrawAsPyTorch compares two epochs, and a number that the default generator draws afterwards, with what PyTorch 2.15
// draws after torch.manual_seed(7).
func TestSamplersDrawAsPyTorch(t *testing.T) {
	ten, own := &numbers{n: 10}, func() GeneratorOption { return Generator(tensor.NewGenerator(3)) }
	weights := []float64{0.1, 0.9, 0.4, 0, 3}
	for name, c := range map[string]struct {
		make          func() *Sampler
		first, second []int
		after         int64
	}{
		"random": {func() *Sampler { return NewRandomSampler(ten) },
			[]int{3, 0, 1, 9, 4, 7, 2, 5, 6, 8}, []int{3, 2, 7, 8, 6, 1, 5, 9, 0, 4}, 283},
		"random, own generator": {func() *Sampler { return NewRandomSampler(ten, own()) },
			[]int{6, 0, 3, 7, 8, 5, 1, 9, 2, 4}, []int{0, 9, 6, 1, 7, 2, 5, 3, 4, 8}, 615},
		"random, 25": {func() *Sampler { return NewRandomSampler(ten, NumSamples(25)) },
			[]int{3, 0, 1, 9, 4, 7, 2, 5, 6, 8, 1, 6, 4, 3, 2, 5, 9, 0, 8, 7, 6, 2, 0, 4, 8},
			[]int{3, 2, 7, 8, 6, 1, 5, 9, 0, 4, 5, 9, 2, 7, 8, 3, 6, 1, 4, 0, 6, 4, 8, 0, 1}, 283},
		"random, 25, own generator": {func() *Sampler { return NewRandomSampler(ten, NumSamples(25), own()) },
			[]int{6, 0, 3, 7, 8, 5, 1, 9, 2, 4, 9, 8, 5, 3, 0, 6, 7, 2, 1, 4, 0, 9, 6, 1, 7},
			[]int{4, 5, 0, 7, 1, 9, 3, 6, 8, 2, 3, 8, 1, 7, 5, 9, 6, 0, 2, 4, 1, 8, 5, 4, 7}, 615},
		"random, 20, own generator": {func() *Sampler { return NewRandomSampler(ten, NumSamples(20), own()) },
			[]int{6, 0, 3, 7, 8, 5, 1, 9, 2, 4, 9, 8, 5, 3, 0, 6, 7, 2, 1, 4}, []int{4, 5, 0, 7, 1, 9, 3, 6, 8, 2, 3, 8, 1, 7, 5, 9, 6, 0, 2, 4}, 615},
		"replacement": {func() *Sampler { return NewRandomSampler(ten, Replacement(true)) },
			[]int{3, 5, 7, 1, 0, 2, 3, 6, 1, 1}, []int{3, 5, 3, 9, 4, 7, 9, 4, 4, 5}, 283},
		"replacement, 40, own generator": {func() *Sampler { return NewRandomSampler(ten, Replacement(true), NumSamples(40), own()) },
			[]int{6, 8, 7, 7, 0, 0, 0, 5, 1, 9, 4, 1, 5, 9, 6, 9, 5, 4, 0, 4, 6, 9, 1, 6, 2, 8, 7, 4, 4, 0, 0, 1, 4, 3, 9, 2, 3, 0, 2, 1},
			[]int{3, 4, 6, 5, 4, 1, 6, 3, 7, 1, 3, 6, 9, 4, 4, 5, 1, 3, 6, 2, 4, 3, 0, 2, 4, 7, 8, 8, 3, 5, 8, 6, 9, 7, 7, 0, 3, 1, 9, 5}, 615},
		"subset": {func() *Sampler { return NewSubsetRandomSampler([]int{5, 6, 7, 8, 9}) }, []int{5, 6, 8, 7, 9}, []int{8, 9, 6, 7, 5}, 988},
		"subset, own generator": {func() *Sampler { return NewSubsetRandomSampler([]int{5, 6, 7, 8, 9}, own()) },
			[]int{6, 5, 8, 9, 7}, []int{5, 6, 7, 9, 8}, 615},
		"weighted":                {func() *Sampler { return NewWeightedRandomSampler(weights, 8) }, []int{2, 2, 4, 4, 4, 4, 2, 4}, []int{4, 4, 1, 1, 1, 1, 1, 4}, 116},
		"weighted, own generator": {func() *Sampler { return NewWeightedRandomSampler(weights, 8, own()) }, []int{1, 2, 4, 1, 4, 4, 1, 4}, []int{4, 4, 1, 4, 4, 4, 4, 1}, 615},
		"weighted, each once":     {func() *Sampler { return NewWeightedRandomSampler(weights, 4, Replacement(false)) }, []int{1, 4, 0, 2}, []int{1, 4, 2, 0}, 596},
		"weighted, each once, own generator": {func() *Sampler { return NewWeightedRandomSampler(weights, 3, Replacement(false), own()) },
			[]int{0, 1, 4}, []int{1, 4, 2}, 615},
		"weighted, one": {func() *Sampler { return NewWeightedRandomSampler(weights, 1) }, []int{1}, []int{1}, 596},
	} {
		tensor.ManualSeed(7)
		s := c.make()
		first, second := s.Indices(), s.Indices()
		if !slices.Equal(first, c.first) || !slices.Equal(second, c.second) || s.Len() != len(first) {
			t.Errorf("%s: got %v, then %v of %d, want %v, then %v", name, first, second, s.Len(), c.first, c.second)
		}
		if after := tensor.RandInt(0, 1000, 1).Item(); after != c.after {
			t.Errorf("%s: drew %v afterwards, want %d", name, after, c.after)
		}
	}
}

// TestDistributedSamplerSharesAsPyTorch compares with what PyTorch 2.15 gives each of three ranks in two epochs.
func TestDistributedSamplerSharesAsPyTorch(t *testing.T) {
	for _, c := range []struct {
		samples int
		options []DistributedSamplerOption
		want    [6][]int
	}{
		{10, nil, [6][]int{{4, 5, 0, 2}, {5, 2, 9, 4}, {1, 3, 8, 4}, {6, 0, 3, 5}, {7, 9, 6, 1}, {1, 8, 7, 6}}},
		{2, nil, [6][]int{{0}, {1}, {1}, {0}, {0}, {1}}},
		{10, []DistributedSamplerOption{DropLast(true)}, [6][]int{{4, 5, 0}, {5, 2, 9}, {1, 3, 8}, {6, 0, 3}, {7, 9, 6}, {1, 8, 7}}},
		{2, []DistributedSamplerOption{DropLast(true)}, [6][]int{}},
		{10, []DistributedSamplerOption{Shuffle(false)}, [6][]int{{0, 3, 6, 9}, {0, 3, 6, 9}, {1, 4, 7, 0}, {1, 4, 7, 0}, {2, 5, 8, 1}, {2, 5, 8, 1}}},
		{2, []DistributedSamplerOption{Shuffle(false)}, [6][]int{{0}, {0}, {1}, {1}, {0}, {0}}},
		{10, []DistributedSamplerOption{Seed(5)}, [6][]int{{1, 6, 0, 7}, {0, 1, 9, 6}, {4, 3, 2, 1}, {7, 8, 2, 0}, {9, 5, 8, 4}, {5, 3, 4, 7}}},
	} {
		for rank := range 3 {
			s := NewDistributedSampler(&numbers{n: c.samples}, 3, rank, c.options...)
			for epoch := range 2 {
				if got, want := s.Indices(), c.want[2*rank+epoch]; !slices.Equal(got, want) || s.Len() != len(want) {
					t.Errorf("%d samples, %d options, rank %d, epoch %d: got %v of %d, want %v", c.samples, len(c.options), rank, epoch, got, s.Len(), want)
				}
			}
			s.SetEpoch(0)
			if got, want := s.Indices(), c.want[2*rank]; !slices.Equal(got, want) {
				t.Errorf("rank %d, epoch 0 once more: got %v, want %v", rank, got, want)
			}
		}
	}
}

func TestSamplersRefuse(t *testing.T) {
	three := &numbers{n: 3}
	for want, make := range map[string]func(){
		"num_samples should be a positive integer value, but got num_samples=0":  func() { NewRandomSampler(&numbers{}) },
		"num_samples should be a positive integer value, but got num_samples=-1": func() { NewRandomSampler(three, NumSamples(-1)) },
		"num_samples should be a positive integer value, but got num_samples=-2": func() { NewWeightedRandomSampler([]float64{1}, -2) },
		"invalid multinomial distribution (encountering probability entry < 0)":  func() { NewWeightedRandomSampler([]float64{1, -1}, 1) },
		"invalid multinomial distribution (encountering probability entry = infinity or NaN)": func() {
			NewWeightedRandomSampler([]float64{1, math.NaN()}, 1)
		},
		"invalid multinomial distribution (sum of probabilities <= 0)": func() { NewWeightedRandomSampler([]float64{0, 0}, 1) },
		"the sum of the weights is larger than a float64 holds":        func() { NewWeightedRandomSampler([]float64{1e308, 1e308}, 1) },
		"cannot sample n_sample > prob_dist.size(-1) samples without replacement": func() {
			NewWeightedRandomSampler([]float64{1, 0}, 3, Replacement(false))
		},
		"invalid multinomial distribution (with replacement=False, not enough non-negative category to sample)": func() {
			NewWeightedRandomSampler([]float64{1, 0}, 2, Replacement(false))
		},
		"Invalid rank 3, rank should be in the interval [0, 2]":               func() { NewDistributedSampler(three, 3, 3) },
		"batch_size should be a positive integer value, but got batch_size=0": func() { NewBatchSampler(NewSequentialSampler(three), 0) },
		"an epoch cannot have -1 batches":                                     func() { NewBatchSamplerBy(NewSequentialSampler(three), -1, nil) },
		"the order was cut into 1 batches, not 2": func() {
			NewBatchSamplerBy(NewSequentialSampler(three), 2, func(order []int) [][]int { return [][]int{order} }).Batches()
		},
	} {
		if err := tensor.Try(make); err == nil || err.Error() != want || !errors.Is(err, tensor.ErrValue) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestLoaderWithSampler compares with PyTorch's DataLoader of the same sampler after torch.manual_seed(7).
func TestLoaderWithSampler(t *testing.T) {
	ten := &numbers{n: 10}
	tensor.ManualSeed(7)
	l := NewLoader(ten, BatchSize(4), NewWeightedRandomSampler([]float64{1, 1, 1, 1, 1, 3, 3, 3, 3, 3}, 10))
	want := [][]float32{{5, 9, 7, 9}, {8, 5, 7, 8}, {8, 1}, {3, 0, 2, 8}, {0, 9, 2, 9}, {9, 9}}
	if got := append(epoch(t, l), epoch(t, l)...); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("weighted: got %v, want %v", got, want)
	}
	l = NewLoader(ten, BatchSize(4), NewRandomSampler(ten, Generator(tensor.NewGenerator(3))), Generator(tensor.NewGenerator(9)))
	want = [][]float32{{6, 0, 3, 7}, {8, 5, 1, 9}, {2, 4}, {0, 9, 6, 1}, {7, 2, 5, 3}, {4, 8}}
	if got := append(epoch(t, l), epoch(t, l)...); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("two generators: got %v, want %v", got, want)
	}
	byParity := func(order []int) (batches [][]int) {
		batches = make([][]int, 2)
		for _, i := range order {
			batches[i%2] = append(batches[i%2], i)
		}
		return batches
	}
	l = NewLoader(ten, NewBatchSamplerBy(NewSequentialSampler(ten), 2, byParity))
	want = [][]float32{{0, 2, 4, 6, 8}, {1, 3, 5, 7, 9}}
	if got := epoch(t, l); !slices.EqualFunc(got, want, slices.Equal) || l.Len() != 2 {
		t.Errorf("by parity: got %v of %d, want %v", got, l.Len(), want)
	}
	if got, want := NewBatchSampler(NewSequentialSampler(ten), 4).Batches(), [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("batches: got %v, want %v", got, want)
	}
}

func TestSamplersResume(t *testing.T) {
	for name, make := range map[string]func() *Sampler{
		"sequential":  func() *Sampler { return NewSequentialSampler(&numbers{n: 5}) },
		"random":      func() *Sampler { return NewRandomSampler(&numbers{n: 5}, Generator(tensor.NewGenerator(1))) },
		"distributed": func() *Sampler { return NewDistributedSampler(&numbers{n: 50}, 2, 1) },
		"the program's": func() *Sampler {
			return NewSampler(5, func(g *tensor.Generator) []int { return ints(tensor.Place{}.With(g).RandInt(0, 9, 5)) }, Generator(tensor.NewGenerator(1)))
		},
	} {
		first, second := make(), make()
		first.Indices()
		if err := second.LoadStateDict(first.StateDict()); err != nil {
			t.Fatal(err)
		}
		if got, want := second.Indices(), first.Indices(); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	s := NewSequentialSampler(&numbers{n: 5})
	for want, state := range map[string]map[string]any{
		"the state dict has no epoch":                                            {},
		"the state dict is of epoch -1":                                          {"epoch": -1},
		"the state dict and the sampler differ in whether they have a Generator": NewRandomSampler(&numbers{n: 5}, Generator(tensor.NewGenerator(1))).StateDict(),
	} {
		if err := s.LoadStateDict(state); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestLoaderShufflesAsPyTorch(t *testing.T) {
	const n = 50
	samples := &numbers{n: n}

	// Without a generator DataLoader takes two seeds from the default one for each epoch, its own and the sampler's.
	tensor.ManualSeed(7)
	mt := rng.New(7)
	for e := range 3 {
		mt.Uint64()
		want := permutationOf(rng.New(mt.Uint64()&math.MaxInt64), n)
		got := slices.Concat(epoch(t, NewLoader(samples, BatchSize(8), Shuffle(true), Workers(2)))...)
		if !slices.Equal(got, want) {
			t.Errorf("epoch %d: got %v, want %v", e, got, want)
		}
	}

	// With one it takes its own seed from there, then the order, and at the end an order that it does not use.
	mt = rng.New(42)
	l := NewLoader(samples, BatchSize(8), Shuffle(true), DropLast(true), Generator(tensor.NewGenerator(42)))
	for e := range 3 {
		mt.Uint64()
		want := permutationOf(mt, n)[:48]
		if got := slices.Concat(epoch(t, l)...); !slices.Equal(got, want) {
			t.Errorf("epoch %d with a generator: got %v, want %v", e, got, want)
		}
		permutationOf(mt, n)
	}

	// Without a shuffle it still takes a seed for its worker processes.
	tensor.ManualSeed(7)
	epoch(t, NewLoader(samples))
	mt = rng.New(7)
	mt.Uint64()
	if got, want := tensor.Rand(1).Float64(), float64(mt.Float32()); got != want {
		t.Errorf("after an epoch in order: drew %v, want %v", got, want)
	}
}
