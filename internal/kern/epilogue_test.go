package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"cresset/dtype"
	"cresset/internal/op"
)

// checkFollow compares what a kernel leaves where ReLU follows it with ReLU of what it leaves alone, bit by bit; result
// is what it is given.
func checkFollow[T dtype.Float](t *testing.T, name string, result []T, run func(then op.Op, result []T)) {
	t.Helper()
	got, want := append([]T(nil), result...), append([]T(nil), result...)
	run(op.Invalid, want)
	ReLU(want, want)
	run(op.ReLU, got)
	for i := range want {
		if !sameBits(got[i], want[i]) {
			t.Fatalf("%s: element %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}

func followProduct[T dtype.Float](t *testing.T, rnd *rand.Rand, m, n, k, la, lb int) {
	a, b := randomMatrix[T](rnd, m, k, la), randomMatrix[T](rnd, k, n, lb)
	if len(a.Data) > 0 {
		a.Data[rnd.IntN(len(a.Data))] = T(math.NaN())
	}
	bias := fill(rnd, make([]T, n))
	checkFollow(t, fmt.Sprint(m, n, k, la, lb), make([]T, m*n), func(then op.Op, c []T) {
		GemmBias(m, n, k, a, b, bias, 0, then, c, n)
	})
	// Between rows with a gap nothing changes.
	const gap = -1
	c := make([]T, m*(n+1))
	for i := range c {
		c[i] = gap
	}
	GemmBias(m, n, k, a, b, bias, 0, op.ReLU, c, n+1)
	for i := n; i < len(c); i += n + 1 {
		if c[i] != gap {
			t.Fatalf("%d x %d x %d: what lies behind row %d is %v", m, n, k, i/(n+1), c[i])
		}
	}
}

func TestProductsApplyWhatFollows(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	everyLevel(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(21, 22))
		for _, s := range [][3]int{
			{1, 1, 1}, {3, 4, 5}, {1, 300, 200}, {300, 1, 70}, {8, 30, 784}, {64, 40, 130}, {30, 70, 1100}, {17, 40, 2100}, {130, 300, 515},
			{15, 1050, 70}, {4, 3, 0}, {0, 3, 4}, {3, 0, 4},
		} {
			for layout := range 4 {
				followProduct[float32](t, rnd, s[0], s[1], s[2], layout&1, layout>>1)
				followProduct[float64](t, rnd, s[0], s[1], s[2], layout&1, layout>>1)
			}
		}
	})
}

func followConv[T dtype.Float](t *testing.T, rnd *rand.Rand, name string, s *ConvShape) {
	x, w := fill(rnd, make([]T, s.N*s.C*s.H*s.W)), fill(rnd, make([]T, s.K*s.C/s.Groups*s.R*s.S))
	if len(x) > 0 {
		x[rnd.IntN(len(x))] = T(math.NaN())
	}
	for _, bias := range [][]T{nil, fill(rnd, make([]T, s.K))} {
		checkFollow(t, name, make([]T, s.N*s.K*s.OH*s.OW), func(then op.Op, y []T) { Conv2D(s, x, w, bias, then, y) })
	}
}

func TestConvolutionsApplyWhatFollows(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(23, 24))
		for _, row := range convShapes {
			followConv[float32](t, rnd, row.name, row.shape.withOutput())
			followConv[float64](t, rnd, row.name, row.shape.withOutput())
		}
	})
}
