package data

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"cresset/device"
	"cresset/tensor"
)

// TestResumedLoader stops an epoch after every number of batches and goes on with a fresh Loader: it gives the batches that were
// missing, the epochs that would have followed, and leaves the random numbers as they would have been.
func TestResumedLoader(t *testing.T) {
	const samples, epochs = 10, 3
	options := map[string]func() []LoaderOption{
		"in order":  func() []LoaderOption { return nil },
		"shuffled":  func() []LoaderOption { return []LoaderOption{Shuffle(true)} },
		"drop last": func() []LoaderOption { return []LoaderOption{Shuffle(true), DropLast(true)} },
		"generator": func() []LoaderOption { return []LoaderOption{Shuffle(true), Generator(tensor.NewGenerator(3))} },
		"weighted": func() []LoaderOption {
			return []LoaderOption{NewWeightedRandomSampler([]float64{3, 1, 1, 2, 2, 1, 1, 1, 4, 1}, samples)}
		},
		"sampler with a generator": func() []LoaderOption {
			return []LoaderOption{NewRandomSampler(&numbers{n: samples}, Generator(tensor.NewGenerator(3)))}
		},
		"distributed": func() []LoaderOption { return []LoaderOption{NewDistributedSampler(&numbers{n: samples}, 2, 1)} },
	}
	for name, opts := range options {
		for _, workers := range []int{0, 1, 3} {
			make := func() *Loader[Batch] {
				return NewLoader(&numbers{n: samples}, append(opts(), BatchSize(3), Workers(workers))...)
			}
			tensor.ManualSeed(5)
			want := [][]float32{}
			for whole, e := make(), 0; e < epochs; e++ {
				want = append(want, epoch(t, whole)...)
			}
			drawn := tensor.Rand(1).Float64()
			for stop := 0; stop <= len(want); stop++ {
				tensor.ManualSeed(5)
				first, second := make(), make()
				got, state, random := firstBatches(t, first, stop)
				tensor.ManualSeed(99)
				tensor.DefaultGenerator(device.CPU).SetState(random)
				if err := second.LoadStateDict(state); err != nil {
					t.Fatal(err)
				}
				for second.StateDict()["epoch"] != epochs {
					got = append(got, epoch(t, second)...)
				}
				if !slices.EqualFunc(got, want, slices.Equal) {
					t.Errorf("%s, %d workers, stopped after %d batches: got %v, want %v", name, workers, stop, got, want)
				}
				if after := tensor.Rand(1).Float64(); after != drawn {
					t.Errorf("%s, %d workers, stopped after %d batches: drew %v afterwards, want %v", name, workers, stop, after, drawn)
				}
			}
		}
	}
}

// firstBatches returns batches, and the states of the loader and of the default generator in the loop of the last one.
func firstBatches(t *testing.T, l *Loader[Batch], n int) (batches [][]float32, state map[string]any, random []byte) {
	t.Helper()
	state, random = l.StateDict(), tensor.DefaultGenerator(device.CPU).State()
	for len(batches) < n {
		for b, err := range l.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			batches = append(batches, tensor.Values[float32](b.Inputs))
			if len(batches) == n {
				return batches, l.StateDict(), tensor.DefaultGenerator(device.CPU).State()
			}
		}
	}
	return batches, state, random
}

func TestLoaderRefusesStates(t *testing.T) {
	d := &numbers{n: 10}
	shuffled := NewLoader(d, BatchSize(2), Shuffle(true))
	for range shuffled.All(t.Context()) {
		break
	}
	changed := func(name string, v any) map[string]any {
		state := shuffled.StateDict()
		state[name] = v
		return state
	}
	cases := []struct {
		loader *Loader[Batch]
		state  map[string]any
		want   string
	}{
		{shuffled, map[string]any{}, "the state dict has no epoch"},
		{shuffled, changed("epoch", -1), "the state dict is of epoch -1, batch 1, and the loader has 5 batches"},
		{shuffled, changed("position", 6), "the state dict is of epoch 0, batch 6, and the loader has 5 batches"},
		{NewLoader(d, Shuffle(true)), changed("", nil), "the state dict is of 10 samples in batches of 2, and the loader has 10 in batches of 1"},
		{NewLoader(d, BatchSize(2)), changed("", nil), "the state dict and the loader differ in whether they shuffle"},
		{NewLoader(d, BatchSize(2), Shuffle(true), Generator(tensor.NewGenerator(0))), changed("", nil),
			"the state dict and the loader differ in whether they have a Generator"},
		{shuffled, changed("order", "1, 2"), "the state dict's order should be a tensor of bytes, not 1, 2"},
		{shuffled, changed("order", tensor.Ones(3)), "the state dict's order should be a tensor of bytes, not a *tensor.Tensor"},
		{shuffled, changed("order", tensor.FromSlice([]uint8{1})), "Expected either a CPUGeneratorImplStateLegacy of size 5048 or a " +
			"CPUGeneratorImplState of size 5056 but found the input RNG state size to be 1"},
	}
	before := fmt.Sprint(shuffled.StateDict())
	for _, c := range cases {
		if err := c.loader.LoadStateDict(c.state); err == nil || err.Error() != c.want || !errors.Is(err, tensor.ErrValue) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if after := fmt.Sprint(shuffled.StateDict()); after != before {
		t.Errorf("a refused state changed the loader from %s to %s", before, after)
	}
}
