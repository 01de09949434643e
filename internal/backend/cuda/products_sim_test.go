package cuda

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// TestProductsOnEveryCard multiplies on cards of several generations, each by the kernels that it takes: operands that start anywhere,
// lines of any length, transposes, few rows and columns, and sums long enough to be divided.
func TestProductsOnEveryCard(t *testing.T) {
	slowUnderRace(t)
	for preset, want := range map[string][]string{
		"gtx1070": {"product_64x64_.._f32", "product(_small)?_f64"},
		"t4":      {"product_64x64_.._f32", "product_64x64_mma8_.._f16", "product(_small)?_f64"},
		"a100":    {"product_64x64_async_.._f32", "product_64x64_mma_.._f16", "product_64x64_pairs_.._bf16", "product_64x64_any_.._f16", "product_64x64_dmma_.._f64"},
		"h100":    {"product_64x64_async_.._f32", "product_64x64_mma_.._f16", "product_64x64_any_.._bf16", "product_64x64_dmma16_.._f64"},
		"rtx4090": {"product_64x64_async_.._f32", "product_64x64_mma_.._bf16", "product_64x64_dmma_.._f64"},
		"b200":    {"product_64x64_async_.._f32", "product_64x64_mma_.._f16", "product_64x64_dmma16_.._f64"},
		"rtx5090": {"product_64x64_async_.._f32", "product_64x64_mma_.._bf16", "product_64x64_dmma16_.._f64"},
	} {
		card := newCard(t, preset)
		dev := card.Device
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16} {
			for i, s := range [][3]int{{33, 65, 40}, {17, 72, 515}, {1, 40, 200}, {64, 3, 130}, {130, 136, 24}, {33, 1, 5}, {1, 33, 5}} {
				for _, turned := range []int{0, 3} {
					checkProduct(t, dev, dt, s, turned, i%2, dev.Run)
				}
			}
		}
		card.wants(t, append(want, "product_thin_.*_f32", "product_thin_.*_f16")...)
	}
}

// TestProductsOfLargeTiles multiplies by the tiles of float32 that large shapes have before 8.0, of operands that lie in each way and end inside of a tile.
func TestProductsOfLargeTiles(t *testing.T) {
	slowUnderRace(t)
	card := newCard(t, "t4")
	m := newMultiplier(dtype.Float32)
	run := func(c *backend.Call) error {
		s, p := productParams.begin(card.Device)
		defer s.free()
		describeProduct(p, c)
		plan := kernels.PlanTiles(p, 1, card.properties.Multiprocessors)
		return m.issue(&s, p, &plan)
	}
	for turned := range 4 {
		checkProduct(t, card.Device, dtype.Float32, [3]int{132, 136, 20}, turned, 0, run)
		checkProduct(t, card.Device, dtype.Float32, [3]int{130, 133, 21}, turned, 1, run)
	}
	card.wants(t, "product_128x128_kk_f32", "product_128x128_kn_f32", "product_128x128_mk_f32", "product_128x128_mn_f32", "product_128x128_loose_f32")
}

