package kernels_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
	"cresset/internal/ptx"
)

// TestTiledProducts runs every kernel of tiles, with operands as they must lie for it, over edges of tiles, batches and parts.
func TestTiledProducts(t *testing.T) {
	slowUnderRace(t)
	for i := range kernels.ProductTiles {
		tile := &kernels.ProductTiles[i]
		if tile.Mapped {
			continue
		}
		seen := map[string]bool{}
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16} {
			if !tile.Has(dt) {
				continue
			}
			for a := range kernels.Lies {
				for b := range kernels.Lies {
					name := tile.Kernel(a, b) + "_" + dtypeNames[dt]
					if seen[name] || tile.Of != kernels.Single && (a == kernels.Anyhow || b == kernels.Anyhow) {
						continue
					}
					seen[name] = true
					for j, s := range []productShape{{1, 4, 4, 4, 1}, {2, 132, 68, 20, 1}, {1, 68, 136, 76, 3}, {1, 64, 64, 0, 1}} {
						lie, pad := int(2*a+b), 0
						switch {
						case strings.Contains(name, "_pairs"): // odd extents, in lines that are aligned for two
							s, pad = productShape{s.count, s.m + 1, s.n + j%2, s.k + s.k/4, s.parts}, 2
						case tile.Of == kernels.Half && !strings.Contains(name, "_any"): // odd extents, in lines that are longer
							s, pad = productShape{s.count, s.m + 1, s.n + j%2, s.k + s.k/4, s.parts}, 8
						case tile.Of != kernels.Single: // whatever the strides
							s, pad = productShape{s.count, s.m + 1, s.n + j%2, s.k + s.k/4, s.parts}, 3
						case a == kernels.Anyhow || b == kernels.Anyhow:
							s, lie = productShape{s.count, s.m + 1, s.n + 1, s.k + s.k/8, s.parts}, j
						}
						p, want := newProductCase(t, dt, s, lie, pad)
						for e := range p.bounds {
							if tile.TF32 { // each operand is rounded
								p.bounds[e] += 0x1p-10 * p.sizes[e]
							}
						}
						p.run(tile.Kernel(a, b), kernels.ProductPlan{Tile: i, A: a, B: b}, s.parts)
						p.compare(want)
					}
				}
			}
		}
	}
}

// TestMappedProducts runs every kernel that the TMA serves, over edges of tiles, batches and parts, each cluster or block that walks over several
// tiles, and with copies and products that end late or at any time. Threads want no bank of shared memory twice.
func TestMappedProducts(t *testing.T) {
	slowUnderRace(t)
	for i := range kernels.ProductTiles {
		tile := &kernels.ProductTiles[i]
		parts := 3
		if !tile.Divides() {
			parts = 1
		}
		for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
			for a := range kernels.Anyhow {
				for b := range kernels.Anyhow {
					for j, s := range []productShape{{2, 130, 72, 72, 1}, {1, 20, 264, 330, parts}} {
						if !tile.Mapped {
							continue
						}
						p, want := newProductCase(t, dt, s, int(2*a+b), 8)
						p.dev.shuffle, p.dev.profile = uint64(j), true
						p.inParts(kernels.ProductPlan{Tile: i, A: a, B: b}, s.parts, func(g kernels.Grid) {
							if tile.Walks() {
								g.Blocks[0] = min(g.Blocks[0], max(g.Cluster[0], 1))
							}
							m := kernels.MappedProduct{Product: p.p, BatchA: 1, BatchB: 1}
							m.MapA = p.boxes(p.p.A, p.p.AStrides, p.p.M, p.p.K)
							m.MapB = p.boxes(p.p.B, p.p.BStrides, p.p.K, p.p.N)
							m.MapOut = p.boxes(p.p.Out, p.p.OutStrides, p.p.M, p.p.N)
							kernel := tile.Kernel(a, b) + "_" + dtypeNames[dt]
							checkConflicts(t, kernel, launch(p.dev, kernel, g, m))
						})
						p.compare(want)
					}
				}
			}
		}
	}
}

// boxes maps matrices in boxes of 64 by 64.
func (c *productCase) boxes(at uint64, strides [3]int64, rows, columns uint64) kernels.TensorMap {
	extents, line := [5]uint64{columns, rows, c.p.Count, 1, 1}, uint64(strides[1])
	if strides[2] != 1 {
		extents[0], extents[1], line = rows, columns, uint64(strides[2])
	}
	types := map[dtype.DType]ptx.TensorMapType{dtype.Float16: 6, dtype.BFloat16: 9}
	m := ptx.TensorMap{Type: types[c.dt], Rank: 3, Address: at, Extents: extents, Strides: [4]uint64{2 * line, uint64(2 * strides[0])},
		Box: [5]uint32{64, 64, 1, 1, 1}, Steps: [5]uint32{1, 1, 1, 1, 1}, Swizzle: 3}
	return m.Encode()
}

