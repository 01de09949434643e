package kern

import (
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
	"cresset/internal/op"
)

// guard copies a matrix between pages that must not be touched.
func guard[T dtype.Element](t *testing.T, m Matrix[T], atEnd bool) Matrix[T] {
	return Matrix[T]{guarded.Copy(t, m.Data, atEnd), m.Row, m.Col}
}

// TestGemmStaysInside multiplies matrices between pages that must not be touched; a touch ends the test.
func TestGemmStaysInside(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(19, 20))
		for _, s := range []struct{ m, n, k int }{{1, 37, 67}, {1, 5003, 77}, {2, 48, 70}, {3, 5, 1}, {5, 1, 70}, {15, 33, 17}, {29, 49, 90}, {61, 300, 66}} {
			for layout := range 4 {
				for _, atEnd := range []bool{false, true} {
					stayInsideProduct[float32](t, rnd, s.m, s.n, s.k, layout, atEnd)
					stayInsideProduct[float64](t, rnd, s.m, s.n, s.k, layout, atEnd)
					a, b := halves(randomMatrix[float32](rnd, s.m, s.k, layout&1)), halves(randomMatrix[float32](rnd, s.k, s.n, layout>>1))
					GemmBF16(s.m, s.n, s.k, guard(t, a, atEnd), guard(t, b, atEnd), guarded.Slice[dtype.BF16](t, s.n, atEnd), guarded.Slice[dtype.BF16](t, s.m*s.n, atEnd), s.n)
					GemmBF16(s.m, s.n, s.k, guard(t, a, atEnd), guard(t, b, atEnd), nil, guarded.Slice[dtype.BF16](t, s.m*s.n, atEnd), s.n)
					GemmHalf(s.m, s.n, s.k, guard(t, a, atEnd), guard(t, b, atEnd), guarded.Slice[dtype.BF16](t, s.n, atEnd), guarded.Slice[dtype.BF16](t, s.m*s.n, atEnd), s.n)
				}
			}
		}
	})
}

func stayInsideProduct[T dtype.Float](t *testing.T, rnd *rand.Rand, m, n, k, layout int, atEnd bool) {
	a := guard(t, randomMatrix[T](rnd, m, k, layout&1), atEnd)
	b := guard(t, randomMatrix[T](rnd, k, n, layout>>1), atEnd)
	c, bias := guarded.Slice[T](t, m*n, atEnd), guarded.Slice[T](t, n, atEnd)
	GemmBias(m, n, k, a, b, bias, 0, op.Invalid, c, n)
	Gemm(m, n, k, 1, a, b, 1, c, n)
}

// TestConv2DStaysInside convolves between pages that must not be touched.
func TestConv2DStaysInside(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, row := range convShapes {
			s := row.shape.withOutput()
			for _, atEnd := range []bool{false, true} {
				x, y := guarded.Slice[float32](t, s.N*s.C*s.H*s.W, atEnd), guarded.Slice[float32](t, s.N*s.K*s.OH*s.OW, atEnd)
				w, bias := guarded.Slice[float32](t, s.K*s.C/s.Groups*s.R*s.S, atEnd), guarded.Slice[float32](t, s.K, atEnd)
				if err := Conv2D(s, x, w, bias, op.Invalid, y); err != nil {
					t.Fatal(err)
				}
				if err := Conv2DGradInput(s, y, w, nil, x); err != nil {
					t.Fatal(err)
				}
				if err := Conv2DGradWeight(s, x, y, w); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
