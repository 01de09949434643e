package kern

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"cresset/internal/kern/vec"
	"cresset/internal/mem"
	"cresset/internal/par"
)

// BenchmarkQuantDecode, whose rows scripts/bench_quant.py puts beside PyTorch's, is a row of x times one weight of 4096x4096 after another, which together are larger than the caches, beside the largest of as
// many bytes as int32: what can be read at most.
func BenchmarkQuantDecode(b *testing.B) {
	const k, n, count = 4096, 4096, 12
	block, err := mem.Alloc(count * n * k) // in large pages, as tensors are
	if err != nil {
		b.Fatal(err)
	}
	defer block.Free()
	w8, words := mem.Slice[int8](block), mem.Slice[int32](block)
	for i := range words {
		words[i] = int32(i * 0x01070307)
	}
	defer par.SetNumThreads(par.NumThreads())
	for _, threads := range []int{1, 2} {
		par.SetNumThreads(threads)
		b.Run(fmt.Sprintf("read/%d", threads), func(b *testing.B) {
			b.SetBytes(n * k)
			var at int
			for b.Loop() {
				part := words[at*n*k/4:][:n*k/4]
				at = (at + 1) % count
				par.For(n/16, 8, func(lo, hi int) {
					sums := make([]int32, (hi-lo)*16)
					vec.Rows(vec.Largest, k/4, nil, sums, part[lo*4*k:hi*4*k])
				})
			}
		})
		x := randomFloats(rand.New(rand.NewPCG(1, 2)), k)
		bench := func(name string, bytes int, run func(at int)) {
			b.Run(fmt.Sprint(name, "/", threads), func(b *testing.B) {
				b.SetBytes(int64(bytes))
				var at int
				for b.Loop() {
					run(at)
					at = (at + 1) % count
				}
			})
		}
		for _, digits := range []int{1, 3} {
			p := Int8Linear{X: newFixed(1, k, digits), N: n, Scale: make([]float32, n), Y: make([]float32, n)}
			bench(fmt.Sprintf("int8 by %d digits", digits), n*k, func(at int) {
				p.W = w8[at*n*k:][:n*k]
				p.X.Set(0, x)
				p.Run()
			})
		}
		for _, group := range []int{32, 128} {
			p := Int4Linear{X: fixedPairs(1, k, group), N: n, Scale: make([]float32, n*k/group), Y: make([]float32, n)}
			zeros := make([]int32, n*k/group/8)
			for _, p.Zero = range [][]int32{nil, zeros} {
				bench(fmt.Sprintf("int4 in groups of %d, zeros %v", group, p.Zero != nil), n*k/2+4*n*k/group+4*len(p.Zero), func(at int) {
					p.W = words[at*n*k/4:][:n*k/8]
					p.X.Set(0, x)
					p.Run()
				})
			}
		}
	}
}

// BenchmarkQuantMany is rows of x, as many as a weight is read for at once and fewer, times a weight that the caches hold.
func BenchmarkQuantMany(b *testing.B) {
	defer par.SetNumThreads(par.NumThreads())
	par.SetNumThreads(1)
	for _, size := range []int{512, 1024, 4096} {
		k, n := size, size
		block, err := mem.Alloc(n * k)
		if err != nil {
			b.Fatal(err)
		}
		defer block.Free()
		w8, words := mem.Slice[int8](block), mem.Slice[int32](block)
		for i := range words {
			words[i] = int32(i * 0x01070307)
		}
		for _, m := range []int{2, 3, 4, 8, 16, 32, FixedRows} {
			x, y := randomFloats(rand.New(rand.NewPCG(1, 2)), m*k), make([]float32, m*n)
			bench := func(name string, set func(i int, x []float32), run func()) {
				b.Run(fmt.Sprintf("%s/%dx%dx%d", name, m, k, n), func(b *testing.B) {
					for b.Loop() {
						for i := range m {
							set(i, x[i*k:][:k])
						}
						run()
					}
				})
			}
			for _, digits := range []int{1, 3} {
				p := Int8Linear{X: newFixed(m, k, digits), N: n, W: w8, Scale: make([]float32, n), Y: y}
				bench(fmt.Sprintf("int8 by %d digits", digits), p.X.Set, p.Run)
			}
			for _, group := range []int{32, 128} {
				p := Int4Linear{X: fixedPairs(m, k, group), N: n, W: words[:n*k/8], Scale: make([]float32, n*k/group), Zero: make([]int32, n*k/group/8), Y: y}
				bench(fmt.Sprintf("int4 in groups of %d", group), p.X.Set, p.Run)
			}
		}
	}
}
