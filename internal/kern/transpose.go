package kern

import (
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

const (
	// square is the side of the squares that are transposed in Go: a row of one fills a cache line with halves.
	square = 32
	// TransposePanel is how many columns are transposed together: their cache lines in dst, one for each row, stay in the cache.
	TransposePanel = 64
)

// Transpose copies dst[l*rowDst+i] = src[i*rowSrc+l] for i < rows and l < cols, in squares, so that every cache line is
// read and written once.
func Transpose[T dtype.Element](dst []T, rowDst int, src []T, rowSrc, rows, cols int) {
	switch unsafe.Sizeof(*new(T)) {
	case 4:
		transpose(bitsAs[float32](dst), rowDst, bitsAs[float32](src), rowSrc, rows, cols)
	case 8:
		transpose(bitsAs[float64](dst), rowDst, bitsAs[float64](src), rowSrc, rows, cols)
	default:
		transposeSquares(dst, rowDst, src, rowSrc, rows, cols)
	}
}

// bitsAs is s as elements of another type of the same size.
func bitsAs[F, T dtype.Element](s []T) []F {
	// The memory is that of s, and holds no pointers; both types have one size and one alignment.
	return unsafe.Slice((*F)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

func transpose[T dtype.Float](dst []T, rowDst int, src []T, rowSrc, rows, cols int) {
	lanes := vec.Lanes[T]()
	if lanes == 0 || rows < lanes || cols < lanes {
		transposeSquares(dst, rowDst, src, rowSrc, rows, cols)
		return
	}
	for l := 0; l < cols; {
		n := TransposePanel
		if cols-l < n+lanes { // the last panel is not too narrow for a vector
			n = cols - l
		}
		for i := 0; i < rows; i += lanes {
			i := min(i, rows-lanes) // the last rows overlap those before
			vec.Transpose(dst[l*rowDst+i:], rowDst, src[i*rowSrc+l:], rowSrc, lanes, n)
		}
		l += n
	}
}

// transposeSquares is Transpose without vectors.
func transposeSquares[T dtype.Element](dst []T, rowDst int, src []T, rowSrc, rows, cols int) {
	if rows < square || cols < square {
		transposeNarrow(dst, rowDst, src, rowSrc, rows, cols)
		return
	}
	for l := 0; l < cols; l += square {
		l := min(l, cols-square) // the last squares overlap those before
		transposeStrip(dst[l*rowDst:], rowDst, src[l:], rowSrc, rows)
	}
}

// transposeStrip is that of as many columns as a square has.
func transposeStrip[T dtype.Element](dst []T, rowDst int, src []T, rowSrc, rows int) {
	var turned [square][square]T
	for i := 0; i < rows; i += square {
		i := min(i, rows-square)
		for r := range square {
			row := (*[square]T)(src[(i+r)*rowSrc:])
			for l := range square {
				turned[l][r] = row[l]
			}
		}
		for l := range square {
			*(*[square]T)(dst[l*rowDst+i:]) = turned[l]
		}
	}
}

// transposeNarrow copies so few columns or rows that they hold no square, in runs of rows that the cache holds.
func transposeNarrow[T dtype.Element](dst []T, rowDst int, src []T, rowSrc, rows, cols int) {
	for first := 0; first < rows; first += square {
		n := min(square, rows-first)
		for l := range cols {
			line := dst[l*rowDst+first:][:n]
			for i := range line {
				line[i] = src[(first+i)*rowSrc+l]
			}
		}
	}
}
