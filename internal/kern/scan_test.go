package kern

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// TestScansOfRowsSideBySide compares scans of rows with scans of one row after the other.
func TestScansOfRowsSideBySide(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		testScans(t, "cumsum", CumSum[float32, float32, float64], CumSumRows[float32, float32, float64])
		testScans(t, "cumsum", CumSum[float64, float64, float64], CumSumRows[float64, float64, float64])
		testScans(t, "cumprod", CumProd[float32, float32, float64], CumProdRows[float32, float32, float64])
	})
}

func testScans[T dtype.Float](t *testing.T, name string, row func(x, y []T), all func(x, y []T, n int)) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, rows := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 19} {
		for _, n := range []int{0, 1, 2, 7, 8, 9, 33, 9000} {
			x := finite[T](rng, rows*n)
			if rows > 3 && n > 2 {
				x[3*n+1] = T(math.Inf(1)) // the sums of this row alone are infinite
			}
			got, want := guarded.Slice[T](t, rows*n, n%2 == 1), make([]T, rows*n)
			all(guarded.Copy(t, x, n%2 == 0), got, n)
			for i := range rows {
				row(x[i*n:][:n], want[i*n:][:n])
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s of %d rows of %d elements of %v: got %v, want %v", name, rows, n, dtype.Of[T](), got, want)
			}
		}
	}
}
