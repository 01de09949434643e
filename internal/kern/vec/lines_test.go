package vec

import (
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

func testLines[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for width := 1; width <= 70; width++ {
		for stride := 1; stride <= 4; stride++ {
			for _, zeros := range []int{0, rng.IntN(width + 1)} {
				l := Lines[T]{Planes: 1 + rng.IntN(3), Rows: 1 + rng.IntN(3), Zeros: zeros, Cols: rng.IntN(width - zeros + 1), Width: width, Stride: stride}
				l.RowX, l.RowY = stride*width+rng.IntN(3), width+rng.IntN(3)
				l.PlaneX, l.PlaneY = l.Rows*l.RowX+rng.IntN(3), l.Rows*l.RowY+rng.IntN(3)
				l.X = random[T](rng, (l.Planes-1)*l.PlaneX+(l.Rows-1)*l.RowX+max(l.Cols-1, 0)*stride+1)
				y := random[T](rng, (l.Planes-1)*l.PlaneY+(l.Rows-1)*l.RowY+width+5)
				want := slices.Clone(y)
				for p := range l.Planes {
					for i := range l.Rows {
						for j := range width {
							at := p*l.PlaneY + i*l.RowY + j
							want[2+at] = 0
							if j >= zeros && j < zeros+l.Cols {
								want[2+at] = l.X[p*l.PlaneX+i*l.RowX+(j-zeros)*stride]
							}
						}
					}
				}
				l.X = guarded.Copy(t, l.X, width%2 == 0)
				l.Y = y[2:]
				l.Copy()
				if !slices.Equal(y, want) {
					t.Fatalf("%d of %d columns from %d on, %d apart: got %v, want %v", l.Cols, width, zeros, stride, y, want)
				}
			}
		}
	}
}

func TestLines(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testLines[float32])
		t.Run("float64", testLines[float64])
	})
}
