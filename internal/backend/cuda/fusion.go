package cuda

import (
	"errors"
	"slices"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/emit"
	"cresset/internal/op"
)

var (
	_ backend.Batcher = (*Device)(nil)
	_ backend.Summer  = (*Device)(nil)
	_ backend.Reducer = (*Device)(nil)
	_ backend.Joiner  = (*Device)(nil)
	_ backend.Caster  = (*Device)(nil)
	_ backend.Placer  = (*Device)(nil)
)

// Fuses reports whether a kernel of a region can have the call as a step.
func (d *Device) Fuses(c *backend.Call) bool {
	if !d.Has(c.Op, c.DType) {
		return false
	}
	var from [3]dtype.DType
	in := c.In()
	if len(in) > len(from) || c.Op == op.Copy && (in[0].IsConst() || !backend.ReadsLines(c)) {
		return false
	}
	for i := range in {
		from[i] = in[i].DType
	}
	return emit.Takes(c.Op, c.DType, from[:len(in)], c.Out()[0].DType)
}

// Joins reports whether the op multiplies matrices in a dtype whose kernels have epilogues.
func (d *Device) Joins(o op.Op, dt dtype.DType) bool {
	return dt != dtype.Float64 && slices.Contains(products, o)
}

// Sums reports whether a kernel of a region can have the call, a sum over first axes: one that neighbouring threads would compute of neighbouring
// columns.
func (d *Device) Sums(c *backend.Call) bool {
	in, out := &c.In()[0], &c.Out()[0]
	n, columns := in.Layout.Size()/out.Layout.Size(), out.Layout.Size()
	switch c.DType {
	case dtype.Float16, dtype.BFloat16, dtype.Float32:
	default:
		return false
	}
	return d.Has(op.SumAxes, c.DType) && in.DType == c.DType && (out.DType == c.DType || d.Gives(c.Op, c.DType, 0, out.DType)) && n > 0 && columns > 1 &&
		kernels.ColumnBlocks(uint64(columns)) <= countersOfStream && d.inColumns(uint64(columns), uint64(n), uint64(columns))
}

// Places reports whether a result is the gradient of queries, keys or values, which attention leaves line by line.
func (d *Device) Places(o op.Op, _ dtype.DType, i int) bool { return o == op.AttentionGrad && i < 3 }

// Takes reports whether the gradient of a norm takes the one that arrives as a half type, or a norm a residual so, which may have its own type too.
func (d *Device) Takes(o op.Op, dt dtype.DType, i int, as dtype.DType) bool {
	if (o == op.LayerNorm || o == op.RMSNorm) && dt == dtype.Float32 && i == 3 {
		return as == dt || otherTypes[as] != kernels.SameType
	}
	return (o == op.LayerNormGrad || o == op.RMSNormGrad) && dt == dtype.Float32 && i == 0 && otherTypes[as] != kernels.SameType
}

// Gives reports whether a norm gives its result as a half type, or a product of halves or their sums theirs as float32.
func (d *Device) Gives(o op.Op, dt dtype.DType, i int, as dtype.DType) bool {
	if o == op.SumAxes || slices.Contains(products, o) {
		return slices.Contains(halves, dt) && as == dtype.Float32
	}
	return (o == op.LayerNorm || o == op.RMSNorm) && dt == dtype.Float32 && i == 0 && otherTypes[as] != kernels.SameType
}

// Fuse writes the region's kernels; one is loaded when it is first run.
func (d *Device) Fuse(r *backend.Region) (backend.Fused, error) {
	vectors, err := emit.New(r, true)
	if err != nil {
		return nil, err
	}
	if alone := len(r.Steps) == 1 && len(r.Sums) == 0; !alone && !d.emitted.admit(vectors.Key()) { // one call has its own kernel, unless it runs in a batch
		return nil, errors.New("cuda: regions of too many structures")
	}
	f := &fusedRegion{region: r, vectors: vectors}
	for i := range r.Steps {
		s := &r.Steps[i]
		c := backend.Call{Op: s.Op, DType: s.DType, Params: s.Params}
		f.scalars = append(f.scalars, scalarsOf(&c))
	}
	return &fusedKernel{device: d, pieces: []*fusedRegion{f}}, nil
}
