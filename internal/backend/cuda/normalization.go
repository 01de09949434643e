package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

func (t *table) addNormalizations() {
	for _, dt := range floats {
		t.addBatchNorm(dt)
		t.addLayerNorm(dt)
	}
	for _, dt := range halves {
		b := t.addBatchNorm(dt)
		t[op.BatchNorm][dt] = row{launch: unlessHalf(b.forward, 1, widened(t[op.BatchNorm][dtype.Float32], dt, dtype.Float32))}
		t[op.BatchNormGrad][dt] = row{launch: unlessHalf(b.grad, 2, widened(t[op.BatchNormGrad][dtype.Float32], dt, dtype.Float32))}
		l := t.addLayerNorm(dt)
		for _, o := range []op.Op{op.LayerNorm, op.LayerNormGrad, op.RMSNorm, op.RMSNormGrad, op.GroupNorm, op.GroupNormGrad} {
			t[o][dt] = row{launch: l.unless(t[o][dt].launch, widened(t[o][dtype.Float32], dt, dtype.Float32))}
		}
	}
}

func (t *table) addLayerNorm(dt dtype.DType) *layerNormalizer {
	l := &layerNormalizer{
		out: typed("layer_norm", dt), gradient: typed("layer_norm_grad", dt),
		groupSums: typed("group_norm_sums", dt), totals: typed("layer_norm_totals", dt), size: uint64(max(dt.Size()/4, 1)),
	}
	for _, o := range []op.Op{op.LayerNorm, op.RMSNorm, op.GroupNorm} {
		t[o][dt] = row{launch: l.forward}
	}
	for _, o := range []op.Op{op.LayerNormGrad, op.RMSNormGrad, op.GroupNormGrad} {
		t[o][dt] = row{launch: l.grad}
	}
	return l
}

func (t *table) addBatchNorm(dt dtype.DType) *batchNormalizer {
	b := &batchNormalizer{
		moments: typed("batch_norm_moments", dt), figures: typed("batch_norm_figures", dt), out: typed("batch_norm", dt),
		planes: typed("batch_norm_planes", dt), gradPlanes: typed("batch_norm_grad_planes", dt),
		sums: typed("batch_norm_sums", dt), totals: typed("batch_norm_totals", dt), gradient: typed("batch_norm_grad", dt),
	}
	t[op.BatchNorm][dt] = row{launch: b.forward}
	t[op.BatchNormGrad][dt] = row{launch: b.grad}
	return b
}