// TestCardsTakeTheirTiles wants the kernels by which each generation multiplies square matrices; none where products are not of tiles.
func TestCardsTakeTheirTiles(t *testing.T) {
	for _, c := range []struct {
		card   string
		dtype  dtype.DType
		size   uint64
		kernel string
	}{
		{"gtx1070", dtype.Float16, 1024, ""}, {"gtx1070", dtype.Float32, 1024, "product_128x128_kn_f32"}, {"gtx1070", dtype.Float64, 1024, ""},
		{"t4", dtype.Float16, 1024, "product_128x128_mma8_kn_f16"}, {"t4", dtype.Float16, 256, "product_64x64_mma8_kn_f16"},
		{"t4", dtype.BFloat16, 1024, ""}, {"t4", dtype.Float64, 1024, ""},
		{"a100", dtype.BFloat16, 2048, "product_128x256_mma_kn_bf16"}, {"a100", dtype.Float64, 2048, "product_128x128_dmma_kn_f64"},
		{"h100", dtype.BFloat16, 1024, "product_128x64_beside_kn_bf16"}, {"h100", dtype.BFloat16, 1536, "product_128x192_beside_kn_bf16"}, {"h100", dtype.BFloat16, 4096, "product_128x256_wgmma_kn_bf16"}, {"h100", dtype.Float64, 2048, "product_128x128_dmma16_kn_f64"},
		{"a100", dtype.Float16, 770, "product_64x64_pairs_kn_f16"}, {"a100", dtype.Float16, 1002, "product_128x128_pairs_kn_f16"}, {"a100", dtype.Float16, 1538, "product_128x256_mma_kn_f16"},
		{"a100", dtype.BFloat16, 257, "product_64x64_any_kn_bf16"}, {"a100", dtype.BFloat16, 4001, "product_128x256_mma_kn_bf16"},
		{"b200", dtype.BFloat16, 512, "product_128x128_tcgen05_kn_bf16"}, {"b200", dtype.Float16, 4096, "product_128x256_tcgen05_kn_f16"}, {"b200", dtype.Float16, 64, "product_64x64_mma_kn_f16"},
		{"rtx4090", dtype.Float16, 2048, "product_128x256_mma_kn_f16"}, {"rtx4090", dtype.Float64, 2048, "product_64x64_dmma_kn_f64"},
		{"rtx5090", dtype.BFloat16, 2048, "product_128x256_mma_kn_bf16"}, {"rtx5090", dtype.Float64, 2048, "product_64x64_dmma16_kn_f64"},
	} {
		dev, got, n := newCard(t, c.card).Device, "", int64(c.size)
		lie := [3]int64{0, n, 1}
		p := kernels.Product{Count: 1, M: c.size, N: c.size, K: c.size, AStrides: lie, BStrides: lie, OutStrides: lie}
		multiplier := newMultiplier(c.dtype)
		if tiles := multiplier.taken(dev); tiles != 0 {
			plan := kernels.PlanTiles(&p, tiles, dev.properties.Multiprocessors)
			got = kernelNames[multiplier.kernel(&plan)]
		}
		if got != c.kernel {
			t.Errorf("%s of %d on %s: got %q, want %q", c.dtype, c.size, c.card, got, c.kernel)
		}
	}
}

// TestBatchesOnEveryCard multiplies one matrix by several of which every second column counts, and matrices without a common axis.
func TestBatchesOnEveryCard(t *testing.T) {
	const count = 3
	for _, card := range []string{"t4", "a100", "h100", "b200"} {
		dev := newCard(t, card).Device
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16} {
			checkProduct(t, dev, dt, [3]int{33, 20, 0}, 0, 1, dev.Run)
			for _, s := range [][3]int{{33, 65, 41}, {40, 24, 72}} {
				m, n, k := s[0], s[1], s[2]
				c := backend.NewCall(op.BMM, dt)
				defer c.Release()
				in := c.AddIn()
				a := filled(t, dev, in, m, k, false, 0, dt)
				in.Layout = batch(layout.Shape{count, m, k}, 0, k, 1)
				in = c.AddIn()
				b := filled(t, dev, in, count*k, 2*n, false, 0, dt)
				in.Layout = batch(layout.Shape{count, k, n}, k*2*n, 2*n, 2)
				out := c.AddOut()
				filled(t, dev, out, count*m, n, false, 0, dt)
				out.Layout = batch(layout.Shape{count, m, n}, m*n, n, 1)
				if err := dev.Run(c); err != nil {
					t.Fatalf("%s of %v on %s: %v", dt, s, card, err)
				}
				judge(t, dev, c, k, fmt.Sprintf("%d products of %v on %s", count, s, card), func(i, l int) float64 {
					return a(i/n%m, l) * b(i/(m*n)*k+l, 2*(i%n))
				})
			}
		}
	}
}

func batch(shape layout.Shape, strides ...int) *layout.Layout {
	l := layout.Of(shape, strides, 0)
	return &l
}

// TestProductsThroughTheTMA multiplies by kernels that are otherwise for large matrices, with results whose lines the TMA can
// write to, and others. They start while the kernel ahead ends, for which they have to wait.
func TestProductsThroughTheTMA(t *testing.T) {
	for _, preset := range []string{"h100", "b200"} {
		t.Run(preset, func(t *testing.T) { productsThroughTheTMA(t, newCard(t, preset)) })
	}
}

// mappedTiles are the families of tiles of a card that the TMA fills.
func mappedTiles(dev *Device) (tiles []int) {
	m := newMultiplier(dtype.BFloat16)
	for i := range kernels.ProductTiles {
		if kernels.ProductTiles[i].Mapped && dev.takes(m.tiles[i][0][0]) {
			tiles = append(tiles, i)
		}
	}
	return tiles
}

