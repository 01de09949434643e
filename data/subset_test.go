package data

import (
	"errors"
	"slices"
	"testing"

	"cresset/tensor"
)

// TestRandomSplit compares with the parts that PyTorch 2.15 makes after torch.manual_seed(7).
func TestRandomSplit(t *testing.T) {
	ten := &numbers{n: 10}
	check := func(name string, parts []*Subset[Batch], want [][]int) {
		t.Helper()
		got := [][]int{}
		for _, p := range parts {
			got = append(got, p.Indices())
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	tensor.ManualSeed(7)
	check("lengths", RandomSplit(ten, []int{7, 3}), [][]int{{5, 0, 3, 4, 1, 7, 9}, {6, 8, 2}})
	tensor.ManualSeed(7)
	check("fractions", RandomSplit(ten, []float64{0.7, 0.3}), [][]int{{5, 0, 3, 4, 1, 7, 9}, {6, 8, 2}})
	tensor.ManualSeed(7)
	check("rounded", RandomSplit(ten, []float64{0.35, 0.35, 0.3}), [][]int{{5, 0, 3, 4}, {1, 7, 9}, {6, 8, 2}})
	check("generator", RandomSplit(ten, []float64{0.5, 0.25, 0.25}, Generator(tensor.NewGenerator(3))), [][]int{{6, 0, 3, 7, 8, 5}, {1, 9}, {2, 4}})
	for want, split := range map[string]func(){
		"Sum of input lengths does not equal the length of the input dataset!": func() { RandomSplit(ten, []int{3, 3}) },
		"a part cannot have -1 samples":                                        func() { RandomSplit(ten, []int{11, -1}) },
		"Fraction at index 0 is not between 0 and 1":                           func() { RandomSplit(ten, []float64{1.2, -0.2}) },
	} {
		if err := tensor.Try(split); err == nil || err.Error() != want || !errors.Is(err, tensor.ErrValue) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := tensor.Try(func() { RandomSplit(ten, []float64{0.3, 0.3}) }); err == nil {
		t.Error("fractions that add up to 0.6 are taken")
	}
}

func TestSubset(t *testing.T) {
	s := NewSubset(&numbers{n: 10}, []int{7, 1, 7})
	b, err := s.Batch([]int{2, 1})
	if err != nil || s.Len() != 3 || !slices.Equal(tensor.Values[float32](b.Inputs), []float32{7, 1}) {
		t.Errorf("got %v, %v", b.Inputs, err)
	}
	if _, err := s.Batch([]int{3}); !errors.Is(err, tensor.ErrIndex) {
		t.Errorf("an index outside: got %v", err)
	}
	if err := tensor.Try(func() { NewSubset(&numbers{n: 10}, []int{10}) }); !errors.Is(err, tensor.ErrIndex) {
		t.Errorf("a sample that is not there: got %v", err)
	}
}

func TestConcat(t *testing.T) {
	type batch struct {
		X     *tensor.Tensor
		Names []string
	}
	type sample struct {
		X     float32
		Names string
	}
	named := func(name string, n int) Dataset[batch] {
		return &Items[sample, batch]{N: n, At: func(i int, g *tensor.Generator) (sample, error) { return sample{float32(i), name}, nil }}
	}
	c := NewConcat(named("a", 2), named("none", 0), named("b", 3))
	b, err := c.Batch([]int{4, 0, 2, 1})
	if err != nil || c.Len() != 5 {
		t.Fatal(c.Len(), err)
	}
	checkTensor(t, b.X, tensor.Shape{4}, []float32{2, 0, 0, 1})
	if want := []string{"b", "a", "b", "a"}; !slices.Equal(b.Names, want) {
		t.Errorf("got %v, want %v", b.Names, want)
	}
	if b, err = c.Batch([]int{3, 2}); err != nil || !slices.Equal(b.Names, []string{"b", "b"}) {
		t.Errorf("of one set: got %v, %v", b, err)
	}
	if _, err := c.Batch([]int{5}); !errors.Is(err, tensor.ErrIndex) {
		t.Errorf("an index outside: got %v", err)
	}
	if err := tensor.Try(func() { NewConcat[Batch]() }); err == nil || err.Error() != "datasets should not be an empty iterable" {
		t.Errorf("of nothing: got %v", err)
	}
	labelled, bare := &Table{Columns: []string{"a"}, Values: []float32{1}, Targets: []float32{2}}, &Table{Columns: []string{"a"}, Values: []float32{1}}
	if _, err := NewConcat[Batch](labelled, bare).Batch([]int{0, 1}); err == nil || err.Error() != "Targets: 1 of 2 data sets have it" {
		t.Errorf("a target missing: got %v", err)
	}
	lists := &Items[[]float32, []*tensor.Tensor]{N: 1, At: func(int, *tensor.Generator) ([]float32, error) { return []float32{1}, nil }}
	if _, err := NewConcat[[]*tensor.Tensor](lists, lists).Batch([]int{0, 1}); err == nil ||
		err.Error() != "batches of two data sets cannot be joined: no rule joins a []*tensor.Tensor" {
		t.Errorf("lists of tensors: got %v", err)
	}
}

// TestSeedsReachThePartsOfADataset: samples draw the same numbers whether they are asked for directly or through Subset and Concat.
func TestSeedsReachThePartsOfADataset(t *testing.T) {
	d := &Items[*tensor.Tensor, *tensor.Tensor]{N: 4, At: func(i int, g *tensor.Generator) (*tensor.Tensor, error) {
		return tensor.Place{}.With(g).Rand(1), nil
	}}
	seeds := []int64{5, 6, 7}
	want, _ := d.RandomBatch([]int{0, 1, 2}, seeds)
	got, err := NewConcat[*tensor.Tensor](NewSubset(d, []int{3, 2, 1}), d).RandomBatch([]int{4, 0, 5}, seeds)
	if err != nil || !slices.Equal(tensor.Values[float32](got), tensor.Values[float32](want)) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
