package data

import (
	"fmt"
	"slices"
	"testing"

	"cresset/tensor"
)

// seeded is numbers whose batches tell the seeds of their samples.
type seeded struct{ numbers }

func (d *seeded) RandomBatch(indices []int, seeds []int64) (Batch, error) {
	b, err := d.Batch(indices)
	b.Targets = tensor.FromSlice(seeds)
	return b, err
}

// drawn are the samples of a step, and their seeds, from all replicas.
type drawn map[float32]int64

// steps goes on with loaders of all replicas for at most n steps, and returns what all draw in each.
func steps(t *testing.T, loaders []*Loader[Batch], n int) []drawn {
	t.Helper()
	all := make([]drawn, 0, n)
	for _, l := range loaders {
		at := 0
		for b, err := range l.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if at == len(all) {
				all = append(all, drawn{})
			}
			seeds := tensor.Values[int64](b.Targets)
			for i, sample := range tensor.Values[float32](b.Inputs) {
				if _, twice := all[at][sample]; twice {
					t.Errorf("step %d: sample %v comes twice", at, sample)
				}
				all[at][sample] = seeds[i]
			}
			if at++; at == n {
				break
			}
		}
	}
	return all
}

// TestAnotherNumberOfReplicas goes on in the midst of an epoch with more processes, and with fewer: each sample comes once, with the batch and the seed that it would
// have had with one process.
func TestAnotherNumberOfReplicas(t *testing.T) {
	const samples, batch = 24, 12
	makers := map[string]func(replicas, rank int) *Loader[Batch]{
		"split": func(replicas, rank int) *Loader[Batch] {
			return NewLoader(&seeded{numbers{n: samples}}, BatchSize(batch), Shuffle(true), SplitBatches(replicas, rank), Workers(1))
		},
		"distributed": func(replicas, rank int) *Loader[Batch] {
			d := &seeded{numbers{n: samples}}
			return NewLoader(d, BatchSize(batch/replicas), NewDistributedSampler(d, replicas, rank), Workers(1))
		},
	}
	for name, maker := range makers {
		all := func(replicas int, state map[string]any) []*Loader[Batch] {
			loaders := make([]*Loader[Batch], replicas)
			for rank := range loaders {
				tensor.ManualSeed(7)
				loaders[rank] = maker(replicas, rank)
				if state == nil {
					continue
				}
				if err := loaders[rank].LoadStateDict(state); err != nil {
					t.Fatal(err)
				}
			}
			return loaders
		}
		run := func(loaders []*Loader[Batch], n int) (got []drawn) {
			for _, l := range loaders {
				tensor.ManualSeed(7)
				for i, step := range steps(t, []*Loader[Batch]{l}, n) {
					if i == len(got) {
						got = append(got, drawn{})
					}
					for sample, seed := range step {
						got[i][sample] = seed
					}
				}
			}
			return got
		}
		want := run(all(1, nil), 2)
		for _, change := range [][2]int{{1, 2}, {2, 3}, {3, 1}, {2, 2}, {4, 2}} {
			before := all(change[0], nil)
			got := run(before, 1)
			for range 2 { // a second time from what went on and has not drawn yet
				after := all(change[1], before[0].StateDict())
				before = after
			}
			got = append(got, run(before, 2)...)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, %v replicas: got %v, want %v", name, change, got, want)
			}
		}
	}
}

// TestReplicasThatDoNotDivide goes on where shares are padded, or left out: every sample that is left comes.
func TestReplicasThatDoNotDivide(t *testing.T) {
	for _, drop := range []bool{false, true} {
		before := NewLoader(&numbers{n: 11}, BatchSize(2), NewDistributedSampler(&numbers{n: 11}, 2, 0, Shuffle(false), DropLast(drop)))
		for range before.All(t.Context()) {
			break
		}
		var got []float32
		for rank := range 3 {
			l := NewLoader(&numbers{n: 11}, BatchSize(3), NewDistributedSampler(&numbers{n: 11}, 3, rank, Shuffle(false), DropLast(drop)))
			if err := l.LoadStateDict(before.StateDict()); err != nil {
				t.Fatal(err)
			}
			for _, batch := range epoch(t, l) {
				got = append(got, batch...)
			}
			if got, want := len(epoch(t, l)), l.Len(); got != want {
				t.Errorf("the next epoch has %d batches, want %d", got, want)
			}
		}
		slices.Sort(got)
		want := []float32{0, 1, 4, 5, 6, 7, 8, 9, 10}
		if drop {
			want = []float32{4, 5, 6, 7, 8, 9}
		}
		if !slices.Equal(got, want) {
			t.Errorf("drop %t: got %v, want %v", drop, got, want)
		}
	}
}

// TestSplitBatches: parts differ by a sample at most, also where there are fewer samples than replicas.
func TestSplitBatches(t *testing.T) {
	for replicas := 1; replicas <= 4; replicas++ {
		var got [3][]float32
		for rank := range replicas {
			for i, batch := range epoch(t, NewLoader(&numbers{n: 12}, BatchSize(5), SplitBatches(replicas, rank))) {
				if n := min(5, 12-5*i); len(batch) < n/replicas || len(batch) > (n+replicas-1)/replicas {
					t.Errorf("%d replicas, rank %d: a part of %d out of %d", replicas, rank, len(batch), n)
				}
				got[i] = append(got[i], batch...)
			}
		}
		if fmt.Sprint(got) != "[[0 1 2 3 4] [5 6 7 8 9] [10 11]]" {
			t.Errorf("%d replicas: got %v", replicas, got)
		}
	}
	err := tensor.Try(func() { SplitBatches(2, 2) })
	if err == nil || err.Error() != "Invalid rank 2, rank should be in the interval [0, 1]" {
		t.Errorf("got %v", err)
	}
}