func productsThroughTheTMA(t *testing.T, card *card) {
	dev := card.Device
	early, launch := 0, dev.api.LaunchKernelEx
	dev.api.LaunchKernelEx = func(c driver.Context, f driver.Function, l *driver.Launch, s driver.Stream, params []byte) driver.Result {
		if l.Programmatic {
			early++
		}
		return launch(c, f, l, s, params)
	}
	for _, i := range mappedTiles(dev) {
		run := func(c *backend.Call) error {
			m := newMultiplier(c.DType)
			s, p := productParams.begin(dev)
			defer s.free()
			describeProduct(p, c)
			s.lineUp(&p.A, &p.AStrides, [3]uint64{p.Count, p.M, p.K}, c.DType)
			s.lineUp(&p.B, &p.BStrides, [3]uint64{p.Count, p.K, p.N}, c.DType)
			plan := kernels.PlanTiles(p, 1<<i, dev.properties.Multiprocessors)
			if done, err := m.issueMapped(&s, p, &plan, c.DType); !done || err != nil {
				t.Errorf("not launched: %v", err)
			}
			return s.err
		}
		checkProduct(t, dev, dtype.BFloat16, [3]int{40, 72, 64}, 0, 0, run)
		checkProduct(t, dev, dtype.BFloat16, [3]int{40, 33, 70}, 3, 1, run)
		checkProduct(t, dev, dtype.Float16, [3]int{20, 40, 2100}, 0, 0, run) // in parts, where there are such
		name := kernels.ProductTiles[i].Kernel(kernels.Along, kernels.Along) + "_bf16"
		module, _ := kernels.ModuleOf(name)
		text, err := kernels.Text(module)
		if err != nil {
			t.Fatal(err)
		}
		if only, _ := kernels.Only(text, name); early != 3 || bytes.Count(only, []byte("griddepcontrol.wait;")) != 1 {
			t.Errorf("%s: %d of 3 launches start early, and the kernel waits %d times", name, early, bytes.Count(only, []byte("griddepcontrol.wait;")))
		}
		early = 0
		card.wants(t, kernels.ProductTiles[i].Kernel(kernels.Along, kernels.Across)+"_.*f16", kernels.ProductTiles[i].Kernel(kernels.Across, kernels.Along)+"_bf16")
	}
}

// TestPartsAreAddedOnEveryStream: products of several streams whose blocks add parts have counters of their own, which are 0 again at the end of each,
// in a graph too.
func TestPartsAreAddedOnEveryStream(t *testing.T) {
	slowUnderRace(t)
	card := newCard(t, "a100")
	other, err := card.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	launch, counters := card.api.LaunchKernel, map[uint64]int{}
	card.api.LaunchKernel = func(c driver.Context, f driver.Function, grid, block driver.Dim, shared uint32, s driver.Stream, params []byte) driver.Result {
		if len(params) == int(unsafe.Sizeof(kernels.Product{})) {
			counters[(*kernels.Product)(unsafe.Pointer(&params[0])).Counter]++
		}
		return launch(c, f, grid, block, shared, s, params)
	}
	for range 2 {
		for _, dev := range []*Device{card.Device, other} {
			checkProduct(t, dev, dtype.Float32, [3]int{192, 192, 256}, 0, 0, dev.Run)
		}
	}
	checkProduct(t, card.Device, dtype.Float32, [3]int{192, 192, 256}, 0, 0, func(c *backend.Call) error {
		graph, err := card.Capture(func() error { return card.Run(c) })
		if err != nil {
			return err
		}
		return errors.Join(graph.Replay(), graph.Replay(), graph.Close())
	})
	if counters[1] != 2 || counters[uint64(lanes)*countersOfStream+1] != 2 || len(counters) != 2 {
		t.Errorf("launches with counters from each on: %v", counters)
	}
}

// TestMoreTilesThanCounters: their parts are added by another launch.
func TestMoreTilesThanCounters(t *testing.T) {
	dev := newCard(t, "a100").Device
	for tiles, counter := range map[uint32]uint64{uint32(countersOfStream): 1, uint32(countersOfStream) + 1: 0} {
		s, p := productParams.begin(dev)
		*p = kernels.Product{Count: 1, M: 1, N: 1}
		plan := kernels.ProductPlan{Tile: 2, Grid: kernels.Grid{Blocks: [3]uint32{2 * tiles, 1, 1}}, Parts: 2, Joins: true}
		p.Out = s.take(4).ptr
		if err := newMultiplier(dtype.Float32).inParts(&s, p, &plan, func() error { return nil }); err != nil || p.Counter != counter {
			t.Errorf("%d tiles: counters from %d on, want %d; %v", tiles, p.Counter, counter, err)
		}
		s.free()
	}
}

