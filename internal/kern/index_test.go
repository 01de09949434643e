package kern

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestFindOutside(t *testing.T) {
	for n := range 12 {
		index := make([]int64, n)
		for i := range index {
			index[i] = int64(i)
		}
		if bad, found := FindOutside(index, n); found {
			t.Errorf("%d indices: found %d", n, bad)
		}
		for i := range index {
			for _, bad := range []int64{-1, int64(n), -1 << 63, 1<<63 - 1} {
				with := slices.Clone(index)
				with[i] = bad
				if got, found := FindOutside(with, n); !found || got != bad {
					t.Errorf("%d indices, the one at %d is %d: got %d, %v", n, i, bad, got, found)
				}
			}
		}
	}
}

func TestTakeAtAndAddAt(t *testing.T) {
	const n, lines = 5, 7
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, row := range []struct {
		name             string
		step, skip, size int
	}{
		{"along a line", 1, 0, n}, {"across columns", lines, 1, n * lines}, {"one of each line", 1, n, n * lines},
	} {
		t.Run(row.name, func(t *testing.T) {
			src := fill(rnd, make([]float32, row.size))
			index := make([]int64, lines)
			for k := range index {
				index[k] = int64(rnd.IntN(n))
			}
			got := make([]float32, lines)
			if !TakeAt(got, src, index, n, row.step, row.skip) {
				t.Fatal("TakeAt met an index outside")
			}
			sums := slices.Clone(src)
			AddAt(sums, got, index, row.step, row.skip)
			want := slices.Clone(src)
			for k, at := range index {
				i := int(at)*row.step + k*row.skip
				if got[k] != src[i] {
					t.Errorf("element %d is %v, want %v", k, got[k], src[i])
				}
				want[i] += got[k]
			}
			if !slices.Equal(sums, want) {
				t.Errorf("sums are %v, want %v", sums, want)
			}
			for _, bad := range []int64{-1, n} {
				index[lines/2] = bad
				if TakeAt(got, src, index, n, row.step, row.skip) {
					t.Errorf("TakeAt took %d of %d", bad, n)
				}
			}
		})
	}
}

func TestNonZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for _, shape := range [][]int{{0}, {1}, {70}, {3, 5}, {4, 0}, {1, 9}, {3, 1}, {2, 3, 4}, {2, 2, 3, 5}} {
		for _, share := range []float64{0, 0.5, 1} {
			size := 1
			for _, n := range shape {
				size *= n
			}
			var want []int64
			mask := make([]bool, size)
			for i := range mask {
				if mask[i] = rng.Float64() < share; !mask[i] {
					continue
				}
				for axis := range shape {
					below := 1
					for _, n := range shape[axis+1:] {
						below *= n
					}
					want = append(want, int64(i/below%shape[axis]))
				}
			}
			got := make([]int64, len(want))
			if NonZero(got, mask, shape); !slices.Equal(got, want) {
				t.Errorf("of %v, %v true: got %v, want %v", shape, share, got, want)
			}
		}
	}
}
