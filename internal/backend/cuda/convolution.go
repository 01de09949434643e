package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// convolver holds the kernels of convolutions and their gradients that add in float32.
type convolver struct {
	half     bool
	families uint // a bit for each family of tiles that has these elements
	tiles    [len(kernels.ConvolutionTiles)][kernels.ConvolutionKinds]kernelID
	direct   [len(kernels.DirectKernels)]kernelID
	join     kernelID
	products *multiplier
	wide     launcher // convolves copies in float32; for half types on GPUs that have no tiles for them
}

// halfConvolvers are those of half types.
var halfConvolvers = map[dtype.DType]*convolver{dtype.Float16: newConvolver(dtype.Float16), dtype.BFloat16: newConvolver(dtype.BFloat16)}

func (t *table) addConvolutions() {
	t.addConvolutions64()
	single := newConvolver(dtype.Float32)
	for _, o := range []op.Op{op.Conv, op.ConvGradInput, op.ConvGradWeight} {
		t[o][dtype.Float32] = row{launch: single.launch}
		for dt, half := range halfConvolvers {
			half.wide = widened(row{launch: single.launch}, dt, dtype.Float32)
			t[o][dt] = row{launch: half.launch}
		}
	}
}

func newConvolver(dt dtype.DType) *convolver {
	v := &convolver{half: dt != dtype.Float32, join: typed("product_join", dt), products: newMultiplier(dt)}
	for i := range kernels.ConvolutionTiles {
		t := &kernels.ConvolutionTiles[i]
		if !t.Of(dt) {
			continue
		}
		v.families |= 1 << i
		for k := range kernels.ConvolutionKinds {
			if t.Has(k) {
				v.tiles[i][k] = typed(t.Kernel(k), dt)
			}
		}
	}
	for i, name := range kernels.DirectKernels {
		v.direct[i] = typed(name, dt)
	}
	return v
}

// taken returns a bit for each family of tiles that the device has for these elements, at the precision that is set: those with asynchronous copies,
// where it has any.
func (v *convolver) taken(d *Device) (tiles uint) {
	var held, rounding uint
	for i := range kernels.ConvolutionTiles {
		switch t := &kernels.ConvolutionTiles[i]; {
		case v.families&(1<<i) == 0 || !d.takes(v.tiles[i][kernels.Outputs]) || t.Mapped && !d.sharedFits(int64(t.Shared())):
		case t.TF32:
			rounding |= 1 << i
		case t.Held:
			held |= 1 << i
		default:
			tiles |= 1 << i
		}
	}
	if tiles == 0 {
		tiles = held
	}
	return atPrecision(tiles, rounding)
}

var tiledParams paramPool[kernels.TiledConvolution]

// A convolution is a call's operands by their names, with the extents that kernels read.
type convolution struct {
	*kernels.TiledConvolution
	op      op.Op
	x, w, y *backend.View // or their gradients
	out     *backend.View
}

func (v *convolver) launch(d *Device, c *backend.Call, k kernelID) error {
	if c.Out()[0].Layout.Size() == 0 {
		return nil
	}
	s, p := tiledParams.begin(d)
	defer s.free()
	n := convolution{TiledConvolution: p, op: c.Op, out: &c.Out()[0]}
	if err := n.describe(c); err != nil {
		return err
	}
	if c.Has(2) {
		p.Bias = s.packed(&c.In()[2])
	}
	if done, err := v.multiply(&s, &n); done || err != nil {
		return err
	}
	key := n.key(v.half, v.taken(d))
	plan := d.planConvolution(key)
	if plan.tiled != nil && kernels.ConvolutionTiles[plan.tiled.Tile].Mapped {
		if done, err := v.convolveMapped(&s, &n, plan.tiled, c.DType); done || err != nil {
			return err
		}
		key.tiles &^= kernels.MappedConvolutions
		plan = d.planConvolution(key)
	}
	switch {
	case plan.direct != nil:
		return v.slide(&s, &n, plan.direct)
	case plan.tiled != nil:
		return v.convolve(&s, &n, plan.tiled)
	}
	return v.wide(d, c, k)
}

// describe fills in the operands and their extents.
func (n *convolution) describe(c *backend.Call) error {
	window, in := c.Params.(op.Window), c.In()
	switch n.op {
	case op.Conv:
		n.x, n.w, n.y = &in[0], &in[1], n.out
	case op.ConvGradInput:
		n.x, n.w, n.y = n.out, &in[1], &in[0]
	default:
		n.x, n.w, n.y = &in[1], n.out, &in[0]
	}
	x, w, y := n.x.Layout.Shape(), n.w.Layout.Shape(), n.y.Layout.Shape()
	if err := convolvable(x, w, y, window); err != nil {
		return err
	}
	n.measure(window, x, w, y)
	n.Out = address(n.out)
	return nil
}