// TestProductsOfRoundedOperands multiplies float32 at the lower precision, where there are tensor cores for it.
func TestProductsOfRoundedOperands(t *testing.T) {
	defer SetProductRounding(ProductRounding())
	SetProductRounding(true)
	for _, card := range []string{"t4", "a100", "h100"} {
		c, family := newCard(t, card), "_tf32"
		if card == "t4" {
			family = ""
		}
		checkProduct(t, c.Device, dtype.Float32, [3]int{70, 65, 40}, 0, 1, c.Run)
		checkProduct(t, c.Device, dtype.Float32, [3]int{36, 68, 300}, 3, 0, c.Run)
		c.wants(t, "product_64x64"+family+"_.*_f32")
	}
}

// checkProduct wants a·b from the device, of [m][k] and [k][n], whose bits of turned say that they are transposes, and which start so many
// elements into their memory.
func checkProduct(t *testing.T, dev *Device, dt dtype.DType, s [3]int, turned, start int, run func(*backend.Call) error) {
	t.Helper()
	m, n, k := s[0], s[1], s[2]
	c := backend.NewCall(op.MM, dt)
	defer c.Release()
	a := filled(t, dev, c.AddIn(), m, k, turned&1 != 0, start, dt)
	b := filled(t, dev, c.AddIn(), k, n, turned&2 != 0, start, dt)
	filled(t, dev, c.AddOut(), m, n, false, 0, dt)
	if err := run(c); err != nil {
		t.Fatalf("%s of %v on %s: %v", dt, s, dev.properties.Name, err)
	}
	judge(t, dev, c, k, fmt.Sprintf("%v on %s, turned %d", s, dev.properties.Name, turned), func(i, l int) float64 {
		return a(i/n, l) * b(l, i%n)
	})
}

// judge wants the elements of a call's result, each of which adds k terms.
func judge(t *testing.T, dev *Device, c *backend.Call, k int, name string, term func(i, l int) float64) {
	t.Helper()
	if err := wrong(dev, c, k, term); err != nil {
		t.Fatalf("%s of %s: %v", c.DType, name, err)
	}
}

// wrong tells of an element of a call's result that is not what it adds up.
func wrong(dev *Device, c *backend.Call, k int, term func(i, l int) float64) error {
	out, dt := &c.Out()[0], c.DType
	got := make([]float64, out.Layout.Size())
	raw := make([]byte, len(got)*dt.Size())
	if err := dev.CopyOut(raw, out.Buf, 0); err != nil {
		return err
	}
	kern.Cast(dtype.Float64, dt)(unsafe.Pointer(&got[0]), unsafe.Pointer(&raw[0]), len(got))
	rounding := map[dtype.DType]float64{dtype.Float32: 0, dtype.Float16: 0x1p-11, dtype.BFloat16: 0x1p-8}[dt]
	for i := range got {
		sum, size := 0.0, 0.0
		for l := range k {
			x := term(i, l)
			sum, size = sum+x, size+math.Abs(x)
		}
		bound := float64(2*k)*0x1p-23*size + rounding*math.Abs(sum)
		if dt == dtype.Float64 { // and as much for the sum here
			bound = float64(2*k) * 0x1p-52 * size
		}
		if ProductRounding() {
			bound += 0x1p-10 * size
		}
		if !(math.Abs(got[i]-sum) <= bound) {
			return fmt.Errorf("element %d is %v, want %v ± %v", i, got[i], sum, bound)
		}
	}
	return nil
}

// filled makes a view of rows × columns numbers on the device, and returns what they are.
func filled(t *testing.T, dev *Device, v *backend.View, rows, columns int, turned bool, start int, dt dtype.DType) func(r, c int) float64 {
	t.Helper()
	size := start + rows*columns
	values, raw := make([]float64, size), make([]byte, size*dt.Size())
	for i := range values {
		values[i] = math.Sin(float64(i*i + rows))
	}
	kern.Cast(dt, dtype.Float64)(unsafe.Pointer(&raw[0]), unsafe.Pointer(&values[0]), size)
	kern.Cast(dtype.Float64, dt)(unsafe.Pointer(&values[0]), unsafe.Pointer(&raw[0]), size)
	buf, err := dev.Alloc(len(raw))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Free(buf) })
	if err := dev.CopyIn(buf, 0, raw); err != nil {
		t.Fatal(err)
	}
	strides := []int{columns, 1}
	if turned {
		strides = []int{1, rows}
	}
	l := layout.Of(layout.Shape{rows, columns}, strides, start)
	*v = backend.View{Buf: buf, Layout: &l, DType: dt}
	return func(r, c int) float64 { return values[start+r*strides[0]+c*strides[1]] }
}