// TestThinProducts runs every kernel for few columns.
func TestThinProducts(t *testing.T) {
	for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16} {
		for i, columns := range kernels.ThinColumns {
			for axis, name := range []string{"k", "m"} {
				n := int(columns)
				for _, s := range []productShape{{1, 9, n, 300, 1}, {2, 35, max(n-1, 1), 129, 1}, {1, 33, n, 515, 3}, {1, 1, n, 4, 1}} {
					p, want := newProductCase(t, dt, s, axis*2+(s.m+s.k)%2, 0)
					plan := kernels.ProductPlan{Tile: -1, Thin: i}
					if axis == 1 {
						plan.A = kernels.Anyhow
					}
					p.run(fmt.Sprintf("product_thin_%d_%s", columns, name), plan, s.parts)
					p.compare(want)
				}
			}
		}
	}
}

type productShape struct{ count, m, n, k, parts int }

// A productCase is a product 2·a·b + 3·bias on a machine.
type productCase struct {
	t      testing.TB
	dev    *machine
	dt     dtype.DType
	p      kernels.Product
	out    []byte
	bounds []float64
	sizes  []float64 // of what is added
}

// newProductCase makes operands, and what the product's elements are in float64: a lies along the common axis unless bit 1 of lie is set, b
// unless bit 0 is. With a pad, lines are rounded up to multiples of it.
func newProductCase(t testing.TB, dt dtype.DType, s productShape, lie, pad int) (*productCase, []float64) {
	c := &productCase{t: t, dev: &machine{t: t}, dt: dt}
	aStrides, bStrides := strides(s.m, s.k, lie&2 != 0), strides(s.k, s.n, lie&1 == 0)
	if pad > 0 {
		aStrides, bStrides = padded(aStrides, s.m, s.k, pad), padded(bStrides, s.k, s.n, pad)
	}
	a, b, bias := operandOf(dt, s.count*int(aStrides[0]), 1), operandOf(dt, s.count*int(bStrides[0]), 2), operandOf(dt, s.n, 3)
	c.out = make([]byte, s.count*s.m*s.n*dt.Size())
	c.p = kernels.Product{
		Count: uint64(s.count), M: uint64(s.m), N: uint64(s.n), K: uint64(s.k), Out: put(c.dev, c.out), A: put(c.dev, a.data),
		B: put(c.dev, b.data), Add: put(c.dev, bias.data), OutStrides: strides(s.m, s.n, false), AStrides: aStrides, BStrides: bStrides, AddStrides: [3]int64{0, 0, 1}, Alpha: 2, Beta: 3, Parts: 1, Part: uint64(s.k),
	}
	want := make([]float64, s.count*s.m*s.n)
	c.bounds, c.sizes = make([]float64, len(want)), make([]float64, len(want))
	for i := range want {
		z, r, col := i/s.n/s.m, i/s.n%s.m, i%s.n
		sum, size := 3*bias.values[col], 3*math.Abs(bias.values[col])
		for k := range s.k {
			x := 2 * a.values[z*int(aStrides[0])+r*int(c.p.AStrides[1])+k*int(c.p.AStrides[2])] *
				b.values[z*int(bStrides[0])+k*int(c.p.BStrides[1])+col*int(c.p.BStrides[2])]
			sum += x
			size += math.Abs(x)
		}
		want[i], c.sizes[i], c.bounds[i] = sum, size, float64(2*s.k+3)*0x1p-24*size
		switch dt {
		case dtype.Float64: // and as much again for the sum here
			c.bounds[i] = 2 * float64(2*s.k+3) * 0x1p-53 * size
		case dtype.Float16, dtype.BFloat16:
			c.bounds[i] += unit(dt) * math.Abs(sum)
		}
	}
	return c, want
}

// padded rounds the lines of rows × columns up.
func padded(s [3]int64, rows, columns, pad int) [3]int64 {
	up := func(n int) int64 { return int64((n + pad - 1) / pad * pad) }
	if s[2] == 1 {
		return [3]int64{int64(rows) * up(columns), up(columns), 1}
	}
	return [3]int64{int64(columns) * up(rows), 1, up(rows)}
}

// unit is half the distance of neighbours near 1.
func unit(dt dtype.DType) float64 {
	return map[dtype.DType]float64{dtype.Float32: 0x1p-24, dtype.Float16: 0x1p-11, dtype.BFloat16: 0x1p-8}[dt]
}

// run launches a kernel over parts of the common axis, and what adds them; where the kernel can do that itself, that gives the same bits.
func (c *productCase) run(kernel string, plan kernels.ProductPlan, parts int) {
	c.t.Helper()
	c.inParts(plan, parts, func(g kernels.Grid) { launch(c.dev, kernel+"_"+dtypeNames[c.dt], g, c.p) })
}

