package data

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/tensor"
)

type class int32

type inner struct {
	Weight float32
	Tags   []string
}

type whole struct {
	Image  *tensor.Tensor
	Label  int
	Class  class
	Score  float64
	Good   bool
	Name   string
	Box    [4]int
	Curve  []float32
	Pair   []float64
	Inner  inner
	Parts  []inner
	Named  map[string]float32
	Views  []*tensor.Tensor
	Ragged *tensor.Tensor
	Extra  any
}

type innerBatch struct {
	Weight *tensor.Tensor
	Tags   [][]string
}

type wholeBatch struct {
	Image, Label, Class, Score, Good *tensor.Tensor
	Name                             []string
	Box, Curve                       *tensor.Tensor
	Pair                             []*tensor.Tensor
	Inner                            innerBatch
	Parts                            []innerBatch
	Named                            map[string]*tensor.Tensor
	Views                            []*tensor.Tensor
	Ragged                           []*tensor.Tensor
	Scope                            *tensor.Scope
}

func sampleOf(i int) whole {
	f := float32(i)
	return whole{
		Image: tensor.Full([]int{2}, f), Label: i, Class: class(i), Score: float64(i) / 2, Good: i == 1, Name: string(rune('a' + i)),
		Box: [4]int{i, 1, 2, 3}, Curve: []float32{f, -f}, Pair: []float64{1, float64(i)},
		Inner: inner{f, []string{"x"}[:i%2]}, Parts: []inner{{f + 10, nil}, {f + 20, nil}},
		Named: map[string]float32{"w": f}, Views: []*tensor.Tensor{tensor.Of(f), tensor.Of([]float32{f})}, Ragged: tensor.Ones(i + 1),
	}
}

func TestCollate(t *testing.T) {
	b, err := Collate[wholeBatch]([]whole{sampleOf(0), sampleOf(1)})
	if err != nil {
		t.Fatal(err)
	}
	checkTensor(t, b.Image, tensor.Shape{2, 2}, []float32{0, 0, 1, 1})
	checkTensor(t, b.Label, tensor.Shape{2}, []int64{0, 1})
	checkTensor(t, b.Class, tensor.Shape{2}, []int32{0, 1})
	checkTensor(t, b.Score, tensor.Shape{2}, []float64{0, 0.5})
	checkTensor(t, b.Good, tensor.Shape{2}, []bool{false, true})
	checkTensor(t, b.Box, tensor.Shape{2, 4}, []int64{0, 1, 2, 3, 1, 1, 2, 3})
	checkTensor(t, b.Curve, tensor.Shape{2, 2}, []float32{0, 0, 1, -1})
	checkTensor(t, b.Pair[0], tensor.Shape{2}, []float64{1, 1})
	checkTensor(t, b.Pair[1], tensor.Shape{2}, []float64{0, 1})
	checkTensor(t, b.Inner.Weight, tensor.Shape{2}, []float32{0, 1})
	checkTensor(t, b.Parts[1].Weight, tensor.Shape{2}, []float32{20, 21})
	checkTensor(t, b.Named["w"], tensor.Shape{2}, []float32{0, 1})
	checkTensor(t, b.Views[0], tensor.Shape{2}, []float32{0, 1})
	checkTensor(t, b.Views[1], tensor.Shape{2, 1}, []float32{0, 1})
	checkTensor(t, b.Ragged[1], tensor.Shape{2}, []float32{1, 1})
	if !slices.Equal(b.Name, []string{"a", "b"}) || !reflect.DeepEqual(b.Inner.Tags, [][]string{{}, {"x"}}) || len(b.Pair)+len(b.Parts)+len(b.Views)+len(b.Ragged) != 8 {
		t.Errorf("got %v", b)
	}
	numbers, err := Collate[*tensor.Tensor]([]float64{1, 2})
	if err != nil || numbers.DType() != dtype.Float64 {
		t.Errorf("numbers: got %v, %v", numbers, err)
	}
	if p, err := Collate[*innerBatch]([]*inner{{Weight: 1}, {Weight: 2}}); err != nil || p.Weight.NumEl() != 2 {
		t.Errorf("pointers: got %v, %v", p, err)
	}
}

