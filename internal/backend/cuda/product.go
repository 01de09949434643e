package cuda

import (
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

// products are the ops that multiply matrices.
var products = []op.Op{op.MM, op.MV, op.Dot, op.BMM, op.AddMM}

func (t *table) addProducts() {
	double := &multiplier64{typed("product", dtype.Float64), typed("product_small", dtype.Float64)}
	single := newMultiplier(dtype.Float32)
	for _, o := range products {
		t[o][dtype.Float64] = row{launch: double.launch}
		t[o][dtype.Float32] = row{launch: single.launch}
		for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
			half := &halfMultiplier{multiplier: newMultiplier(dt), single: widened(t[o][dtype.Float32], dt, dtype.Float32)}
			t[o][dt] = row{launch: half.launch}
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
	g, small := kernels.ProductGrid(p.Count, p.M, p.N)
	if small {
		return launch(d, m.small, g, p)
	}
	return launch(d, m.large, g, p)
}

// multiplier is the kernels of products that add in float32.
type multiplier struct {
	size  int
	tiles [2][len(kernels.Lies)]kernelID
	thin  [2][len(kernels.ThinColumns)]kernelID
	join  kernelID
}

func newMultiplier(dt dtype.DType) *multiplier {
	m := &multiplier{size: dt.Size(), join: typed("product_join", dt)}
	for i, tile := range []string{"128x128", "64x64"} {
		for lie, name := range kernels.Lies {
			if dt == dtype.Float32 {
				m.tiles[i][lie] = typed("product_"+tile+"_"+name, dt)
			}
		}
	}
	for i, axis := range []string{"k", "m"} {
		for j, columns := range kernels.ThinColumns {
			m.thin[i][j] = typed(fmt.Sprintf("product_thin_%d_%s", columns, axis), dt)
		}
	}
	return m
}

// kernel returns that of a plan.
func (m *multiplier) kernel(plan *kernels.ProductPlan) kernelID {
	if plan.Form < kernels.ThinDeep {
		return m.tiles[plan.Form][plan.Lie]
	}
	return m.thin[plan.Form-kernels.ThinDeep][plan.Thin]
}

func (m *multiplier) launch(d *Device, c *backend.Call, _ kernelID) error {
	if c.Out()[0].Layout.Size() == 0 {
		return nil
	}
	s, p := productParams.begin(d)
	defer s.free()
	plan, err := m.plan(d, c, p)
	if err != nil {
		return err
	}
	return m.issue(&s, p, &plan)
}

// plan describes a call and chooses how it is computed.
func (m *multiplier) plan(d *Device, c *backend.Call, p *kernels.Product) (kernels.ProductPlan, error) {
	describeProduct(p, c)
	if max(p.M, p.N, p.K) > math.MaxUint32-1024 {
		err := fmt.Errorf("cuda: a product of [%d, %d] and [%d, %d] is more than one launch takes", p.M, p.K, p.K, p.N)
		return kernels.ProductPlan{}, err
	}
	return kernels.PlanProduct(p, m.size, d.properties.Multiprocessors), nil
}

// halfMultiplier multiplies elements of a half type: few columns as they are, tiles as copies in float32.
type halfMultiplier struct {
	*multiplier
	single launcher
}

func (m *halfMultiplier) launch(d *Device, c *backend.Call, k kernelID) error {
	if c.Out()[0].Layout.Size() == 0 {
		return nil
	}
	s, p := productParams.begin(d)
	defer s.free()
	plan, err := m.plan(d, c, p)
	if err != nil {
		return err
	}
	if plan.Form < kernels.ThinDeep {
		return m.single(d, c, k)
	}
	return m.issue(&s, p, &plan)
}

// issue launches the plan's kernel, and where it divides the common axis that which joins the parts.
func (m *multiplier) issue(s *scratch, p *kernels.Product, plan *kernels.ProductPlan) error {
	p.Parts, p.Part = plan.Parts, plan.Part
	if p.Parts == 1 {
		return issue(s, m.kernel(plan), plan.Grid, p)
	}
	out, size := p.Out, p.Count*p.M*p.N
	p.Out = s.take(int(4 * p.Parts * size)).ptr
	if err := issue(s, m.kernel(plan), plan.Grid, p); err != nil {
		return err
	}
	p.Out, p.A, p.Part = out, p.Out, size
	return launch(s.device, m.join, s.device.flat(int(size)), p)
}
