package kern

import (
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

const (
	intWidth = 4 << 10  // bytes of a row of C that are computed together
	intPanel = 32 << 10 // bytes of a panel of B: with two such rows of C it stays in the L1 cache
	intFew   = 4        // columns of C of which each element is a product of vectors
	intDot   = 2048     // elements of vectors that are multiplied at a time
)

// MatMulInt computes C = A·B in wrapping integer arithmetic, where A is [m, k],
// B is [k, n] and C is [m, n] with rows ldc elements apart.
func MatMulInt[T dtype.Integer](m, n, k int, a, b Matrix[T], c []T, ldc int) {
	if m == 0 || n == 0 {
		return
	}
	if a, ok := any(a).(Matrix[int8]); ok { // the bits of a product of bytes are the same with signs and without
		b, c := any(b).(Matrix[int8]), any(c).([]int8)
		MatMulInt(m, n, k, bytesAs(a), bytesAs(b), bitsAs[uint8](c), ldc)
		return
	}
	p := intProduct[T]{m: m, n: n, k: k, a: a, b: b, c: Matrix[T]{c, ldc, 1}}
	// C transposed is the product of B and A transposed. So few rows times contiguous columns of B are computed as few columns, and a
	// column as a row.
	if m <= intFew && b.Row == 1 || n == 1 && a.Col != 1 && ldc == 1 {
		p = p.transposed()
	}
	switch {
	case p.n <= intFew && (p.n > 1 || p.a.Col == 1):
		par.For(p.m, grainOf(2*p.n*k), p.dots)
	case p.m < p.n && p.m <= intFew:
		par.For(p.n, intGrain(p.n, 2*p.m*k), func(lo, hi int) { p.rows(0, p.m, lo, hi) })
	default:
		par.For(p.m, intGrain(p.m, 2*p.n*k), func(lo, hi int) { p.rows(lo, hi, 0, p.n) })
	}
}

// intGrain is grainOf for chunks as large as the number of threads allows, since each chunk reads and packs all of B.
func intGrain(n, ops int) int { return max(grainOf(ops), ceilDiv(n, par.NumThreads())) }

func bytesAs(m Matrix[int8]) Matrix[uint8] { return Matrix[uint8]{bitsAs[uint8](m.Data), m.Row, m.Col} }

// intProduct is a product of integer matrices.
type intProduct[T dtype.Integer] struct {
	m, n, k int
	a, b, c Matrix[T]
}

func (p intProduct[T]) transposed() intProduct[T] {
	return intProduct[T]{m: p.n, n: p.m, k: p.k, a: p.b.Transposed(), b: p.a.Transposed(), c: p.c.Transposed()}
}

// rows computes rows i0 to i1-1 of C, which are contiguous, in columns j0 to j1-1: it adds rows of B, each times an element of A.
// A panel of B at a time, which the first cache level holds, is used for all rows; it is packed where B's rows are not
// contiguous.
func (p intProduct[T]) rows(i0, i1, j0, j1 int) {
	for i := i0; i < i1; i++ {
		clear(p.c.Data[i*p.c.Row:][j0:j1])
	}
	size := int(unsafe.Sizeof(*new(T)))
	width := min(j1-j0, intWidth/size)
	depth := intPanel / size / width
	if p.b.Col == 1 || p.k == 0 {
		p.panels(i0, i1, j0, j1, width, depth, nil)
		return
	}
	space := newScratch[float64](intPanel / 8)
	defer space.release()
	p.panels(i0, i1, j0, j1, width, depth, numbersOver[T](space.data))
}

// panels adds to C all products, depth steps and most columns at a time. B is packed into panel unless that is nil.
func (p intProduct[T]) panels(i0, i1, j0, j1, most, depth int, panel []T) {
	for j := j0; j < j1; j += most {
		width := min(j1-j, most)
		for l := 0; l < p.k; l += depth {
			steps := min(p.k-l, depth)
			b := Matrix[T]{p.b.Data[l*p.b.Row+j*p.b.Col:], p.b.Row, 1}
			if panel != nil {
				gatherPanel(panel, b.Data, p.b, steps, width)
				b = Matrix[T]{panel, width, 1}
			}
			i := i0
			for ; i+2 <= i1; i += 2 {
				addStepsPair(p.c.Data[i*p.c.Row+j:][:width], p.c.Data[(i+1)*p.c.Row+j:][:width], p.a.Data[i*p.a.Row+l*p.a.Col:], p.a, b, steps)
			}
			if i < i1 {
				addSteps(p.c.Data[i*p.c.Row+j:][:width], p.a.Data[i*p.a.Row+l*p.a.Col:], p.a.Col, b, steps)
			}
		}
	}
}

// gatherPanel copies a matrix that lies in src with m's strides.
func gatherPanel[T dtype.Integer](dst, src []T, m Matrix[T], rows, cols int) {
	if m.Row == 1 {
		Transpose(dst, cols, src, m.Col, cols, rows)
		return
	}
	for l := range rows {
		row := dst[l*cols:][:cols]
		for j := range row {
			row[j] = src[l*m.Row+j*m.Col]
		}
	}
}

// addSteps adds to a row of C the first rows of b, times elements of a that lie a step apart.
func addSteps[T dtype.Integer](row, a []T, step int, b Matrix[T], steps int) {
	n, l := len(row), 0
	for ; l+3 <= steps; l += 3 {
		at := b.Data[l*b.Row:]
		addProducts(row, at[:n], at[b.Row:][:n], at[2*b.Row:][:n], a[l*step], a[(l+1)*step], a[(l+2)*step])
	}
	for ; l < steps; l++ {
		at := b.Data[l*b.Row:][:n]
		addProducts(row, at, at, at, a[l*step], 0, 0)
	}
}

// addStepsPair is addSteps for two rows of C, by two rows of a matrix whose elements begin in a.
func addStepsPair[T dtype.Integer](row, next, a []T, m, b Matrix[T], steps int) {
	n, l := len(row), 0
	for ; l+2 <= steps; l += 2 {
		at := b.Data[l*b.Row:]
		x, y := a[l*m.Col:], a[(l+1)*m.Col:]
		addProductsPair(row, next, at[:n], at[b.Row:][:n], x[0], y[0], x[m.Row], y[m.Row])
	}
	if l < steps {
		at := b.Data[l*b.Row:][:n]
		addProductsPair(row, next, at, at, a[l*m.Col], 0, a[l*m.Col+m.Row], 0)
	}
}

// addProductsPair is sums[i] += w·a[i] + x·b[i] and more[i] += y·a[i] + z·b[i].
func addProductsPair[T dtype.Integer](sums, more, a, b []T, w, x, y, z T) {
	more, a, b = more[:len(sums)], a[:len(sums)], b[:len(sums)]
	for i := vec.Ternary(vec.AddProductsPair, sums, more, a, b, w, x, y, z); i < len(sums); i++ {
		sums[i] += w*a[i] + x*b[i]
		more[i] += y*a[i] + z*b[i]
	}
}

// addProducts is sums[i] += x·a[i] + y·b[i] + z·c[i].
func addProducts[T dtype.Integer](sums, a, b, c []T, x, y, z T) {
	a, b, c = a[:len(sums)], b[:len(sums)], c[:len(sums)]
	for i := vec.Ternary(vec.AddProducts, sums, a, b, c, x, y, z); i < len(sums); i++ {
		sums[i] += x*a[i] + y*b[i] + z*c[i]
	}
}

// dots computes rows i0 to i1-1 of C, which has few columns, an element at a time. Vectors are gathered where they do not
// lie along k.
func (p intProduct[T]) dots(i0, i1 int) {
	space := newScratch[float64]((intFew + 2) * intDot)
	defer space.release()
	part := func(n int) []T { return numbersOver[T](space.data[n*intDot:][:intDot])[:intDot] }
	for i := i0; i < i1; i++ {
		for j := range p.n {
			p.c.Data[i*p.c.Row+j*p.c.Col] = 0
		}
	}
	var columns [intFew][]T
	for l := 0; l < p.k; l += intDot {
		steps := min(p.k-l, intDot)
		for j := range p.n {
			columns[j] = alongK(part(j), p.b.Data[l*p.b.Row+j*p.b.Col:], p.b.Row, steps)
		}
		for i := i0; i < i1; i++ {
			row := alongK(part(intFew), p.a.Data[i*p.a.Row+l*p.a.Col:], p.a.Col, steps)
			for j, column := range columns[:p.n] {
				p.c.Data[i*p.c.Row+j*p.c.Col] += dotInt(row, column, part(intFew+1))
			}
		}
	}
}

// alongK returns n elements of src that lie a step apart, in space unless they lie side by side.
func alongK[T dtype.Integer](space, src []T, step, n int) []T {
	if step == 1 {
		return src[:n]
	}
	for l := range n {
		space[l] = src[l*step]
	}
	return space[:n]
}

// dotInt returns Σ x·y; its products are written to space.
func dotInt[T dtype.Integer](x, y, space []T) T {
	space = space[:len(x)]
	Mul(space, x, y)
	return T(sumIntegers(space))
}

// numbersOver is the memory of s as integers, which hold nothing yet.
func numbersOver[T dtype.Integer](s []float64) []T {
	// The memory is that of s, aligned for every integer.
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*8/int(unsafe.Sizeof(*new(T))))
}
