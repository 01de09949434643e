package cuda

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

func (t *table) addNormalizations() {
	for _, dt := range floats {
		b := &batchNormalizer{
			moments: typed("batch_norm_moments", dt), figures: typed("batch_norm_figures", dt), out: typed("batch_norm", dt),
			planes: typed("batch_norm_planes", dt), gradPlanes: typed("batch_norm_grad_planes", dt),
			sums: typed("batch_norm_sums", dt), totals: typed("batch_norm_totals", dt), gradient: typed("batch_norm_grad", dt),
		}
		t[op.BatchNorm][dt] = row{launch: b.forward}
		t[op.BatchNormGrad][dt] = row{launch: b.grad}
		t.addLayerNorm(dt)
	}
	for _, dt := range halves {
		l := t.addLayerNorm(dt)
		for _, o := range []op.Op{op.LayerNorm, op.LayerNormGrad, op.GroupNorm} {
			t[o][dt] = row{launch: l.unless(t[o][dt].launch, widened(t[o][dtype.Float32], dt, dtype.Float32))}
		}
	}
}

func (t *table) addLayerNorm(dt dtype.DType) *layerNormalizer {
	l := &layerNormalizer{
		out: typed("layer_norm", dt), gradient: typed("layer_norm_grad", dt),
		sums: typed("layer_norm_sums", dt), totals: typed("layer_norm_totals", dt), size: uint64(max(dt.Size()/4, 1)),
	}
	t[op.LayerNorm][dt] = row{launch: l.forward}
	t[op.LayerNormGrad][dt] = row{launch: l.grad}
	t[op.GroupNorm][dt] = row{launch: l.groups}
	return l
}

// batchNormalizer is the kernels of batch normalisation.
type batchNormalizer struct {
	moments, figures, sums, totals    kernelID
	out, planes, gradient, gradPlanes kernelID // of elements, and of planes of many pixels
}

// elements launches a kernel over all elements, or over planes.
func (*batchNormalizer) elements(d *Device, p *kernels.BatchNorm, flat, planes kernelID) error {
	n := p.Images * p.Channels
	if g, ok := kernels.PlaneGrid(n, p.Pixels); ok {
		return launch(d, planes, g, p)
	}
	return launch(d, flat, d.flat(int(n*p.Pixels)), p)
}

var batchNormParams paramPool[kernels.BatchNorm]

// forward writes y, mean and 1/√(variance + eps) of x, weight and bias. In training these are the batch's, and out[3] and
// out[4], where given, follow them; in evaluation in[3] and in[4] hold mean and variance.
func (b *batchNormalizer) forward(d *Device, c *backend.Call, _ kernelID) error {
	s, p := batchNormParams.begin(d)
	defer s.free()
	in, out := c.In(), c.Out()
	at := s.batchNorm(c, p, &in[0])
	p.X, p.Weight, p.Bias = at[0], at[1], at[2]
	p.Y, p.Mean, p.Invstd = address(&out[0]), address(&out[1]), address(&out[2])
	if p.Channels == 0 {
		return nil
	}
	var err error
	if p.Training == 0 {
		p.RunningMean, p.RunningVar, p.Steps = at[3], at[4], [2]int64{1, 1}
		err = issue(&s, b.figures, d.flat(int(p.Channels)), p)
	} else {
		if len(out) > 3 {
			p.RunningMean, p.RunningVar = address(&out[3]), address(&out[4])
			p.Steps = [2]int64{int64(out[3].Layout.Strides()[0]), int64(out[4].Layout.Strides()[0])}
		}
		err = b.inParts(&s, p, b.moments, b.figures)
	}
	if n := out[0].Layout.Size(); err == nil && n > 0 {
		err = b.elements(d, p, b.out, b.planes)
	}
	return err
}

// grad writes the gradients for x, weight and bias, of dy, x, weight, mean and 1/√(variance + eps).
func (b *batchNormalizer) grad(d *Device, c *backend.Call, _ kernelID) error {
	s, p := batchNormParams.begin(d)
	defer s.free()
	out := c.Out()
	at := s.batchNorm(c, p, &c.In()[1])
	p.Dy, p.X, p.Weight, p.Mean, p.Invstd = at[0], at[1], at[2], at[3], at[4]
	p.Dx, p.Dweight, p.Dbias = address(&out[0]), address(&out[1]), address(&out[2])
	if p.Channels == 0 {
		return nil
	}
	if err := b.inParts(&s, p, b.sums, b.totals); err != nil {
		return err
	}
	if n := out[0].Layout.Size(); n > 0 {
		return b.elements(d, p, b.gradient, b.gradPlanes)
	}
	return nil
}

// inParts launches a kernel that makes sums of each channel, and the one that joins them where a channel has parts.
func (b *batchNormalizer) inParts(s *scratch, p *kernels.BatchNorm, parts, join kernelID) error {
	d, n := s.device, p.Images*p.Pixels
	p.Parts = kernels.NormalizationParts(p.Channels, n)
	p.Sums = s.take(int(p.Channels*p.Parts) * kernels.PairBytes).ptr
	if err := issueRows(s, parts, p.Channels*p.Parts, n/p.Parts, p); err != nil || p.Parts == 1 {
		return err
	}
	return launch(d, join, d.flat(int(p.Channels)), p)
}

