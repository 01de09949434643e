package cuda

import (
	"cresset/internal/backend"
	"cresset/internal/layout"
)

// scratch is memory that one call needs beside its operands. It goes back when the call was issued: the stream's order keeps
// it from being used too early.
type scratch struct {
	device *Device
	held   [maxScratch]*Buffer
	n      int
}

const maxScratch = 12

func (s *scratch) free() {
	for _, b := range s.held[:s.n] {
		s.device.alloc.release(b)
	}
	s.n = 0
}

// take returns the address of new memory.
func (s *scratch) take(bytes int) (*Buffer, error) {
	b, err := s.device.alloc.alloc(bytes, compute)
	if err != nil {
		return nil, err
	}
	s.held[s.n] = b
	s.n++
	return b, nil
}

// packed returns where the view's elements lie in row-major order: in place where they do, else as a copy.
func (s *scratch) packed(v *backend.View) (uint64, error) {
	if !v.IsConst() && (v.Layout.IsContiguous() || v.Layout.Size() == 0) {
		return address(v), nil
	}
	l := new(layout.Contiguous(v.Layout.Shape()))
	b, err := s.take(l.Size() * v.DType.Size())
	if err != nil {
		return 0, err
	}
	to := backend.View{Buf: b, Layout: l, DType: v.DType}
	return b.ptr, s.device.copyView(&to, v)
}

// unpack writes row-major elements to a view of any layout.
func (s *scratch) unpack(v *backend.View, from uint64) error {
	b := &Buffer{ptr: from, bytes: v.Layout.Size() * v.DType.Size()}
	in := backend.View{Buf: b, Layout: new(layout.Contiguous(v.Layout.Shape())), DType: v.DType}
	return s.device.copyView(v, &in)
}

// all packs every operand that the call has.
func (s *scratch) all(c *backend.Call, at *[maxScratch]uint64) error {
	for i := range c.In() {
		if !c.Has(i) {
			at[i] = 0
			continue
		}
		p, err := s.packed(&c.In()[i])
		if err != nil {
			return err
		}
		at[i] = p
	}
	return nil
}

// copyView copies between any two layouts of one dtype; in may be a constant.
func (d *Device) copyView(out, in *backend.View) error {
	p := elementwiseParams.take()
	defer elementwiseParams.give(p)
	return d.spread(moves[out.DType], p, out, []backend.View{*in})
}
