package cuda

import (
	"sync"

	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
)

// scratch is memory that one call needs beside its operands. It goes back when the call was issued: the stream's order keeps
// it from being used too early. The first error is kept, and nothing more is taken after it: issue returns it.
type scratch struct {
	device *Device
	held   [maxScratch]*Buffer
	n      int
	err    error
	params any        // of a kernel, which go back too
	pool   *sync.Pool // where to; nil where there are none
}

const maxScratch = 12

func (s *scratch) free() {
	for _, b := range s.held[:s.n] {
		s.device.alloc.release(b)
	}
	s.n = 0
	if s.pool != nil {
		s.pool.Put(s.params)
		s.pool = nil
	}
}

// take returns new memory; after an error it holds no bytes.
func (s *scratch) take(bytes int) *Buffer {
	if s.err != nil {
		return &Buffer{}
	}
	b, err := s.device.alloc.alloc(bytes, s.device.lane)
	if err != nil {
		s.err = err
		return &Buffer{}
	}
	s.held[s.n] = b
	s.n++
	return b
}

// table returns memory with bytes that a kernel reads.
func (s *scratch) table(words []byte) (*Buffer, error) {
	if c := s.device.captured(); c != nil {
		return c.constant(words)
	}
	b := s.take(len(words))
	if s.err != nil {
		return nil, s.err
	}
	return b, s.device.CopyIn(b, 0, words)
}

// packed returns where the view's elements lie in row-major order: in place where they do, else as a copy.
func (s *scratch) packed(v *backend.View) uint64 {
	if !v.IsConst() && (v.Layout.IsContiguous() || v.Layout.Size() == 0) {
		return address(v)
	}
	l := new(layout.Contiguous(v.Layout.Shape()))
	b := s.take(l.Size() * v.DType.Size())
	if s.err == nil {
		s.err = s.device.copyView(&backend.View{Buf: b, Layout: l, DType: v.DType}, v)
	}
	return b.ptr
}

// unpack writes row-major elements to a view of any layout.
func (s *scratch) unpack(v *backend.View, from uint64) error {
	b := &Buffer{ptr: from, bytes: v.Layout.Size() * v.DType.Size()}
	in := backend.View{Buf: b, Layout: new(layout.Contiguous(v.Layout.Shape())), DType: v.DType}
	return s.device.copyView(v, &in)
}

// all packs every operand that the call has; the address of others is 0.
func (s *scratch) all(c *backend.Call) (at [maxScratch]uint64) {
	for i := range c.In() {
		if c.Has(i) {
			at[i] = s.packed(&c.In()[i])
		}
	}
	return at
}

// issue launches a kernel that uses what s holds.
func issue[P any](s *scratch, k kernelID, g kernels.Grid, p *P) error {
	if s.err != nil {
		return s.err
	}
	return launch(s.device, k, g, p)
}

// issueRows launches a row of threads for each of some runs of n elements, over what s holds.
func issueRows[P any](s *scratch, k kernelID, runs, n uint64, p *P) error {
	if s.err != nil {
		return s.err
	}
	return launchRows(s.device, k, runs, n, p)
}

// copyView copies between any two layouts of one dtype; in may be a constant.
func (d *Device) copyView(out, in *backend.View) error {
	p := elementwiseParams.take()
	defer elementwiseParams.give(p)
	return d.spread(moves[out.DType], p, out, []backend.View{*in})
}
