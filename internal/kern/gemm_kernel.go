package kern

import "cresset/dtype"

// gemmKernel is a micro-kernel and the shapes that suit it.
type gemmKernel[T dtype.Float] struct {
	mr, nr int // the tile of C that run computes
	// tilePanelsA and tilePanelsB are the panels that one piece of work
	// multiplies: those of A stay in the first cache level.
	tilePanelsA, tilePanelsB int
	// run adds to C[mr, nr] the product of a panel of A, packed as [k, mr], and
	// one of B, packed as [k, nr]. The k products of an element are added in
	// order, starting from zero, before C is read.
	run func(k int, a, b, c []T, ldc int)
}

var (
	gemm32 = gemmKernel[float32]{2, 4, 16, 16, gemm2x4[float32]}
	gemm64 = gemmKernel[float64]{2, 4, 8, 16, gemm2x4[float64]}
)

func kernelOf[T dtype.Float]() *gemmKernel[T] {
	if k, ok := any(&gemm32).(*gemmKernel[T]); ok {
		return k
	}
	return any(&gemm64).(*gemmKernel[T])
}

// gemm2x4 is
//
//	for i := range 2 {
//		for j := range 4 {
//			var sum T
//			for l := range k {
//				sum += a[l*2+i] * b[l*4+j]
//			}
//			c[i*ldc+j] += sum
//		}
//	}
//
// Eight sums and the factors of one step fill the fifteen registers that Go's
// compiler has on amd64: larger tiles spill, smaller ones load more than they
// multiply. Four steps a turn hide the cost of the loop.
func gemm2x4[T dtype.Float](k int, a, b, c []T, ldc int) {
	var c00, c01, c02, c03, c10, c11, c12, c13 T
	a, b = a[:2*k], b[:4*k]
	for len(a) >= 8 && len(b) >= 16 {
		x, y := (*[8]T)(a), (*[16]T)(b)

		c00, c10 = c00+T(x[0]*y[0]), c10+T(x[1]*y[0])
		c01, c11 = c01+T(x[0]*y[1]), c11+T(x[1]*y[1])
		c02, c12 = c02+T(x[0]*y[2]), c12+T(x[1]*y[2])
		c03, c13 = c03+T(x[0]*y[3]), c13+T(x[1]*y[3])

		c00, c10 = c00+T(x[2]*y[4]), c10+T(x[3]*y[4])
		c01, c11 = c01+T(x[2]*y[5]), c11+T(x[3]*y[5])
		c02, c12 = c02+T(x[2]*y[6]), c12+T(x[3]*y[6])
		c03, c13 = c03+T(x[2]*y[7]), c13+T(x[3]*y[7])

		c00, c10 = c00+T(x[4]*y[8]), c10+T(x[5]*y[8])
		c01, c11 = c01+T(x[4]*y[9]), c11+T(x[5]*y[9])
		c02, c12 = c02+T(x[4]*y[10]), c12+T(x[5]*y[10])
		c03, c13 = c03+T(x[4]*y[11]), c13+T(x[5]*y[11])

		c00, c10 = c00+T(x[6]*y[12]), c10+T(x[7]*y[12])
		c01, c11 = c01+T(x[6]*y[13]), c11+T(x[7]*y[13])
		c02, c12 = c02+T(x[6]*y[14]), c12+T(x[7]*y[14])
		c03, c13 = c03+T(x[6]*y[15]), c13+T(x[7]*y[15])

		a, b = a[8:], b[16:]
	}
	for len(a) >= 2 && len(b) >= 4 {
		x, y := (*[2]T)(a), (*[4]T)(b)
		c00, c10 = c00+T(x[0]*y[0]), c10+T(x[1]*y[0])
		c01, c11 = c01+T(x[0]*y[1]), c11+T(x[1]*y[1])
		c02, c12 = c02+T(x[0]*y[2]), c12+T(x[1]*y[2])
		c03, c13 = c03+T(x[0]*y[3]), c13+T(x[1]*y[3])
		a, b = a[2:], b[4:]
	}
	r, s := (*[4]T)(c), (*[4]T)(c[ldc:])
	r[0], r[1], r[2], r[3] = r[0]+c00, r[1]+c01, r[2]+c02, r[3]+c03
	s[0], s[1], s[2], s[3] = s[0]+c10, s[1]+c11, s[2]+c12, s[3]+c13
}