// unlessHalf launches the kernels of a half type, or what stands for them where weights or statistics, which are the operands from so many on and
// the results behind the first, are of a half type too.
func unlessHalf(half launcher, from int, other launcher) launcher {
	return func(d *Device, c *backend.Call, k kernelID) error {
		for i := from; i < len(c.In()); i++ {
			if c.Has(i) && c.In()[i].DType != dtype.Float32 {
				return other(d, c, k)
			}
		}
		for i := 1; i < len(c.Out()); i++ {
			if c.Out()[i].DType != dtype.Float32 {
				return other(d, c, k)
			}
		}
		return half(d, c, k)
	}
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

// layerNormalizer is the kernels of layer, RMS and group normalisation.
type layerNormalizer struct {
	out, gradient, groupSums, totals kernelID
	size                             uint64 // of what is computed in, in units of 4 bytes
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

// forward writes y, mean and 1/√(variance + eps) of x, weight and bias; an RMS norm has no mean. Where in[3] is given, it is added to x first, and
// the sum is written last.
func (l *layerNormalizer) forward(d *Device, c *backend.Call, _ kernelID) error {
	s, p := layerNormParams.begin(d)
	defer s.free()
	out := c.Out()
	at := s.layerNorm(c, p, &c.In()[0])
	if p.Rows == 0 || s.err != nil {
		return s.err
	}
	p.X, p.Weight, p.Bias, p.Residual = at[0], at[1], at[2], at[3]
	p.OtherType = other(&out[0], c)
	p.Y, out = address(&out[0]), out[1:]
	if c.Op != op.RMSNorm {
		p.Mean, out = address(&out[0]), out[1:]
	}
	if p.Invstd = address(&out[0]); len(out) > 1 {
		p.Sum, p.ResidualType = address(&out[1]), other(&c.In()[3], c)
	}
	return launchHeld(d, l.out, p.Rows, p.Columns*l.size, p)
}

// otherTypes are those of operands and results that are not of the type that is computed in.
var otherTypes = [dtype.Count]uint32{dtype.Float16: kernels.Float16Type, dtype.BFloat16: kernels.Bfloat16Type}

// other is the type of a view that may be of another one than the call.
func other(v *backend.View, c *backend.Call) uint32 {
	if v.DType == c.DType {
		return kernels.SameType
	}
	return otherTypes[v.DType]
}

// grad writes the gradients for x and, where further results are given, for weight and bias, of dy, x, weight, mean and
// 1/√(variance + eps); an RMS norm has neither mean nor bias. Where in[5] is given, it is added to the gradient for x.
func (l *layerNormalizer) grad(d *Device, c *backend.Call, _ kernelID) error {
	s, p := layerNormParams.begin(d)
	defer s.free()
	out := c.Out()
	at := s.layerNorm(c, p, &c.In()[1])
	if p.Columns == 0 || s.err != nil {
		return s.err
	}
	p.Dy, p.X, p.Weight, p.Mean, p.Invstd, p.Onto = at[0], at[1], at[2], at[3], at[4], at[5]
	p.Dx, p.OtherType = address(&out[0]), other(&c.In()[0], c)
	if len(out) > 1 {
		p.Dweight = address(&out[1])
	}
	if len(out) > 2 {
		p.Dbias = address(&out[2])
	}
	if len(out) > 1 && c.Op != op.GroupNormGrad {
		s.besideRows(p)
	}
	g, ok := kernels.NormGradGrid(p.Rows, 2*p.Columns*l.size, p.SumBlocks)
	if s.err != nil {
		return s.err
	}
	if p.Rows > 0 || p.SumBlocks > 0 {
		if err := launchRuns(d, l.gradient, g, ok, p); err != nil {
			return err
		}
	}
	if len(out) > 1 && c.Op == op.GroupNormGrad {
		return l.gradChannels(&s, p)
	}
	return nil
}

// besideRows has the blocks of the rows' gradients others beside them that add up those for weight and bias over the rows, in parts where these are many.
func (s *scratch) besideRows(p *kernels.LayerNorm) {
	blocks := kernels.ColumnBlocks(p.Columns)
	if p.Parts = kernels.NormalizationParts(blocks, p.Rows*32); blocks > countersOfStream {
		p.Parts = 1
	}
	p.FirstCounter = uint32(s.device.firstCounter())
	p.SumBlocks = uint32(blocks * p.Parts)
	s.layerNormSums(p, p.Columns)
}

// gradChannels adds up the gradients for weight and bias over the images, in parts where these are large.
func (l *layerNormalizer) gradChannels(s *scratch, p *kernels.LayerNorm) error {
	channels, n := p.Columns/p.Each*p.Groups, p.Rows/p.Groups*p.Each
	p.Parts = kernels.NormalizationParts(channels, n)
	s.layerNormSums(p, channels)
	if err := issueRows(s, l.groupSums, channels*p.Parts, n/p.Parts, p); err != nil {
		return err
	}
	if p.Parts == 1 {
		return nil
	}
	return launch(s.device, l.totals, s.device.flat(int(channels)), p)
}

// layerNormSums takes room for the parts of so many sums.
func (s *scratch) layerNormSums(p *kernels.LayerNorm, n uint64) {
	if p.Parts > 1 {
		p.Sums = s.take(int(p.Parts*n) * kernels.PairBytes).ptr
	}
}

// layerNorm packs the operands and sees x as rows: of its last axes, or of the groups of channels of images.
func (s *scratch) layerNorm(c *backend.Call, p *kernels.LayerNorm, x *backend.View) (at [maxScratch]uint64) {
	o, shape := c.Params.(op.Normalize), x.Layout.Shape()
	*p = kernels.LayerNorm{Rows: 1, Columns: 1, Each: 1, Groups: 1, Eps: o.Eps}
	axes := o.Axes
	if o.Groups > 0 {
		axes = len(shape) - 1
	}
	for i, n := range shape {
		if i < len(shape)-axes {
			p.Rows *= uint64(n)
		} else {
			p.Columns *= uint64(n)
		}
	}
	if o.Groups > 0 {
		inGroups(p, uint64(shape[1]), uint64(o.Groups))
	}
	return s.all(c)
}

// inGroups cuts the rows of p, which are images of so many channels, into groups.
func inGroups(p *kernels.LayerNorm, channels, groups uint64) {
	p.Groups, p.Each = groups, p.Columns/max(channels, 1)
	if p.Each == 0 { // images of no pixels have weights nevertheless
		p.Rows, p.Columns, p.Each = 0, channels/groups, 1
		return
	}
	p.Rows, p.Columns = p.Rows*groups, p.Columns/groups
}
