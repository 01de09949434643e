package kern

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestScansOfRowsSideBySide compares scans of rows with scans of one row after the other.
func TestScansOfRowsSideBySide(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	scans := map[string]struct {
		row  func(x, y []float32)
		rows func(x, y []float32, n int)
	}{
		"cumsum":  {CumSum[float32, float32, float64], CumSumRows[float32, float32, float64]},
		"cumprod": {CumProd[float32, float32, float64], CumProdRows[float32, float32, float64]},
	}
	for name, s := range scans {
		for rows := range 10 {
			for _, n := range []int{1, 2, 33} {
				x := finite[float32](rng, rows*n)
				got, want := make([]float32, rows*n), make([]float32, rows*n)
				s.rows(x, got, n)
				for i := range rows {
					s.row(x[i*n:][:n], want[i*n:][:n])
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s of %d rows of %d elements: got %v, want %v", name, rows, n, got, want)
				}
			}
		}
	}
}
