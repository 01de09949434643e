package tensor_test

import (
	"fmt"
	"testing"

	"cresset/tensor"
)

// Operands that lie across the result are turned in blocks; their sums are those of copies that lie along it.
func TestBinaryAcross(t *testing.T) {
	for _, dt := range loopDTypes() {
		for _, shape := range [][]int{{70, 90}, {9, 1100}, {1100, 9}, {3, 40, 50}, {130, 2050}} {
			t.Run(fmt.Sprint(dt, shape), func(t *testing.T) {
				last := len(shape) - 1
				swapped := append([]int(nil), shape...)
				swapped[last-1], swapped[last] = shape[last], shape[last-1]
				along, across := numbered(dt, shape...), numbered(dt, swapped...).Transpose(last-1, last)
				lying := across.Contiguous()
				for name, got := range map[string][2]*tensor.Tensor{
					"second":   {along.Sub(across), along.Sub(lying)},
					"in place": {along.Clone().SubInPlace(across), along.Sub(lying)},
					"first":    {across.Sub(along), lying.Sub(along)},
					"column":   {along.Add(across.Narrow(last, 0, 1)), along.Add(lying.Narrow(last, 0, 1))},
				} {
					if !got[0].Equal(got[1]) {
						t.Errorf("%s: the results differ", name)
					}
				}
			})
		}
	}
}
