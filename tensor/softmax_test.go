package tensor

import (
	"math"
	"testing"
)

func TestSoftmaxAlongAnyAxis(t *testing.T) {
	x := FromSlice([]float64{1, 2, 3, -4, 5, 700}, 2, 3)
	for axis := -2; axis < 2; axis++ {
		y := x.Softmax(axis)
		for i, v := range Values[float64](y.SumAxes([]int{axis})) {
			if !(math.Abs(v-1) <= 1e-15) {
				t.Errorf("axis %d: sum %d is %v, want 1", axis, i, v)
			}
		}
		want := Values[float64](x.T().Contiguous().Softmax(-1 - axis).T())
		if got := Values[float64](x.T().Softmax(-1 - axis).T()); !closeTo(got, want, 0) {
			t.Errorf("axis %d of a transposed view: got %v, want %v", axis, got, want)
		}
	}
	if got := Zeros(0, 3).Softmax(0).Shape(); !got.Equal(Shape{0, 3}) {
		t.Errorf("softmax of nothing has shape %v", got)
	}
	if got := Full(nil, 7.0).LogSoftmax(0).Item(); got != 0.0 {
		t.Errorf("log_softmax of a scalar is %v, want 0", got)
	}
}

// closeTo reports whether got and want agree within a relative tolerance; NaN agrees with NaN.
func closeTo(got, want []float64, tolerance float64) bool {
	if len(got) != len(want) {
		return false
	}
	for i, g := range got {
		w := want[i]
		if g == w || math.IsNaN(g) && math.IsNaN(w) {
			continue
		}
		if !(math.Abs(g-w) <= tolerance*max(math.Abs(w), 1)) {
			return false
		}
	}
	return true
}
