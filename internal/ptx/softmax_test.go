package ptx

import (
	"math"
	"math/rand/v2"
	"testing"
)

// numbers returns n draws from a normal distribution.
func numbers(n int) []float32 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func TestSoftmax(t *testing.T) {
	const rows, cols = 5, 1000
	var h heap
	x := numbers(rows * cols)
	out := put(&h, make([]float32, len(x)))
	launch(t, &h, "softmax", "softmax", rows, 256, out, put(&h, x), uint32(cols))
	got := get[float32](&h, out)
	for r := range rows {
		var sum float64
		for _, v := range x[r*cols:][:cols] {
			sum += math.Exp(float64(v))
		}
		for c := range cols {
			want := math.Exp(float64(x[r*cols+c])) / sum
			if g := float64(got[r*cols+c]); !(math.Abs(g-want) <= 2e-6*want) {
				t.Fatalf("row %d, column %d: got %g, want %g", r, c, g, want)
			}
		}
	}
}

func BenchmarkSoftmax256x1024(b *testing.B) {
	benchmark(b, "softmax", "softmax", [3]uint32{256, 1, 1}, 256, func(h *heap) []any {
		x := numbers(256 * 1024)
		return []any{put(h, make([]float32, len(x))), put(h, x), uint32(1024)}
	})
}

// benchmark reports lane-instructions per second of one core.
func benchmark(b *testing.B, module, kernel string, grid [3]uint32, threads uint32, args func(h *heap) []any) {
	k := load(b, module).Kernels[kernel]
	var h heap
	cfg := LaunchConfig{Grid: grid, Block: [3]uint32{threads, 1, 1}, Params: pack(k, args(&h)...), Memory: &h, Workers: 1}
	var count Counters
	for b.Loop() {
		c, err := Launch(k, cfg)
		if err != nil {
			b.Fatal(err)
		}
		count.Add(c)
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(count.LaneInstructions)/1e9/seconds, "Glane/s")
}
