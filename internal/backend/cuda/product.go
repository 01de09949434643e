package cuda

import (
	"fmt"
	"math"
	"sync/atomic"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// products are the ops that multiply matrices.
var products = []op.Op{op.MM, op.MV, op.Dot, op.BMM, op.AddMM}

func (t *table) addProducts() {
	double, single := newMultiplier(dtype.Float64), newMultiplier(dtype.Float32)
	double.other = (&multiplier64{typed("product", dtype.Float64), typed("product_small", dtype.Float64)}).launch
	for _, o := range products {
		t[o][dtype.Float64] = row{launch: orCUBLAS(double.launch)}
		t[o][dtype.Float32] = row{launch: orCUBLAS(single.launch)}
	}
	for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
		half := newMultiplier(dt)
		half.other = cast(widened(row{launch: single.launch}, dt, dtype.Float32))
		for _, o := range products {
			t[o][dt] = row{launch: orCUBLAS(half.launch)}
		}
	}
}

var productParams paramPool[kernels.Product]

// describeProduct fills what a kernel must know of out = a·b, or out = Beta·in + Alpha·a·b where the call has parameters; out is
// fresh.
func describeProduct(p *kernels.Product, c *backend.Call) {
	out, a, b := &c.Out()[0], &c.In()[0], &c.In()[len(c.In())-1]
	*p = kernels.Product{Count: 1, Out: address(out), Alpha: 1, Parts: 1}
	if affine, ok := c.Params.(op.Affine); ok {
		in := &c.In()[0]
		a = &c.In()[1]
		p.Alpha, p.Beta, p.Add = affine.Alpha, affine.Beta, address(in)
		p.AddStrides = [3]int64{0, int64(in.Layout.Strides()[0]), int64(in.Layout.Strides()[1])}
	}
	p.A, p.B = address(a), address(b)
	p.M, p.K, p.AStrides = matrix(a, p)
	if a.Layout.Rank() == 1 { // a vector on the left is a row
		p.M, p.K, p.AStrides[1], p.AStrides[2] = p.K, p.M, p.AStrides[2], p.AStrides[1]
	}
	_, p.N, p.BStrides = matrix(b, p)
	p.OutStrides = [3]int64{int64(p.M * p.N), int64(p.N), 1}
	p.Part = p.K
}

// withoutFactor leaves out the common axis where alpha is 0: then the operands do not count, not even their NaN, as in BLAS.
func withoutFactor(p *kernels.Product) {
	if p.Alpha == 0 {
		p.K, p.Part = 0, 0
	}
}

// matrix returns the extents and strides of an operand's last two axes and its stride between matrices, whose number it
// notes; a vector is a column.
func matrix(v *backend.View, p *kernels.Product) (rows, cols uint64, strides [3]int64) {
	shape, steps := v.Layout.Shape(), v.Layout.Strides()
	if len(shape) == 3 {
		p.Count, strides[0] = uint64(shape[0]), int64(steps[0])
		shape, steps = shape[1:], steps[1:]
	}
	rows, cols, strides[1] = uint64(shape[0]), 1, int64(steps[0])
	if len(shape) == 2 {
		cols, strides[2] = uint64(shape[1]), int64(steps[1])
	}
	return rows, cols, strides
}

// multiplier64 is the kernels of products that add in float64: for large results, and for those with few rows or columns.
type multiplier64 struct{ large, small kernelID }

func (m *multiplier64) launch(d *Device, c *backend.Call, _ kernelID) error {
	if c.Out()[0].Layout.Size() == 0 {
		return nil
	}
	p := productParams.take()
	defer productParams.give(p)
	describeProduct(p, c)
	withoutFactor(p)
	g, small := kernels.ProductGrid(p.Count, p.M, p.N)
	if small {
		return launch(d, m.small, g, p)
	}
	return launch(d, m.large, g, p)
}

