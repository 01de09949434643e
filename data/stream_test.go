package data

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"testing/synctest"

	"cresset/tensor"
)

// counting is a stream of 0 to n-1, of endless ones where n is negative; it fails with the error, if there is one, instead of ending.
func counting(n int, err error) *Stream[int, []int] {
	return &Stream[int, []int]{
		Read: func(context.Context) iter.Seq2[int, error] {
			return func(yield func(int, error) bool) {
				for i := 0; i != n; i++ {
					if !yield(i, nil) {
						return
					}
				}
				if err != nil {
					yield(0, err)
				}
			}
		},
		Collate: func(samples []int) ([]int, error) { return samples, nil },
	}
}

// batchesOf returns the batches that come before an error, at most so many unless that is negative.
func batchesOf[B any](t *testing.T, l *Loader[B], most int) (batches []B, err error) {
	t.Helper()
	for b, err := range l.All(t.Context()) {
		if err != nil {
			return batches, err
		}
		if batches = append(batches, b); len(batches) == most {
			break
		}
	}
	return batches, nil
}

func TestStream(t *testing.T) {
	broken := errors.New("the line is dead")
	for _, workers := range []int{0, 1, 4} {
		for _, c := range []struct {
			name    string
			stream  *Stream[int, []int]
			options []StreamLoaderOption
			most    int
			want    [][]int
			err     error
		}{
			{"small last batch", counting(5, nil), nil, -1, [][]int{{0, 1}, {2, 3}, {4}}, nil},
			{"drop last", counting(5, nil), []StreamLoaderOption{DropLast(true)}, -1, [][]int{{0, 1}, {2, 3}}, nil},
			{"nothing", counting(0, nil), nil, -1, nil, nil},
			{"endless", counting(-1, nil), nil, 2, [][]int{{0, 1}, {2, 3}}, nil},
			{"an error", counting(5, broken), nil, -1, [][]int{{0, 1}, {2, 3}}, broken},
		} {
			got, err := batchesOf(t, NewStreamLoader(c.stream, append(c.options, BatchSize(2), Workers(workers))...), c.most)
			if !slices.EqualFunc(got, c.want, slices.Equal) || !errors.Is(err, c.err) {
				t.Errorf("%s, %d workers: got %v, %v, want %v, %v", c.name, workers, got, err, c.want, c.err)
			}
		}
	}
}

// TestStreamShuffles: with any number of workers a buffer gives every sample once, none earlier than it can come, and a stream that is
// resumed goes on as it would have.
func TestStreamShuffles(t *testing.T) {
	var want [][]int
	for _, workers := range []int{0, 1, 4} {
		make := func() *Loader[[]int] {
			tensor.ManualSeed(4)
			return NewStreamLoader(counting(50, nil), BatchSize(4), ShuffleBuffer(10), Workers(workers))
		}
		got, err := batchesOf(t, make(), -1)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
			all := slices.Concat(got...)
			for at, v := range all {
				if v > at+10 {
					t.Errorf("sample %d comes at place %d", v, at)
				}
			}
			if slices.IsSorted(all) {
				t.Error("nothing is shuffled")
			}
			slices.Sort(all)
			if !slices.Equal(all, firstIndices(50)) {
				t.Errorf("got the samples %v", all)
			}
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%d workers: got %v, want %v", workers, got, want)
		}
		begun := make()
		got, _ = batchesOf(t, begun, 3)
		resumed := NewStreamLoader(counting(50, nil), BatchSize(4), ShuffleBuffer(10))
		if err := resumed.LoadStateDict(begun.StateDict()); err != nil {
			t.Fatal(err)
		}
		rest, _ := batchesOf(t, resumed, -1)
		if got = append(got, rest...); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%d workers, resumed: got %v, want %v", workers, got, want)
		}
	}
}

// TestStreamTransformsOnWorkers: random numbers are those of the place, for any number of workers.
func TestStreamTransformsOnWorkers(t *testing.T) {
	broken := errors.New("bad sample")
	var want []float32
	for _, workers := range []int{0, 3} {
		s := &Stream[*tensor.Tensor, *tensor.Tensor]{
			Read: func(context.Context) iter.Seq2[*tensor.Tensor, error] {
				return func(yield func(*tensor.Tensor, error) bool) {
					for i := 0; i < 9 && yield(tensor.Of(float32(i)), nil); i++ {
					}
				}
			},
			Transform: func(x *tensor.Tensor, g *tensor.Generator) (*tensor.Tensor, error) {
				if x.Float64() == 7 {
					return nil, broken
				}
				return x.Add(tensor.Place{}.With(g).Rand()), nil
			},
		}
		tensor.ManualSeed(2)
		batches, err := batchesOf(t, NewStreamLoader(s, BatchSize(2), Workers(workers)), -1)
		if !errors.Is(err, broken) || err.Error() != "sample 7: bad sample" || len(batches) != 3 {
			t.Fatalf("got %d batches, %v", len(batches), err)
		}
		got := tensor.Values[float32](tensor.Cat(batches, 0))
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d workers: got %v, want %v", workers, got, want)
		}
	}
}

// TestStreamEndsWithTheLoop: a reader that waits for its context is let go where the loop ends, and its panic comes back to the loop.
func TestStreamEndsWithTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := counting(0, nil)
		s.Read = func(ctx context.Context) iter.Seq2[int, error] {
			return func(yield func(int, error) bool) {
				yield(1, nil)
				<-ctx.Done()
			}
		}
		if got, err := batchesOf(t, NewStreamLoader(s, Workers(2)), 1); len(got) != 1 || err != nil {
			t.Errorf("got %v, %v", got, err)
		}
	})
	for _, workers := range []int{0, 2} {
		s := counting(0, nil)
		s.Read = func(context.Context) iter.Seq2[int, error] { panic("broken") }
		func() {
			defer func() {
				if got := recover(); got != "broken" {
					t.Errorf("%d workers: got %v", workers, got)
				}
			}()
			batchesOf(t, NewStreamLoader(s, Workers(workers)), -1)
		}()
	}
}

func TestNewStreamLoaderRefuses(t *testing.T) {
	for want, do := range map[string]func(){
		"a Loader needs a stream that can be read":                            func() { NewStreamLoader(&Stream[int, []int]{}) },
		"batch_size should be a positive integer value, but got batch_size=0": func() { NewStreamLoader(counting(1, nil), BatchSize(0)) },
		"buffer_size should be larger than 0, but got 0":                      func() { NewStreamLoader(counting(1, nil), ShuffleBuffer(0)) },
		"object of type 'IterableDataset' has no len()":                       func() { NewStreamLoader(counting(1, nil)).Len() },
	} {
		if err := tensor.Try(do); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	l := NewStreamLoader(counting(1, nil))
	err := l.LoadStateDict(NewLoader(&numbers{n: 3}).StateDict())
	if want := "the state dict is of 3 samples in batches of 1, and the loader has <nil> in batches of 1"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
