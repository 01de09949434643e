package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// addNarrow gives the half types and the small integers, which have casts of their own alone, every kernel of the type that
// they are computed in: operands are widened, results are rounded or wrapped once, as on the CPU. Draws have kernels for every
// type.
func (t *table) addNarrow() {
	for narrow, wide := range map[dtype.DType]dtype.DType{
		dtype.Float16: dtype.Float32, dtype.BFloat16: dtype.Float32, dtype.Int8: dtype.Int32, dtype.Int16: dtype.Int32,
	} {
		for o := range t {
			if r := t[o][wide]; r.launch != nil && t[o][narrow].launch == nil {
				t[o][narrow] = row{launch: widened(r, narrow, wide)}
			}
		}
	}
}

// updates are the ops that read their results, from that one on, before they write them.
var updates = map[op.Op]int{
	op.SGDStep: 0, op.AdamStep: 0, op.BatchNorm: 3,
	op.IndexAdd: 0, op.ScatterAdd: 0, op.ScatterProd: 0, op.ScatterAMax: 0, op.ScatterAMin: 0,
}

// widened launches the row of a wider dtype on copies of the narrow operands.
func widened(r row, narrow, wide dtype.DType) launcher {
	return func(d *Device, c *backend.Call, _ kernelID) error {
		s := scratch{device: d}
		defer s.free()
		w := backend.NewCall(c.Op, wide)
		defer w.Release()
		w.Params = c.Params
		first, reads := updates[c.Op]
		for i := range c.Out() {
			if err := s.widen(w.AddOut(), &c.Out()[i], narrow, wide, reads && i >= first); err != nil {
				return err
			}
		}
		for i := range c.In() {
			if err := s.widen(w.AddIn(), &c.In()[i], narrow, wide, true); err != nil {
				return err
			}
		}
		if err := r.launch(d, w, r.kernel); err != nil {
			return err
		}
		for i := range c.Out() {
			if out := &c.Out()[i]; out.DType == narrow {
				if err := d.convert(out, &w.Out()[i]); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// widen makes to a wide copy of from, or room for one where its elements are not read; other dtypes stay as they are.
func (s *scratch) widen(to, from *backend.View, narrow, wide dtype.DType, read bool) error {
	*to = *from
	if from.DType != narrow {
		return nil
	}
	to.DType = wide
	if from.IsConst() {
		return nil
	}
	b := s.take(from.Layout.Size() * wide.Size())
	if s.err != nil {
		return s.err
	}
	to.Buf, to.Layout = b, new(layout.Contiguous(from.Layout.Shape()))
	if !read {
		return nil
	}
	return s.device.convert(to, from)
}

// convert casts between any two layouts.
func (d *Device) convert(out, in *backend.View) error {
	if out.Layout.Size() == 0 {
		return nil
	}
	p := elementwiseParams.take()
	defer elementwiseParams.give(p)
	return d.spread(casts[out.DType][in.DType], p, out, []backend.View{*in})
}

// cast launches what gives results of the call's dtype alone, and casts the first where another is asked for.
func cast(launch launcher) launcher {
	return func(d *Device, c *backend.Call, k kernelID) error {
		out := &c.Out()[0]
		if out.DType == c.DType {
			return launch(d, c, k)
		}
		s := scratch{device: d}
		defer s.free()
		own := backend.NewCall(c.Op, c.DType)
		defer own.Release()
		own.Params = c.Params
		y := own.AddOut()
		*y = backend.View{Buf: s.take(out.Layout.Size() * c.DType.Size()), Layout: new(layout.Contiguous(out.Layout.Shape())), DType: c.DType}
		if s.err != nil {
			return s.err
		}
		for i := range c.In() {
			*own.AddIn() = c.In()[i]
		}
		if err := launch(d, own, k); err != nil {
			return err
		}
		return d.convert(out, y)
	}
}