// multiplier is the kernels of products of a dtype.
type multiplier struct {
	dtype dtype.DType
	tiles [len(kernels.ProductTiles)][kernels.Lies][kernels.Lies]kernelID
	thin  [len(kernels.ThinColumns)][2]kernelID // where a lies along the common axis, and where anyhow
	join  kernelID
	other launcher // multiplies on GPUs that have no tiles for these elements
}

func newMultiplier(dt dtype.DType) *multiplier {
	m := &multiplier{dtype: dt, join: typed("product_join", dt)}
	for i := range kernels.ProductTiles {
		t := &kernels.ProductTiles[i]
		for a := range kernels.Lies {
			for b := range kernels.Lies {
				if t.Has(dt) && (dt == dtype.Float32 || a != kernels.Anyhow && b != kernels.Anyhow) {
					m.tiles[i][a][b] = typed(t.Kernel(a, b), dt)
				}
			}
		}
	}
	for i, columns := range kernels.ThinColumns {
		for j, axis := range []string{"k", "m"} {
			m.thin[i][j] = typed(fmt.Sprintf("product_thin_%d_%s", columns, axis), dt)
		}
	}
	return m
}

// kernel returns that of a plan.
func (m *multiplier) kernel(plan *kernels.ProductPlan) kernelID {
	switch {
	case plan.Tile >= 0:
		return m.tiles[plan.Tile][plan.A][plan.B]
	case plan.A == kernels.Along:
		return m.thin[plan.Thin][0]
	}
	return m.thin[plan.Thin][1]
}

// taken returns a bit for each family of tiles that the device has for these elements, at the precision that is set.
func (m *multiplier) taken(d *Device) (tiles uint) {
	var rounding uint
	for i := range kernels.ProductTiles {
		t := &kernels.ProductTiles[i]
		switch {
		case !t.Has(m.dtype) || !d.takes(m.tiles[i][0][0]) || !d.sharedFits(int64(t.Shared())):
		case t.TF32:
			rounding |= 1 << i
		default:
			tiles |= 1 << i
		}
	}
	return atPrecision(tiles, rounding)
}

// atPrecision is one of two sets of families: those that round operands, where there are any and the precision that is set allows it, or the others.
func atPrecision(tiles, rounding uint) uint {
	if rounding != 0 && roundsProducts.Load() {
		return rounding
	}
	return tiles
}

// roundsProducts is whether products and convolutions of float32 may round operands to 11 bits.
var roundsProducts atomic.Bool

// SetProductRounding says whether products and convolutions of float32 may round their operands to TF32, 11 bits.
func SetProductRounding(on bool) { roundsProducts.Store(on) }

// ProductRounding reports whether they may.
func ProductRounding() bool { return roundsProducts.Load() }

func (m *multiplier) launch(d *Device, c *backend.Call, k kernelID) error {
	if c.Out()[0].Layout.Size() == 0 {
		return nil
	}
	s, p := productParams.begin(d)
	defer s.free()
	describeProduct(p, c)
	withoutFactor(p)
	if max(p.M, p.N, p.K) > math.MaxUint32-1024 && !d.isMeta() {
		return fmt.Errorf("cuda: a product of [%d, %d] and [%d, %d] is more than one launch takes", p.M, p.K, p.K, p.N)
	}
	follows := m.dtype != dtype.Float64 && describeEpilogue(p, c)
	done, err := m.multiply(&s, p, c.DType)
	switch {
	case err != nil:
		return err
	case !done:
		return m.other(d, c, k)
	case follows && (p.Activation != kernels.Identity || p.Joining != kernels.Unjoined):
		c.Then, c.Epilogue = op.Invalid, nil
	}
	return nil
}

