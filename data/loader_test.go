package data

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"cresset/tensor"
)

// numbers is a data set whose sample i is i with target -i; it fails at the sample broken.
type numbers struct {
	n, broken int
	made      atomic.Int64 // batches
}

func (d *numbers) Len() int { return d.n }

func (d *numbers) Batch(indices []int) (Batch, error) {
	d.made.Add(1)
	inputs, targets := make([]float32, len(indices)), make([]float32, len(indices))
	for at, i := range indices {
		if d.broken > 0 && i == d.broken {
			return Batch{}, fmt.Errorf("sample %d is broken", i)
		}
		inputs[at], targets[at] = float32(i), float32(-i)
	}
	return Batch{Inputs: tensor.FromSlice(inputs), Targets: tensor.FromSlice(targets)}, nil
}

// epoch returns the inputs of each batch of an epoch.
func epoch(t *testing.T, l *Loader[Batch]) (batches [][]float32) {
	t.Helper()
	for b, err := range l.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		inputs := tensor.Values[float32](b.Inputs)
		for i, target := range tensor.Values[float32](b.Targets) {
			if target != -inputs[i] {
				t.Errorf("sample %v has the target %v", inputs[i], target)
			}
		}
		batches = append(batches, inputs)
	}
	return batches
}

func TestLoaderCutsBatches(t *testing.T) {
	cases := []struct {
		name    string
		samples int
		options []LoaderOption
		want    [][]float32
	}{
		{"one by one", 2, nil, [][]float32{{0}, {1}}},
		{"small last batch", 5, []LoaderOption{BatchSize(2)}, [][]float32{{0, 1}, {2, 3}, {4}}},
		{"drop last", 5, []LoaderOption{BatchSize(2), DropLast(true)}, [][]float32{{0, 1}, {2, 3}}},
		{"nothing to drop", 4, []LoaderOption{BatchSize(2), DropLast(true)}, [][]float32{{0, 1}, {2, 3}}},
		{"one batch", 3, []LoaderOption{BatchSize(math.MaxInt)}, [][]float32{{0, 1, 2}}},
		{"no full batch", 3, []LoaderOption{BatchSize(4), DropLast(true)}, nil},
		{"no samples", 0, []LoaderOption{BatchSize(4)}, nil},
	}
	for _, c := range cases {
		for _, workers := range []int{0, 1, 7} {
			l := NewLoader(&numbers{n: c.samples}, append(c.options, Workers(workers))...)
			if l.Len() != len(c.want) {
				t.Errorf("%s: Len is %d, want %d", c.name, l.Len(), len(c.want))
			}
			if got := epoch(t, l); !slices.EqualFunc(got, c.want, slices.Equal) {
				t.Errorf("%s, %d workers: got %v, want %v", c.name, workers, got, c.want)
			}
		}
	}
}