// batchNorm packs the operands and fills in the extents of x [N, C, …].
func (s *scratch) batchNorm(c *backend.Call, p *kernels.BatchNorm, x *backend.View) (at [maxScratch]uint64) {
	o, shape := c.Params.(op.Normalize), x.Layout.Shape()
	*p = kernels.BatchNorm{
		Images: uint64(shape[0]), Channels: uint64(shape[1]), Pixels: 1,
		Eps: o.Eps, Momentum: o.Momentum, Training: flag(o.Training),
	}
	for _, n := range shape[2:] {
		p.Pixels *= uint64(n)
	}
	return s.all(c)
}

// layerNormalizer is the kernels of layer normalisation.
type layerNormalizer struct {
	out, gradient, sums, totals kernelID
	size                        uint64 // of what is computed in, in units of 4 bytes
}

// unless launches the kernels of a half type, or what stands for them where an operand is of another type.
func (*layerNormalizer) unless(half, other launcher) launcher {
	return func(d *Device, c *backend.Call, k kernelID) error {
		for i := range min(len(c.In()), 3) { // of the gradient, mean and invstd are of the wide type
			if c.Has(i) && c.In()[i].DType != c.DType {
				return other(d, c, k)
			}
		}
		return half(d, c, k)
	}
}

var layerNormParams paramPool[kernels.LayerNorm]

// forward writes y, mean and 1/√(variance + eps) of x, weight and bias.
func (l *layerNormalizer) forward(d *Device, c *backend.Call, _ kernelID) error {
	s, p := layerNormParams.begin(d)
	defer s.free()
	return l.normalize(&s, c, p, s.layerNorm(c, p, &c.In()[0]))
}

// groups is forward by groups of channels.
func (l *layerNormalizer) groups(d *Device, c *backend.Call, _ kernelID) error {
	s, p := layerNormParams.begin(d)
	defer s.free()
	shape, groups := c.In()[0].Layout.Shape(), c.Params.(op.Normalize).Groups
	at := s.layerNorm(c, p, &c.In()[0])
	p.Groups, p.Each = uint64(groups), 1
	for _, n := range shape[2:] {
		p.Each *= uint64(n)
	}
	p.Rows, p.Columns = uint64(shape[0]*groups), uint64(shape[1]/groups)*p.Each
	p.Each = max(p.Each, 1)
	return l.normalize(&s, c, p, at)
}

func (l *layerNormalizer) normalize(s *scratch, c *backend.Call, p *kernels.LayerNorm, at [maxScratch]uint64) error {
	out := c.Out()
	if p.Rows == 0 {
		return s.err
	}
	p.X, p.Weight, p.Bias = at[0], at[1], at[2]
	p.Y, p.Mean, p.Invstd = address(&out[0]), address(&out[1]), address(&out[2])
	if s.err != nil {
		return s.err
	}
	return launchHeld(s.device, l.out, p.Rows, p.Columns*l.size, p)
}

// grad writes the gradients for x and, where out[1] and out[2] are given, for weight and bias, of dy, x, weight, mean and
// 1/√(variance + eps).
func (l *layerNormalizer) grad(d *Device, c *backend.Call, _ kernelID) error {
	s, p := layerNormParams.begin(d)
	defer s.free()
	out := c.Out()
	at := s.layerNorm(c, p, &c.In()[1])
	if p.Columns == 0 || s.err != nil {
		return s.err
	}
	p.Dy, p.X, p.Weight, p.Mean, p.Invstd = at[0], at[1], at[2], at[3], at[4]
	p.Dx = address(&out[0])
	if p.Rows > 0 {
		if err := launchHeld(d, l.gradient, p.Rows, 2*p.Columns*l.size, p); err != nil {
			return err
		}
	}
	if len(out) == 1 {
		return nil
	}
	p.Dweight, p.Dbias = address(&out[1]), address(&out[2])
	return l.gradParameters(&s, p)
}

// gradParameters adds up the gradients for weight and bias over the rows, in parts where these are many.
func (l *layerNormalizer) gradParameters(s *scratch, p *kernels.LayerNorm) error {
	d := s.device
	p.Parts = kernels.NormalizationParts((p.Columns+31)/32, p.Rows*32)
	if p.Parts > 1 {
		p.Sums = s.take(int(p.Parts*p.Columns) * kernels.PairBytes).ptr
	}
	g, ok := kernels.LayerNormSumsGrid(p.Columns, p.Parts)
	if !ok {
		return fmt.Errorf("cuda: rows of %d elements are too long for one launch", p.Columns)
	}
	if err := issue(s, l.sums, g, p); err != nil || p.Parts == 1 {
		return err
	}
	return launch(d, l.totals, d.flat(int(p.Columns)), p)
}

// layerNorm packs the operands and sees the last axes of x as rows.
func (s *scratch) layerNorm(c *backend.Call, p *kernels.LayerNorm, x *backend.View) (at [maxScratch]uint64) {
	o, shape := c.Params.(op.Normalize), x.Layout.Shape()
	*p = kernels.LayerNorm{Rows: 1, Columns: 1, Each: 1, Groups: 1, Eps: o.Eps}
	for i, n := range shape {
		if i < len(shape)-o.Axes {
			p.Rows *= uint64(n)
		} else {
			p.Columns *= uint64(n)
		}
	}
	return s.all(c)
}
