package cuda

import (
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// addQuantized adds products with quantized weights, behind those of matrices, which they are where there are many rows.
func (t *table) addQuantized() {
	for _, dt := range append(halves[:2:2], dtype.Float32) {
		q := &quantized{
			dtype: dt, rows: typed("quantized_rows", dt), product: t[op.MM][dt], biased: t[op.AddMM][dt],
			weight: map[int]kernelID{8: typed("quantized_weight_8", dt), 4: typed("quantized_weight_4", dt)},
		}
		for i, rows := range quantizedRows {
			q.thin[i] = map[int]kernelID{8: typed(fmt.Sprint("product_quantized_thin_8_", rows), dt), 4: typed(fmt.Sprint("product_quantized_thin_4_", rows), dt)}
			q.dots[i], q.bytes[i] = typed(fmt.Sprint("product_quantized_dot_", rows), dt), typed(fmt.Sprint("product_quantized_bytes_", rows), dt)
		}
		for i := range kernels.ByteTiles {
			q.tiles[i] = typed(kernels.ByteTiles[i].Kernel(), dt)
		}
		if dt.Size() == 2 {
			for i, tiles := range kernels.QuantizedTiles {
				q.mma[i] = map[int]kernelID{0: typed(fmt.Sprint("product_quantized_mma_8_", tiles), dt)}
				for _, group := range []int{32, 64, 128} {
					q.mma[i][group] = typed(fmt.Sprintf("product_quantized_mma_4_%d_%d", group, tiles), dt)
				}
			}
		}
		t[op.QuantizedLinear][dt] = row{launch: q.launch}
	}
}

// quantizedRows are how many rows of x a block of the kernels for few of them computes.
var quantizedRows = [...]uint64{1, 4}

// fewRows is how many rows of x are multiplied without a copy of the weight in x's dtype at most.
const fewRows = 8

// quantized is the kernels of products with quantized weights for x of a dtype. Those of a map are for so many bits.
type quantized struct {
	dtype           dtype.DType
	thin            [len(quantizedRows)]map[int]kernelID
	dots, bytes     [len(quantizedRows)]kernelID                  // x of int8, with DP4A and without
	mma             [len(kernels.QuantizedTiles)]map[int]kernelID // for groups of so many numbers of 4 bits, 0 for 8 bits; half types alone
	tiles           [len(kernels.ByteTiles)]kernelID              // x of int8, with tensor cores
	rows            kernelID
	weight          map[int]kernelID
	product, biased row
}

var (
	quantizedParams paramPool[kernels.Quantized]
	mappedQuantized paramPool[kernels.MappedQuantized]
)

func (q *quantized) launch(d *Device, c *backend.Call, _ kernelID) error {
	out := &c.Out()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	s, p := quantizedParams.begin(d)
	defer s.free()
	o, at, shape := c.Params.(op.Quantized), s.all(c), c.In()[0].Layout.Shape()
	for i := range 2 {
		at[i] = s.aligned(at[i], &c.In()[i])
	}
	*p = kernels.Quantized{
		M: uint64(shape[0]), N: uint64(out.Layout.Shape()[1]), K: uint64(shape[1]), Group: uint64(o.Group),
		X: at[0], W: at[1], Scale: at[2], Zero: at[3], Bias: at[4], Out: address(out),
	}
	if max(p.M, p.N, p.K) > math.MaxUint32-1024 && !d.isMeta() {
		return fmt.Errorf("cuda: a product of [%d, %d] and [%d, %d] is more than one launch takes", p.M, p.K, p.K, p.N)
	}
	switch {
	case o.Dynamic:
		return q.multiplyBytes(&s, p)
	case q.takesTensorCores(d, p):
		tiles, down := kernels.TilesFor(p.M)
		d.trace.streams(kernels.TileBytes, int(down))
		p.Parts = 1
		return issue(&s, q.mma[tiles][o.Group], kernels.QuantizedTileGrid(p, tiles, down), p)
	case p.M <= fewRows || p.K == 0:
		return issueFew(&s, p, q.thin[few(p)][o.Bits], o.Bits)
	}
	return q.multiplyMany(&s, c, p, o.Bits)
}

// aligned returns an address of a contiguous operand's elements that 16 divides, of a copy where it does not.
func (s *scratch) aligned(at uint64, v *backend.View) uint64 {
	if at%16 == 0 {
		return at
	}
	b, l := s.take(v.Layout.Size()*v.DType.Size()), new(layout.Contiguous(v.Layout.Shape()))
	if s.err == nil {
		s.err = s.device.copyView(&backend.View{Buf: b, Layout: l, DType: v.DType}, &backend.View{Buf: &Buffer{ptr: at}, Layout: l, DType: v.DType})
	}
	return b.ptr
}

// takesTensorCores reports whether tensor cores multiply the rows without a weight of x's dtype.
func (q *quantized) takesTensorCores(d *Device, p *kernels.Quantized) bool {
	return q.dtype.Size() == 2 && p.M <= kernels.MostTileRows && p.K > 0 && p.K%16 == 0 && d.takes(q.mma[0][0])
}

// few returns which of quantizedRows suits the rows.
func few(p *kernels.Quantized) int {
	if p.M == 1 {
		return 0
	}
	return 1
}

// issueFew launches a kernel for few rows.
func issueFew(s *scratch, p *kernels.Quantized, k kernelID, bits int) error {
	rows := quantizedRows[few(p)]
	s.device.trace.streams(kernels.ThinBytes, int((p.M+rows-1)/rows))
	return issue(s, k, kernels.QuantizedGrid(p, rows, bits), p)
}

// multiplyBytes rounds rows of x to int8 and multiplies those.
func (q *quantized) multiplyBytes(s *scratch, p *kernels.Quantized) error {
	p.Line = (p.K + 15) &^ 15
	y, rows := p.Out, s.take(int(p.M*p.Line))
	p.Steps, p.Out = s.take(8*int(p.M)).ptr, rows.ptr
	s.device.trace.moves(p.M * p.K * uint64(q.dtype.Size()+1))
	if err := issue(s, q.rows, kernels.RoundedGrid(p), p); err != nil {
		return err
	}
	p.X, p.Out = rows.ptr, y
	for tiles := q.taken(s.device); ; {
		plan, ok := kernels.PlanBytes(p, quantizedRows[few(p)], tiles, countersOfStream, s.device.properties.Multiprocessors)
		if !ok {
			break
		}
		if done, err := q.multiplyTiles(s, p, &plan); done || err != nil {
			return err
		}
		tiles &^= 1 << plan.Tile
	}
	k := q.dots[few(p)]
	if !s.device.takes(k) {
		k = q.bytes[few(p)]
	}
	return issueFew(s, p, k, 8)
}

// taken returns a bit for each of ByteTiles that the device has.
func (q *quantized) taken(d *Device) (tiles uint) {
	for i := range kernels.ByteTiles {
		if d.takes(q.tiles[i]) && d.sharedFits(int64(kernels.ByteTiles[i].Shared())) {
			tiles |= 1 << i
		}
	}
	return tiles
}

// multiplyTiles multiplies rows of int8 on tensor cores, unless the TMA cannot read them or the driver does not take the kernel.
func (q *quantized) multiplyTiles(s *scratch, p *kernels.Quantized, plan *kernels.BytePlan) (done bool, err error) {
	k, mapped := q.tiles[plan.Tile], kernels.ByteTiles[plan.Tile].Mapped
	m := mappedQuantized.take()
	defer mappedQuantized.give(m)
	if mapped && (s.device.lacks(k) || !s.device.mapBytes(&m.MapX, p.X, p.M, p.K, p.Line) || !s.device.mapBytes(&m.MapW, p.W, p.N, p.K, p.K)) {
		return false, s.err
	}
	if p.Parts, p.Part = plan.Parts, plan.Part; p.Parts > 1 {
		p.Partials, p.Counter = s.take(int(4*p.Parts*p.M*p.N)).ptr, s.device.firstCounter()+1
	}
	s.device.trace.plan(plan.Clocks)
	if !mapped {
		return true, issue(s, k, plan.Grid, p)
	}
	m.Quantized = *p
	return true, issue(s, k, plan.Grid, m)
}

// mapBytes describes rows of int8, and reports whether the TMA can read them.
func (d *Device) mapBytes(m *kernels.TensorMap, at, rows, columns, line uint64) bool {
	to, ok := d.encode(&tile{
		dtype: dtype.Int8, address: at, extents: []uint64{columns, rows, 1}, strides: []uint64{line, rows * line}, box: []uint32{128, 64, 1}, swizzle: driver.Swizzle128,
	})
	*m = kernels.TensorMap(to)
	return ok
}

// multiplyMany makes the weight one of x's dtype, and multiplies by that.
func (q *quantized) multiplyMany(s *scratch, c *backend.Call, p *kernels.Quantized, bits int) error {
	p.Line = (p.K + 7) &^ 7
	w := s.take(int(p.N*p.Line) * q.dtype.Size())
	p.Out = w.ptr
	s.device.trace.moves(p.N * (p.K*uint64(bits)/8 + p.Line*uint64(q.dtype.Size())))
	if err := issue(s, q.weight[bits], s.device.flat(int(p.N*p.Line/8)), p); err != nil {
		return err
	}
	m, n, k := int(p.M), int(p.N), int(p.K)
	o, does := op.MM, q.product
	if p.Bias != 0 {
		o, does = op.AddMM, q.biased
	}
	mm := backend.NewCall(o, q.dtype)
	defer mm.Release()
	*mm.AddOut() = c.Out()[0]
	if p.Bias != 0 {
		mm.Params = op.Affine{Alpha: 1, Beta: 1}
		*mm.AddIn() = backend.View{Buf: &Buffer{ptr: p.Bias}, Layout: new(layout.Of(layout.Shape{m, n}, []int{0, 1}, 0)), DType: q.dtype}
	}
	*mm.AddIn() = backend.View{Buf: &Buffer{ptr: p.X}, Layout: new(layout.Contiguous(layout.Shape{m, k})), DType: q.dtype}
	*mm.AddIn() = backend.View{Buf: w, Layout: new(layout.Of(layout.Shape{k, n}, []int{1, int(p.Line)}, 0)), DType: q.dtype}
	return does.launch(s.device, mm, does.kernel)
}