func TestNewLoaderRefuses(t *testing.T) {
	cases := []struct {
		dataset Dataset[Batch]
		options []LoaderOption
		want    string
	}{
		{nil, nil, "a Loader needs a data set, not nil"},
		{&numbers{}, []LoaderOption{BatchSize(-1)}, "batch_size should be a positive integer value, but got batch_size=-1"},
		{&numbers{}, []LoaderOption{BatchSize(0)}, "batch_size should be a positive integer value, but got batch_size=0"},
		{&numbers{}, []LoaderOption{Workers(-1)}, "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."},
		{&numbers{}, []LoaderOption{PrefetchFactor(2)}, "prefetch_factor option could only be specified in multiprocessing." +
			"let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."},
		{&numbers{}, []LoaderOption{Workers(1), PrefetchFactor(0)}, "prefetch_factor option should be positive, but got 0"},
		{&numbers{}, []LoaderOption{NewSequentialSampler(&numbers{}), Shuffle(true)}, "sampler option is mutually exclusive with shuffle"},
		{&numbers{}, []LoaderOption{NewBatchSampler(NewSequentialSampler(&numbers{}), 2), DropLast(true)},
			"batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"},
	}
	for _, c := range cases {
		err := tensor.Try(func() { NewLoader(c.dataset, c.options...) })
		if err == nil || err.Error() != c.want || !errors.Is(err, tensor.ErrValue) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestLoaderStopsAtErrors(t *testing.T) {
	cases := []struct {
		name    string
		dataset Dataset[Batch]
		want    string
	}{
		{"from the data set", &numbers{n: 10, broken: 5}, "sample 5 is broken"},
		{"from an operation", &mismatched{}, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
	}
	for _, c := range cases {
		for _, workers := range []int{0, 3} {
			batches, last := 0, error(nil)
			for b, err := range NewLoader(c.dataset, BatchSize(2), Workers(workers), Scopes(true)).All(t.Context()) {
				if last = err; err == nil {
					batches++
				} else if b != (Batch{}) {
					t.Errorf("%s: a batch came with the error", c.name)
				}
			}
			if last == nil || last.Error() != c.want || batches != 2 {
				t.Errorf("%s, %d workers: got %d batches and %v, want 2 and %q", c.name, workers, batches, last, c.want)
			}
		}
	}
}

func TestLoaderRaisesPanicsInTheLoop(t *testing.T) {
	broken := errors.New("a mistake of the data set")
	for _, workers := range []int{0, 3} {
		l := NewLoader(&panicking{broken}, BatchSize(2), Workers(workers), Scopes(true))
		batches := 0
		got := func() (value any) {
			defer func() { value = recover() }()
			for _, err := range l.All(t.Context()) {
				if err != nil {
					t.Error(err)
				}
				batches++
			}
			return nil
		}()
		if got != any(broken) || batches != 2 {
			t.Errorf("%d workers: got %d batches and %v, want 2 and %v", workers, batches, got, broken)
		}
	}
}

// panicking panics with a value of its own from its third batch on.
type panicking struct{ value any }

func (d *panicking) Len() int { return 10 }

func (d *panicking) Batch(indices []int) (Batch, error) {
	if indices[0] >= 4 {
		panic(d.value)
	}
	return Batch{Inputs: tensor.Zeros(len(indices))}, nil
}

// mismatched adds tensors that do not fit from its third batch on.
type mismatched struct{ numbers }

func (d *mismatched) Len() int { return 10 }

func (d *mismatched) Batch(indices []int) (Batch, error) {
	if indices[0] >= 4 {
		tensor.Zeros(2).Add(tensor.Zeros(3))
	}
	return d.numbers.Batch(indices)
}

func TestLoaderStopsWithContext(t *testing.T) {
	for _, workers := range []int{0, 3} {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		stop := errors.New("stop here")
		d := &numbers{n: 1000}
		batches, last := 0, error(nil)
		for _, err := range NewLoader(d, Workers(workers)).All(ctx) {
			if last = err; err == nil {
				batches++
			}
			if batches == 10 {
				cancel(stop)
			}
		}
		if batches != 10 || !errors.Is(last, stop) {
			t.Errorf("%d workers: got %d batches and %v, want 10 and %v", workers, batches, last, stop)
		}
		if made := d.made.Load(); made > int64(10+2*workers) {
			t.Errorf("%d workers made %d batches for 10", workers, made)
		}
	}
}

func TestLoaderClosesScopes(t *testing.T) {
	var doubled, kept []*tensor.Tensor
	for b, err := range NewLoader(&numbers{n: 6}, BatchSize(2), Workers(2), Scopes(true)).All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if n := len(doubled); n > 0 && tensor.Try(func() { doubled[n-1].Add(doubled[n-1]) }) == nil {
			t.Error("a result outlived its batch")
		}
		doubled = append(doubled, b.Inputs.Add(b.Inputs))
		kept = append(kept, b.Scope.Keep(b.Targets.Add(b.Targets)))
	}
	if err := tensor.Try(func() { doubled[2].Add(doubled[2]) }); !errors.Is(err, tensor.ErrReleased) {
		t.Errorf("after the loop: got %v", err)
	}
	if got := tensor.Values[float32](kept[1]); !slices.Equal(got, []float32{-4, -6}) {
		t.Errorf("kept %v", got)
	}
}

func BenchmarkLoader(b *testing.B) {
	digits := Glyphs(Count(2048))
	for _, workers := range []int{0, 2} {
		b.Run(fmt.Sprintf("images/workers=%d/64", workers), func(b *testing.B) {
			l := NewLoader(digits, BatchSize(64), Shuffle(true), Workers(workers), Scopes(true))
			for b.Loop() {
				for _, err := range l.All(b.Context()) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(digits.Len()*b.N)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}
