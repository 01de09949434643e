package kern

import (
	"math"
	"testing"
)

// TestProductsThatLeaveTheRange has factors of which every second is huge and the others tiny, so that lanes overflow and
// underflow where the product does neither.
func TestProductsThatLeaveTheRange(t *testing.T) {
	row := make([]float64, 400)
	for i := range row {
		row[i] = []float64{1e200, 1e-200}[i%2]
	}
	nan := append([]float64{0, math.Inf(1)}, row...)
	eachLevel(t, func(t *testing.T) {
		if got := Prod[float64, float64]().Row(row); math.Abs(got-1) > 1e-12 {
			t.Errorf("got %v, want 1", got)
		}
		if got := Prod[float64, float64]().Row(append(row, 0)); got != 0 {
			t.Errorf("with a zero: got %v, want 0", got)
		}
		if got := Prod[float64, float64]().Row(nan); !math.IsNaN(got) {
			t.Errorf("with a zero and an infinity: got %v, want NaN", got)
		}
	})
}