// multiply launches what computes a product, and reports whether the device has kernels for it; it changes p.
func (m *multiplier) multiply(s *scratch, p *kernels.Product, dt dtype.DType) (done bool, err error) {
	d := s.device
	tiles, few := m.taken(d), kernels.ThinColumns[len(kernels.ThinColumns)-1]
	if tiles&kernels.Overlapped != 0 {
		few /= 2 // tiles make up for more columns
	}
	if plan, thin := kernels.PlanThin(p, few, d.properties.Multiprocessors); thin {
		return true, m.issue(s, p, &plan)
	}
	if tiles == 0 {
		return false, nil
	}
	plan := d.planTiles(p, tiles)
	if plan.LineUp {
		s.lineUp(&p.A, &p.AStrides, [3]uint64{p.Count, p.M, p.K}, dt)
		b := [3]int64{p.BStrides[0], p.BStrides[2], p.BStrides[1]}
		s.lineUp(&p.B, &b, [3]uint64{p.Count, p.N, p.K}, dt)
		p.BStrides = [3]int64{b[0], b[2], b[1]}
	}
	if kernels.ProductTiles[plan.Tile].Mapped {
		if done, err := m.issueMapped(s, p, plan, dt); done || err != nil {
			return true, err
		}
		plan = d.planTiles(p, tiles&^m.mapped())
	}
	return true, m.issue(s, p, plan)
}

// lineUp makes an operand of a half type lie in lines that are aligned for 16 bytes, along the axis on which neighbours lie closer: the last, which is the common
// one, where they lie equally close, as the plan takes it.
func (s *scratch) lineUp(at *uint64, strides *[3]int64, extents [3]uint64, dt dtype.DType) {
	if kernels.LieOf(*at, *strides, extents[0], extents[1], extents[2], kernels.Half) != kernels.Anyhow {
		return
	}
	if strides[0] == 0 {
		extents[0] = 1
	}
	line, across := 2, 1
	if strides[1] < strides[2] {
		line, across = 1, 2
	}
	var to [3]int64
	to[line], to[across] = 1, int64(extents[line]+7)&^7
	to[0] = to[across] * int64(extents[across])
	b := s.take(int(to[0]*int64(extents[0])) * dt.Size())
	if s.err == nil {
		s.err = s.device.copyView(stack(b.ptr, extents, to, dt), stack(*at, extents, *strides, dt))
	}
	if strides[0] == 0 {
		to[0] = 0
	}
	*at, *strides = b.ptr, to
}

// stack is a view of matrices that the scratch or an operand holds.
func stack(at uint64, extents [3]uint64, strides [3]int64, dt dtype.DType) *backend.View {
	shape, steps := make([]int, 3), make([]int, 3)
	for i := range shape {
		shape[i], steps[i] = int(extents[i]), int(strides[i])
	}
	l := layout.Of(shape, steps, 0)
	return &backend.View{Buf: &Buffer{ptr: at}, Layout: &l, DType: dt}
}

// issue launches the plan's kernel.
func (m *multiplier) issue(s *scratch, p *kernels.Product, plan *kernels.ProductPlan) error {
	return m.inParts(s, p, plan, func() error { return issue(s, m.kernel(plan), plan.Grid, p) })
}

// inParts has f launch the plan's kernel for p, and where that divides the common axis and does not join the parts, launches what does.
func (m *multiplier) inParts(s *scratch, p *kernels.Product, plan *kernels.ProductPlan, f func() error) error {
	p.Parts, p.Part, p.Whole = plan.Parts, plan.Part, plan.Whole
	s.device.trace.plan(plan.Clocks)
	if p.Parts == 1 {
		if plan.Tile >= 0 && kernels.ProductTiles[plan.Tile].Plain && p.Joining != kernels.Widened {
			p.Activation, p.Joining = kernels.Identity, kernels.Unjoined
		}
		return f()
	}
	size := p.Count * p.M * p.N
	p.Partials = s.take(kernels.NumberOf(m.dtype).SumSize() * int(plan.Kept(p))).ptr
	if plan.Joins && plan.Tiles() <= countersOfStream {
		p.Counter = s.device.firstCounter() + 1
		return f()
	}
	if err := f(); err != nil {
		return err
	}
	p.Part = size
	return launch(s.device, m.join, s.device.flat(int(size)), p)
}
