package tensor_test

import (
	"fmt"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/race"
	"cresset/tensor"
)

// A row or a column that all rows or columns of the result meet gives what copies of it would, for any number of threads.
func TestBinaryBroadcast(t *testing.T) {
	defer tensor.SetNumThreads(tensor.NumThreads())
	for _, dt := range loopDTypes() {
		for _, shape := range [][]int{{300, 300}, {1000, 3}, {3, 2500}, {65, 1031}, {5, 70, 33}, {40, 9, 7, 5}} {
			if race.Enabled && len(shape) == 2 && shape[0] != 65 {
				continue // divided as others are
			}
			t.Run(fmt.Sprint(dt, shape), func(t *testing.T) {
				last := len(shape) - 1
				ones := slices.Repeat([]int{1}, last-1)
				all := numbered(dt, shape...)
				row := numbered(dt, shape[last])
				column := numbered(dt, slices.Concat(shape[:last], []int{1})...)
				planes := numbered(dt, slices.Concat(shape[:1], ones, shape[last:])...)
				channels := numbered(dt, slices.Concat(shape[1:2], ones)...)
				full := func(x *tensor.Tensor) *tensor.Tensor { return x.Expand(shape...).Contiguous() }
				for _, threads := range []int{1, 3} {
					tensor.SetNumThreads(threads)
					for name, small := range map[string]*tensor.Tensor{"row": row, "column": column, "planes": planes, "channels": channels} {
						sameElements(t, name+", second", all.Sub(small), all.Sub(full(small)))
						sameElements(t, name+", first", small.Sub(all), full(small).Sub(all))
						sameElements(t, name+", in place", all.Clone().SubInPlace(small), all.Sub(full(small)))
						sameElements(t, name+", compared", all.Lt(small), all.Lt(full(small)))
						wide := tensor.Cat([]*tensor.Tensor{all, all}, last).Narrow(last, 1, shape[last])
						sameElements(t, name+", of a part", wide.Sub(small), wide.Contiguous().Sub(full(small)))
					}
					sameElements(t, "row and column", row.Sub(column), full(row).Sub(full(column)))
				}
			})
		}
	}
}

// loopDTypes are dtypes whose loops differ: under the race detector, which looks at how work is divided, one with assembly and one without.
func loopDTypes() []dtype.DType {
	if race.Enabled {
		return []dtype.DType{dtype.Float32, dtype.Int16}
	}
	return []dtype.DType{dtype.Float32, dtype.Float64, dtype.Int64, dtype.Int16, dtype.Uint8}
}

// A result that no cache holds is written by loops of its own, by pieces that end where copies of a row do, or elsewhere.
func TestBinaryBroadcastHuge(t *testing.T) {
	for _, shape := range [][]int{{1100, 2000}, {2100, 1001}, {30, 70001}} {
		all, row := numbered(dtype.Float32, shape...), numbered(dtype.Float32, shape[1])
		full := row.Expand(shape...).Contiguous()
		sameElements(t, fmt.Sprint(shape), all.Sub(row), all.Narrow(1, 0, shape[1]).Clone().SubInPlace(full))
		sameElements(t, fmt.Sprint("one after the other ", shape), all.Sub(row).Neg().Add(all), full)
	}
}

// numbered is a tensor of small integers that differ.
func numbered(dt dtype.DType, shape ...int) *tensor.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return tensor.Arange(0, n, 1).RemainderScalar(101).To(dt).Reshape(shape...)
}

func sameElements(t *testing.T, name string, got, want *tensor.Tensor) {
	t.Helper()
	if !got.Equal(want) {
		t.Errorf("%s: the results differ", name)
	}
}
