package kern

import (
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// checkTranspose turns a matrix between pages that must not be touched, and looks at what is between the rows.
func checkTranspose[T interface {
	dtype.Element
	uint8 | int16 | int32 | int64
}](t *testing.T, rows, cols, extra int, atEnd bool) {
	rowSrc, rowDst := cols+extra, rows+2*extra
	src := guarded.Slice[T](t, (rows-1)*rowSrc+cols, atEnd)
	dst := guarded.Slice[T](t, (cols-1)*rowDst+rows, atEnd)
	for i := range src {
		src[i] = T(i * 0x9e3779b1)
	}
	for i := range dst {
		dst[i] = 77
	}
	Transpose(dst, rowDst, src, rowSrc, rows, cols)
	for at, got := range dst {
		l, i := at/rowDst, at%rowDst
		want := T(77)
		if i < rows {
			want = src[i*rowSrc+l]
		}
		if got != want {
			t.Fatalf("%d x %d of %T: element %d of row %d is %v, want %v", rows, cols, got, i, l, got, want)
		}
	}
}

func TestTranspose(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(31, 32))
		for n := range 60 {
			checkTransposes(t, 1+rng.IntN(70), 1+rng.IntN(200), rng.IntN(3), n%2 == 0)
		}
	})
}

// checkTransposes turns matrices of elements of every size.
func checkTransposes(t *testing.T, rows, cols, extra int, atEnd bool) {
	checkTranspose[uint8](t, rows, cols, extra, atEnd)
	checkTranspose[int16](t, rows, cols, extra, atEnd)
	checkTranspose[int32](t, rows, cols, extra, atEnd)
	checkTranspose[int64](t, rows, cols, extra, atEnd)
}

func BenchmarkTranspose(b *testing.B) {
	const rows, cols = 1000, 1000
	src, dst := make([]float32, rows*cols), make([]float32, rows*cols)
	b.SetBytes(8 * rows * cols)
	for b.Loop() {
		Transpose(dst, rows, src, cols, rows, cols)
	}
}