// inParts has f launch a kernel over parts of the common axis, and launches what joins them.
func (c *productCase) inParts(plan kernels.ProductPlan, parts int, f func(kernels.Grid)) {
	c.t.Helper()
	plan.Divide(&c.p, uint64(parts))
	if c.p.Parts = plan.Parts; c.p.Parts == 1 {
		f(plan.Grid)
		return
	}
	size := c.p.Count * c.p.M * c.p.N
	c.p.Partials, c.p.Part = put(c.dev, make([]byte, int(plan.Parts*size)*kernels.NumberOf(c.dt).SumSize())), plan.Part
	f(plan.Grid)
	c.p.Part = size
	launch(c.dev, "product_join_"+dtypeNames[c.dt], kernels.Flat(size, few), c.p)
	if plan.Tile < 0 || !kernels.ProductTiles[plan.Tile].Joins {
		return
	}
	want := bytes.Clone(c.out)
	clear(c.out)
	c.p.Part, c.p.Counter = plan.Part, kernels.MostCounts-plan.Tiles()+1
	f(plan.Grid)
	if !bytes.Equal(c.out, want) {
		c.t.Errorf("%s: a product %d·[%d %d]·[%d %d] of %s whose blocks add %d parts has other bits than one whose parts are joined",
			kernels.ProductTiles[plan.Tile].Kernel(plan.A, plan.B), c.p.Count, c.p.M, c.p.K, c.p.K, c.p.N, c.dt, c.p.Parts)
	}
}

// TestWhoAddsParts: a block that adds a tile's parts is worth less than a launch, unless tiles are few and parts many.
func TestWhoAddsParts(t *testing.T) {
	for _, c := range []struct {
		m, n, k, parts uint64
		joins          bool
	}{{768, 3072, 8192, 11, true}, {768, 768, 8192, 7, true}, {512, 512, 512, 2, true}, {256, 256, 4096, 16, false}, {1024, 1024, 1024, 1, false}} {
		line := func(n uint64) [3]int64 { return [3]int64{0, int64(n), 1} }
		p := kernels.Product{Count: 1, M: c.m, N: c.n, K: c.k, AStrides: line(c.k), BStrides: line(c.n), OutStrides: line(c.n)}
		if plan := kernels.PlanTiles(&p, 0b1100, 132); plan.Parts != c.parts || plan.Joins != c.joins {
			t.Errorf("[%d %d]·[%d %d]: %d parts, added by blocks: %v; want %d, %v", c.m, c.k, c.k, c.n, plan.Parts, plan.Joins, c.parts, c.joins)
		}
	}
}

// TestWhichTilesAreDivided: of those that are left when all multiprocessors have had as many as they run at once, the common axis is, where it is long enough and they are
// half as many at most.
func TestWhichTilesAreDivided(t *testing.T) {
	for _, c := range []struct{ count, m, n, k, whole, left, parts uint64 }{
		{1, 2048, 2048, 2048, 108, 20, 5}, {16, 256, 1024, 2048, 108, 20, 5}, {1, 1280, 2816, 2048, 108, 2, 16}, {1, 128, 256, 8192, 0, 1, 64}, {1, 2048, 2048, 255, 0, 128, 1},
		{1, 1536, 2304, 2048, 0, 108, 1}, {1, 2048, 2816, 2048, 0, 176, 1}, {1, 2048, 2048, 0, 0, 128, 1},
	} {
		p := kernels.Product{Count: c.count, M: c.m, N: c.n, K: c.k}
		plan := kernels.ProductPlan{Tile: slices.IndexFunc(kernels.ProductTiles[:], func(p kernels.ProductTile) bool { return p.Kernel(0, 0) == "product_128x256_mma_kk" })}
		if even := plan.Even(&p, 108); even != (c.parts > 1) || plan.Whole != c.whole || plan.Tiles() != c.left || plan.Parts != c.parts {
			t.Errorf("%+v: got %v, %d tiles in %d parts behind %d", c, even, plan.Tiles(), plan.Parts, plan.Whole)
		} else if kept := plan.Kept(&p); even && plan.Whole > 0 && kept != c.left*c.parts*128*256 {
			t.Errorf("%+v: %d sums of parts", c, kept)
		}
	}
}

// compare holds the result to its error bound: of the sum, 2·k+3 roundings of what is added, and one of the result.
func (c *productCase) compare(want []float64) {
	c.t.Helper()
	got := widened(c.dt, c.out, len(want))
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= c.bounds[i]) {
			c.t.Fatalf("element %d of a product %d·[%d %d]·[%d %d] of %s: got %v, want %v ± %v", i, c.p.Count, c.p.M, c.p.K, c.p.K, c.p.N, c.dt, v,
				want[i], c.bounds[i])
		}
	}
}

// typedNumbers are numbers of a dtype, and their values.
type typedNumbers struct {
	data   []byte
	values []float64
}

func operandOf(dt dtype.DType, n, seed int) typedNumbers {
	values := make([]float64, max(n, 1))
	for i := range values {
		values[i] = math.Sin(float64(i*i*seed + i + seed))
	}
	data := make([]byte, len(values)*dt.Size())
	kern.Cast(dt, dtype.Float64)(unsafe.Pointer(&data[0]), unsafe.Pointer(&values[0]), len(values))
	return typedNumbers{data, widened(dt, data, len(values))}
}

func widened(dt dtype.DType, data []byte, n int) []float64 {
	values := make([]float64, n)
	if n > 0 {
		kern.Cast(dtype.Float64, dt)(unsafe.Pointer(&values[0]), unsafe.Pointer(&data[0]), n)
	}
	return values
}
