package ptx

import "testing"

// TestHopperProduct runs testdata/sm_90a/gemm.cu: B is given by rows of n.
func TestHopperProduct(t *testing.T) {
	for _, s := range [][3]int{{256, 64, 64}, {256, 128, 200}, {300, 72, 264}} {
		p := newTileProduct(s[0], s[1], s[2])
		var h heap
		half := func(v []float64, at func(i int) int) uint64 {
			out := make([]uint16, len(v))
			for i := range v {
				out[i] = formatBF16.round(v[at(i)])
			}
			return put(&h, out)
		}
		m, n, k := s[0], s[1], s[2]
		c := put(&h, make([]float32, m*n))
		a := half(p.a, func(i int) int { return i })
		b := half(p.b, func(i int) int { return i%k*n + i/k })
		tiles := func(addr uint64, rows, box int) [128]byte {
			tm := TensorMap{Type: 9, Rank: 2, Address: addr, Extents: [5]uint64{uint64(k), uint64(rows), 1, 1, 1}, Strides: [4]uint64{uint64(2 * k)},
				Box: [5]uint32{64, uint32(box), 1, 1, 1}, Steps: [5]uint32{1, 1, 1, 1, 1}, Swizzle: 3}
			return tm.Encode()
		}
		kernel := load(t, "sm_90a/gemm").Kernels["gemm"]
		count, err := Launch(kernel, LaunchConfig{Grid: [3]uint32{uint32(m+255) / 256 * 2, uint32(n+63) / 64, 1}, Block: [3]uint32{384, 1, 1},
			Cluster: [3]uint32{2, 1, 1}, Shared: 3*(128+64)*64*2 + 64, Memory: &h,
			Params: pack(kernel, tiles(a, m, 128), tiles(b, n, 32), c, uint32(m), uint32(n), uint32(k))})
		if err != nil {
			t.Fatal(err)
		}
		p.check(t, get[float32](&h, c))
		if want := uint64((m+255)/256*256*((n+63)/64*64)) * uint64((k+63)/64*64); count.Tensor16 != want {
			t.Errorf("%d products, want %d", count.Tensor16, want)
		}
	}
}

func BenchmarkHopperProduct(b *testing.B) {
	p := newTileProduct(256, 64, 512)
	var h heap
	half := func(v []float64) uint64 {
		out := make([]uint16, len(v))
		for i := range v {
			out[i] = formatBF16.round(v[i])
		}
		return put(&h, out)
	}
	c, x, y := put(&h, make([]float32, 256*64)), half(p.a), half(p.b)
	tiles := func(addr uint64, rows, box int) [128]byte {
		tm := TensorMap{Type: 9, Rank: 2, Address: addr, Extents: [5]uint64{512, uint64(rows), 1, 1, 1}, Strides: [4]uint64{1024},
			Box: [5]uint32{64, uint32(box), 1, 1, 1}, Steps: [5]uint32{1, 1, 1, 1, 1}, Swizzle: 3}
		return tm.Encode()
	}
	kernel := load(b, "sm_90a/gemm").Kernels["gemm"]
	cfg := LaunchConfig{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{384, 1, 1}, Cluster: [3]uint32{2, 1, 1}, Shared: 3*(128+64)*64*2 + 64, Memory: &h, Workers: 1,
		Params: pack(kernel, tiles(x, 256, 128), tiles(y, 64, 32), c, uint32(256), uint32(64), uint32(512))}
	for b.Loop() {
		if _, err := Launch(kernel, cfg); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*256*64*512/b.Elapsed().Seconds()/1e9, "G_fma/s")
}