func TestCollateRefuses(t *testing.T) {
	ones := func(n int) *tensor.Tensor { return tensor.Ones(n) }
	type image struct{ Image *tensor.Tensor }
	type lists struct{ Pair []*tensor.Tensor }
	type pairs struct{ Pair []float32 }
	for want, err := range map[string]error{
		"there is no sample to collate": second(Collate[*tensor.Tensor]([]int{})),
		"stack expects each tensor to be equal size, but got [3] at entry 0 and [4] at entry 1":            second(Collate[*tensor.Tensor]([]*tensor.Tensor{ones(3), ones(4)})),
		"stack expects each tensor to be equal size, but got [1] at entry 0 and [2] at entry 1":            second(Collate[*tensor.Tensor]([][]int{{1}, {1, 2}})),
		"Image: stack expects each tensor to be equal size, but got [3] at entry 0 and [4] at entry 1":     second(Collate[image]([]image{{ones(3)}, {ones(4)}})),
		"default_collate: sample 1 of the batch has no tensor":                                             second(Collate[*tensor.Tensor]([]*tensor.Tensor{ones(3), nil})),
		"Pair: each element in list of batch should be of equal size":                                      second(Collate[lists]([]pairs{{[]float32{1}}, {[]float32{1, 2}}})),
		"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found string": second(Collate[*tensor.Tensor]([]string{"a"})),
		"default_collate: data.pairs has no field Image, which data.image has":                             second(Collate[image]([]pairs{{}})),
		"default_collate: a batch has no []int of samples' string":                                         second(Collate[[]int]([]string{"a"})),
		"default_collate: sample 1 of the batch has no b":                                                  second(Collate[map[string]*tensor.Tensor]([]map[string]int{{"b": 1}, {"a": 1}})),
		"default_collate: sample 0 of the batch is no struct, of which a data.image could be made":         second(Collate[image]([]int{1})),
		"default_collate: sample 1 of the batch is no struct, of which a data.innerBatch could be made":    second(Collate[innerBatch]([]*inner{{}, nil})),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestMistakesInSamplesNameThem wants the place of a sample whose making is refused by an op, as of one whose error was returned.
func TestMistakesInSamplesNameThem(t *testing.T) {
	add := func(i int) *tensor.Tensor { return tensor.Ones(2).Add(tensor.Ones(2 + i/3)) }
	items := &Items[*tensor.Tensor, *tensor.Tensor]{N: 5, At: func(i int, _ *tensor.Generator) (*tensor.Tensor, error) { return add(i), nil }}
	samples := &Samples{N: 5, At: func(i int) (input, target *tensor.Tensor, err error) { return add(i), nil, nil }}
	const want = "sample 3: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"
	for _, err := range []error{second(items.Batch([]int{1, 3})), second(samples.Batch([]int{1, 3}))} {
		if err == nil || err.Error() != want || !errors.Is(err, tensor.ErrShape) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestItemsDrawTheSameForAnyWorkers: what a sample draws depends on the epoch, on its place in it and on its index alone.
func TestItemsDrawTheSameForAnyWorkers(t *testing.T) {
	type sample struct {
		Index int
		Noise *tensor.Tensor
	}
	type batch struct{ Index, Noise *tensor.Tensor }
	d := &Items[sample, batch]{N: 20, At: func(i int, g *tensor.Generator) (sample, error) {
		return sample{i, tensor.Place{}.With(g).Rand(2)}, nil
	}}
	draws := func(l *Loader[batch], most int) (all []float32) {
		for b, err := range l.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, tensor.Values[float32](b.Noise)...)
			if most--; most == 0 {
				break
			}
		}
		return all
	}
	var want [2][]float32
	for _, workers := range []int{0, 1, 3, 8} {
		tensor.ManualSeed(3)
		l := NewLoader(d, BatchSize(3), Shuffle(true), Workers(workers))
		for epoch := range 2 {
			got := draws(l, -1)
			if want[epoch] == nil {
				want[epoch] = got
			}
			if !slices.Equal(got, want[epoch]) {
				t.Errorf("%d workers, epoch %d: got %v, want %v", workers, epoch, got, want[epoch])
			}
		}
		tensor.ManualSeed(3)
		begun, resumed := NewLoader(d, BatchSize(3), Shuffle(true), Workers(workers)), NewLoader(d, BatchSize(3), Shuffle(true), Workers(2))
		got := draws(begun, 2)
		if err := resumed.LoadStateDict(begun.StateDict()); err != nil {
			t.Fatal(err)
		}
		if got = append(got, draws(resumed, -1)...); !slices.Equal(got, want[0]) {
			t.Errorf("%d workers, resumed: got %v, want %v", workers, got, want[0])
		}
	}
	all := slices.Concat(want[0], want[1])
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 80 {
		t.Errorf("%d of 80 draws differ", n)
	}
}

func TestItemsFail(t *testing.T) {
	broken := errors.New("cannot be read")
	d := &Items[int, *tensor.Tensor]{N: 3, At: func(i int, _ *tensor.Generator) (int, error) {
		if i == 2 {
			return 0, broken
		}
		return i, nil
	}}
	if b, err := d.Batch([]int{1, 0}); err != nil || !slices.Equal(tensor.Values[int64](b), []int64{1, 0}) {
		t.Errorf("got %v, %v", b, err)
	}
	if _, err := d.Batch([]int{0, 2}); !errors.Is(err, broken) || err.Error() != "sample 2: cannot be read" {
		t.Errorf("got %v", err)
	}
	if _, err := d.Batch([]int{3}); !errors.Is(err, tensor.ErrIndex) {
		t.Errorf("got %v", err)
	}
	d.Collate = func(samples []int) (*tensor.Tensor, error) { return tensor.Of(len(samples)), nil }
	if b, err := d.Batch([]int{1, 1, 1}); err != nil || b.Float64() != 3 {
		t.Errorf("a function of its own: got %v, %v", b, err)
	}
}