// measure fills in the extents of an op by the shapes of x, the weight and y, or of their gradients.
func (n *convolution) measure(window op.Window, x, w, y layout.Shape) {
	*n.TiledConvolution = kernels.TiledConvolution{
		Images: uint32(x[0]), Groups: uint32(window.Groups),
		Rows: uint32(w[0] / window.Groups), Channels: uint32(w[1]), Phases: [2]uint32{1, 1},
	}
	for i := range 2 {
		n.Window[i], n.InSize[i], n.OutSize[i] = uint32(w[2+i]), uint32(x[2+i]), uint32(y[2+i])
		n.Padding[i], n.Dilation[i] = uint32(window.Padding[i]), uint32(window.Dilation[i])
		// A stride beyond the padded input has no second step to take.
		n.Stride[i] = uint32(min(window.Stride[i], x[2+i]+2*window.Padding[i]+1))
	}
	if n.op == op.ConvGradInput {
		n.Gradient, n.Rows, n.Channels, n.InSize, n.OutSize = 1, n.Channels, n.Rows, n.OutSize, n.InSize
		for i := range 2 {
			n.Phases[i] = min(n.Stride[i], n.OutSize[i])
		}
	}
}

// convolve launches a plan's kernel over packed operands.
func (v *convolver) convolve(s *scratch, n *convolution, plan *kernels.ConvolutionPlan) error {
	plan.Apply(n.TiledConvolution)
	if v.half {
		s.packChunks(n)
	} else {
		s.packPlanes(n)
	}
	s.device.trace.plan(plan.Clocks)
	return v.issue(s, n, v.tiles[plan.Tile][plan.Kind], plan.Grid)
}

// slide launches a plan's kernel over operands as they are.
func (v *convolver) slide(s *scratch, n *convolution, plan *kernels.DirectConvolution) error {
	plan.Apply(n.TiledConvolution)
	switch n.op {
	case op.Conv:
		n.Left, n.Right = s.packed(n.w), s.packed(n.x)
	case op.ConvGradInput:
		n.Left, n.Right = s.packed(n.w), s.packed(n.y)
	default:
		n.Left, n.Right = s.packed(n.y), s.packed(n.x)
	}
	return v.issue(s, n, v.direct[plan.Kernel], plan.Grid)
}

// issue launches a kernel, and where it divides the common axis that which joins the parts.
func (v *convolver) issue(s *scratch, n *convolution, k kernelID, g kernels.Grid) error {
	return v.inParts(s, n, func() error { return issue(s, k, g, n.TiledConvolution) })
}

// inParts has f launch a kernel, and launches what joins the parts where there are several.
func (v *convolver) inParts(s *scratch, n *convolution, f func() error) error {
	if n.Parts == 1 {
		return f()
	}
	size := n.out.Layout.Size()
	n.Out = s.take(4 * int(n.Parts) * size).ptr
	if err := f(); err != nil {
		return err
	}
	return v.joinParts(s.device, n, uint64(size))
}

// joinParts adds the parts in their order.
func (v *convolver) joinParts(d *Device, n *convolution, size uint64) error {
	p := productParams.take()
	defer productParams.give(p)
	*p = kernels.Product{Partials: n.Out, Out: address(n.out), Parts: uint64(n.Parts), Part: size, Alpha: 1}
	if n.op == op.ConvGradWeight { // parts have the channels last
		p.Count, p.M, p.N = uint64(n.Groups)*uint64(n.Rows), uint64(n.Window[0])*uint64(n.Window[1]), uint64(n.Channels)
		p.OutStrides = [3]int64{int64(p.M * p.N), 1, int64(p.M)}
	} else {
		p.Count, p.M, p.N = uint64(n.Images), uint64(n.Groups)*uint64(n.Rows), uint64(n.OutSize[0])*uint64(n.OutSize[1])
		p.OutStrides = [3]int64{int64(p.M * p.N), int64(p.N), 1}
		if n.Bias != 0 {
			p.Add, p.AddStrides, p.Beta = n.Bias, [3]int64{0, 1, 0}, 1
		}
	}
	return launch(d, v.join, d.flat(int(size)), p)
}
