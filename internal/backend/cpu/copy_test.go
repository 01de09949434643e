package cpu

import (
	"fmt"
	"slices"
	"testing"
)

func TestCopyFrom(t *testing.T) {
	for _, steps := range [][2]int{{1, 1}, {1, 0}, {1, 2}, {2, 1}, {1, 3}, {3, 1}, {2, 2}} {
		for _, n := range []int{1, 2, 7, 8, 9, 16, 17, 28} {
			t.Run(fmt.Sprintf("%v/%d", steps, n), func(t *testing.T) {
				const rows = 3
				// Rows end where the memory does, and gaps between them stay as they are.
				extent := func(step int) int { return (n-1)*step + 1 }
				toRow, fromRow := extent(steps[0])+2, extent(steps[1])+1
				from := make([]int32, (rows-1)*fromRow+extent(steps[1]))
				for i := range from {
					from[i] = int32(i + 1)
				}
				got := make([]int32, (rows-1)*toRow+extent(steps[0]))
				want := slices.Clone(got)
				for r := range rows {
					for i := range n {
						want[r*toRow+i*steps[0]] = from[r*fromRow+i*steps[1]]
					}
				}
				strided[int32]{got, toRow, steps[0]}.copyFrom(strided[int32]{from, fromRow, steps[1]}, rows, n)
				if !slices.Equal(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
			})
		}
	}
}
