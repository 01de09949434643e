package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
)

func TestProducts(t *testing.T) {
	for _, s := range [][4]int{{1, 1, 1, 1}, {1, 70, 65, 40}, {1, 64, 10, 128}, {3, 5, 9, 17}, {2, 33, 130, 16}, {1, 4, 3, 0}} {
		for transposed := range 4 {
			product[float64](t, s, transposed&1 != 0, transposed&2 != 0, 0x1p-53)
		}
	}
}

// product compares 2·a·b + 3·bias with sums in float64: an element may be off by unit·(k+3) times the sum of the sizes of
// what is added.
func product[T dtype.Float](t *testing.T, s [4]int, aTransposed, bTransposed bool, unit float64) {
	t.Helper()
	count, m, n, k := s[0], s[1], s[2], s[3]
	a, b, bias := make([]T, count*m*k), make([]T, count*k*n), make([]T, n)
	for i := range a {
		a[i] = T(math.Sin(float64(i*i + 1)))
	}
	for i := range b {
		b[i] = T(math.Cos(float64(3*i*i + i)))
	}
	for i := range bias {
		bias[i] = T(math.Sin(float64(7 * i)))
	}
	got := make([]T, count*m*n)
	dev := &machine{t: t}
	p := kernels.Product{Count: uint64(count), M: uint64(m), N: uint64(n), K: uint64(k), Out: put(dev, got), A: put(dev, a), B: put(dev, b),
		Add: put(dev, bias), OutStrides: [3]int64{int64(m * n), int64(n), 1}, AStrides: strides(m, k, aTransposed),
		BStrides: strides(k, n, bTransposed), AddStrides: [3]int64{0, 0, 1}, Alpha: 2, Beta: 3}
	g, small := kernels.ProductGrid(p.Count, p.M, p.N)
	g.Blocks[0] = min(g.Blocks[0], few)
	row := "product"
	if small {
		row = "product_small"
	}
	launch(dev, row+suffix[T](), g, p)
	for z := range count {
		for i := range m {
			for j := range n {
				want, size := 3*float64(bias[j]), 3*math.Abs(float64(bias[j]))
				for l := range k {
					x := float64(a[z*int(p.AStrides[0])+i*int(p.AStrides[1])+l*int(p.AStrides[2])])
					y := float64(b[z*int(p.BStrides[0])+l*int(p.BStrides[1])+j*int(p.BStrides[2])])
					want += 2 * x * y
					size += math.Abs(2 * x * y)
				}
				v := float64(got[(z*m+i)*n+j])
				if !(math.Abs(v-want) <= unit*float64(2*k+3)*size) {
					t.Fatalf("%s%s of %v, transposed %v %v: element %d %d %d: got %v, want %v", row, suffix[T](), s, aTransposed,
						bTransposed, z, i, j, v, want)
				}
			}
		}
	}
}

// strides are of a matrix that lies contiguously, or whose transpose does.
func strides(rows, cols int, transposed bool) [3]int64 {
	if transposed {
		return [3]int64{int64(rows * cols), 1, int64(rows)}
	}
	return [3]int64{int64(rows * cols), int64(cols), 1}
}

// BenchmarkProduct is of the interpreter's speed on the product's kernel.
func BenchmarkProduct(b *testing.B) {
	for _, size := range []int{64, 256} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			m := &machine{t: b}
			n := uint64(size)
			p := kernels.Product{Count: 1, M: n, N: n, K: n, Out: put(m, make([]float32, n*n)), A: put(m, waves(n*n)),
				B: put(m, waves(n*n)), AStrides: strides(size, size, false), BStrides: strides(size, size, false),
				OutStrides: strides(size, size, false), Alpha: 1, Parts: 1, Part: n}
			plan := kernels.PlanTiles(&p, 3, 1)
			kernel := kernels.ProductTiles[plan.Tile].Kernel(plan.A, plan.B) + "_f32"
			var instructions uint64
			for b.Loop() {
				instructions += launch(m, kernel, plan.Grid, p).LaneInstructions
			}
			b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e9, "Glane/s")
			b.ReportMetric(float64(b.N)*float64(n*n*n)/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}

func waves(n uint64) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(math.Sin(float64(i)))
	}
	return s
}

// BenchmarkSoftmax is of the interpreter's speed on softmax 256x1024.
func BenchmarkSoftmax(b *testing.B) {
	m := &machine{t: b}
	p := kernels.Softmax{Outer: 256, N: 1024, Inner: 1, Out: put(m, make([]float32, 256*1024)), In: put(m, waves(256*1024))}
	g, _ := kernels.HeldGrid(256, 1024)
	var instructions uint64
	for b.Loop() {
		instructions += launch(m, "softmax_f32", g, p).LaneInstructions
	}
	b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e9, "Glane/s")
}
