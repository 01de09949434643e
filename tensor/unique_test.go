package tensor_test

import (
	"math"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

type uniques = func(x *tensor.Tensor, opts ...tensor.UniqueOption) (values, inverse, counts *tensor.Tensor)

// What torch.unique and torch.unique_consecutive of 2.15 return.
func TestUnique(t *testing.T) {
	sorted, runs := (*tensor.Tensor).Unique, (*tensor.Tensor).UniqueConsecutive
	nan := math.NaN()
	for _, c := range []struct {
		name                    string
		f                       uniques
		x                       any
		axis                    []tensor.UniqueOption
		values, inverse, counts []float64
		shape                   []int // of values
	}{
		{"vector", sorted, []int{3, 1, 3, 2}, nil, []float64{1, 2, 3}, []float64{2, 0, 2, 1}, []float64{1, 1, 2}, []int{3}},
		{"matrix", sorted, [][]int{{3, 1}, {3, 2}}, nil, []float64{1, 2, 3}, []float64{2, 0, 2, 1}, []float64{1, 1, 2}, []int{3}},
		{"NaN", sorted, [][]float64{{1, nan}, {nan, 0}}, nil, []float64{0, 1, nan, nan}, []float64{1, 2, 3, 0}, []float64{1, 1, 1, 1}, []int{4}},
		{"bools", sorted, []bool{true, false, true}, nil, []float64{0, 1}, []float64{1, 0, 1}, []float64{1, 2}, []int{2}},
		{"number", sorted, 3.0, nil, []float64{3}, []float64{0}, []float64{1}, []int{1}},
		{"rows", sorted, [][]int{{3, 1}, {2, 2}, {3, 1}, {3, 0}}, []tensor.UniqueOption{tensor.OverAxis(0)},
			[]float64{2, 2, 3, 0, 3, 1}, []float64{2, 0, 2, 1}, []float64{1, 1, 2}, []int{3, 2}},
		{"columns", sorted, [][]int{{3, 1, 3}, {2, 2, 2}}, []tensor.UniqueOption{tensor.OverAxis(-1)},
			[]float64{1, 3, 2, 2}, []float64{1, 0, 1}, []float64{1, 2}, []int{2, 2}},
		{"runs", runs, []int{1, 1, 2, 2, 1}, nil, []float64{1, 2, 1}, []float64{0, 0, 1, 1, 2}, []float64{2, 2, 1}, []int{3}},
		{"runs of a matrix", runs, [][]int{{1, 1}, {2, 2}}, nil, []float64{1, 2}, []float64{0, 0, 1, 1}, []float64{2, 2}, []int{2}},
		{"runs of rows", runs, [][]int{{1, 1}, {1, 1}, {2, 1}}, []tensor.UniqueOption{tensor.OverAxis(0)},
			[]float64{1, 1, 2, 1}, []float64{0, 0, 1}, []float64{2, 1}, []int{2, 2}},
		{"runs of NaN", runs, []float64{nan, nan}, nil, []float64{nan, nan}, []float64{0, 1}, []float64{1, 1}, []int{2}},
	} {
		devicetest.Run(t, func(t *testing.T, dev device.Device) {
			x := tensor.Of(c.x).To(dev)
			values, inverse, counts := c.f(x, c.axis...)
			if values.DType() != x.DType() || inverse.DType() != dtype.Int64 || counts.DType() != dtype.Int64 || values.Device() != dev {
				t.Errorf("%s: results are %s, %s and %s", c.name, values.DType(), inverse.DType(), counts.DType())
			}
			if !slices.Equal(values.Shape(), c.shape) || len(c.axis) == 0 && !slices.Equal(inverse.Shape(), x.Shape()) {
				t.Errorf("%s: shapes are %v and %v", c.name, values.Shape(), inverse.Shape())
			}
			for what, pair := range map[string][2][]float64{
				"values": {tensor.Values[float64](values), c.values}, "inverse": {tensor.Values[float64](inverse), c.inverse},
				"counts": {tensor.Values[float64](counts), c.counts},
			} {
				if !slices.EqualFunc(pair[0], pair[1], func(a, b float64) bool { return a == b || a != a && b != b }) {
					t.Errorf("%s: %s are %v, want %v", c.name, what, pair[0], pair[1])
				}
			}
		})
	}
}

// The values at the places of the inverse are x again, in every dtype and layout.
func TestUniqueGivesItsInputBack(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		for _, dt := range allTypes {
			x := tensor.On(dev).RandInt(0, 3, 5, 40, 2).To(dt).Transpose(0, 1)
			for name, f := range map[string]uniques{"unique": (*tensor.Tensor).Unique, "unique_consecutive": (*tensor.Tensor).UniqueConsecutive} {
				values, inverse, counts := f(x)
				sameElements(t, name+" of "+dt.Name(), values.IndexSelect(0, inverse.Flatten(0, -1)).View(40, 5, 2), x)
				parts, places, often := f(x, tensor.OverAxis(1))
				sameElements(t, name+" of parts of "+dt.Name(), parts.IndexSelect(1, places), x)
				if counts.Sum().Item() != int64(400) || often.Sum().Item() != int64(5) {
					t.Errorf("%s of %s: counts are %v and %v", name, dt, counts, often)
				}
			}
		}
	})
}

func TestUniqueOfNothing(t *testing.T) {
	for name, f := range map[string]uniques{"unique": (*tensor.Tensor).Unique, "unique_consecutive": (*tensor.Tensor).UniqueConsecutive} {
		values, inverse, counts := f(tensor.Zeros(0, 3))
		if !slices.Equal(values.Shape(), []int{0}) || !slices.Equal(inverse.Shape(), []int{0, 3}) || !slices.Equal(counts.Shape(), []int{0}) {
			t.Errorf("%s: got shapes %v, %v, %v", name, values.Shape(), inverse.Shape(), counts.Shape())
		}
		if values, _, _ = f(tensor.Zeros(0, 3), tensor.OverAxis(0)); !slices.Equal(values.Shape(), []int{0, 3}) {
			t.Errorf("%s: got shape %v, want [0, 3]", name, values.Shape())
		}
		for text, do := range map[string]func(){
			"There are 0 sized dimensions, and they aren't selected, so unique cannot be applied": func() { f(tensor.Zeros(0, 3), tensor.OverAxis(1)) },
			"Number of zero sized dimensions is more than one, so unique cannot be applied ":      func() { f(tensor.Zeros(0, 0, 3), tensor.OverAxis(0)) },
			"Dimension specified as 0 but tensor has no dimensions":                               func() { f(tensor.Ones(), tensor.OverAxis(0)) },
			"Dimension out of range (expected to be in range of [-1, 0], but got 1)":              func() { f(tensor.Ones(4), tensor.OverAxis(1)) },
		} {
			if err := tensor.Try(do); err == nil || err.Error() != text {
				t.Errorf("%s: got %v, want %s", name, err, text)
			}
		}
	}
}
