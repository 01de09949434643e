package cpu

import (
	"sync"
	"sync/atomic"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/mem"
	"cresset/internal/op"
)

const (
	halfPiece  = 2048 // elements of half operands that are widened at a time: they stay in the L1 cache
	halfShare  = 8    // pieces that are worth a thread
	shortPiece = 256  // elements that take longer than what each piece costs
)

// byPieces is viaFloat32 for an elementwise kernel: operands are widened piece by piece, and results rounded back from
// where the kernel left them in the cache. Layouts that would make short pieces take the way of viaFloat32.
func byPieces(kernel Kernel) Kernel {
	whole := viaFloat32(kernel)
	return func(c *backend.Call) error {
		if c.Out()[0].Layout.Size() == 0 {
			return nil
		}
		s := newSplit(c)
		defer walks.Put(s.walk)
		if !s.suits() {
			return whole(c)
		}
		var failed atomic.Pointer[error]
		err := kern.ForWithLoan(s.count, halfShare, s.room(c), func(lo, hi int, space []byte) {
			if err := s.run(kernel, c, lo, hi, space); err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		})
		if first := failed.Load(); first != nil {
			return *first
		}
		return err
	}
}

// split is how operands of one shape fall into pieces: parts of a row of the innermost axis, or several rows where those are
// shorter. The walk's own tiles play no part.
type split struct {
	walk          *walk
	outs          int // operands of the walk that are results, which come first
	height, width int // of a matrix of rows
	rows, cols    int // of a piece
	across, down  int // pieces of a matrix
	count         int // pieces in all
}

func newSplit(c *backend.Call) (s split) {
	var views [layout.MaxOperands]*backend.View
	n := 0
	for _, list := range [][]backend.View{c.Out(), c.In()} {
		for i := range list {
			if !list[i].IsConst() {
				views[n] = &list[i]
				n++
			}
		}
	}
	s.walk, s.outs = newWalk(views[:n]...), len(c.Out())
	loop := &s.walk.loop
	s.height, s.width = 1, s.walk.inner
	if loop.Rank > 1 {
		s.height = loop.Extents[loop.Rank-2]
	}
	s.cols, s.rows = min(s.width, halfPiece), 1
	if s.spansRows() {
		s.rows = min(s.height, halfPiece/s.cols)
	}
	s.across, s.down = ceilDiv(s.width, s.cols), ceilDiv(s.height, s.rows)
	s.count = loop.Runs() / s.height * s.down * s.across
	return s
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// spansRows reports whether rows need not be told apart: each operand has them side by side, or one element or row for all.
func (s *split) spansRows() bool {
	loop := &s.walk.loop
	for k := range loop.N {
		if loop.Rank == 1 || s.walk.adjoins(k) {
			continue
		}
		if k < s.outs || loop.Steps[k][loop.Rank-2] != 0 {
			return false
		}
	}
	return true
}

// suits reports whether pieces are long enough, and made of elements that lie side by side or, of an operand, repeat.
func (s *split) suits() bool {
	for k := range s.walk.loop.N {
		if step := s.walk.loop.InnerStep(k); step != 1 && (step != 0 || k < s.outs) {
			return false
		}
	}
	return s.count == 1 || s.rows*s.cols >= shortPiece
}

// slot returns the bytes of a piece of an operand, in whole cache lines.
func (s *split) slot(v *backend.View) int {
	return ceilDiv(s.rows*s.cols*wideType(v).Size(), mem.Alignment) * mem.Alignment
}

// room returns the bytes of a piece of each operand.
func (s *split) room(c *backend.Call) (bytes int) {
	for _, list := range [][]backend.View{c.Out(), c.In()} {
		for i := range list {
			if !list[i].IsConst() {
				bytes += s.slot(&list[i])
			}
		}
	}
	return bytes
}

// wideType returns the dtype that a kernel for float32 sees an operand in.
func wideType(v *backend.View) dtype.DType {
	if isHalf(v.DType) {
		return dtype.Float32
	}
	return v.DType
}

// desk is what a thread needs to run a kernel on pieces.
type desk struct {
	lanes [layout.MaxOperands]lane
	count int
}

// desks holds desks to be used again: they are large next to the work of a small op.
var desks = sync.Pool{New: func() any { return new(desk) }}

// run runs the kernel on the pieces [lo, hi), in space.
func (s *split) run(kernel Kernel, c *backend.Call, lo, hi int, space []byte) error {
	wide := backend.NewCall(c.Op, dtype.Float32)
	defer wide.Release()
	wide.Params = c.Params
	d := desks.Get().(*desk)
	defer d.clear()
	d.spread(s, c, wide, space)
	updates := c.Op == op.SGDStep || c.Op == op.AdamStep
	for i := lo; i < hi; i++ {
		plane, at := i/(s.down*s.across), i%(s.down*s.across)
		row, col := at/s.across*s.rows, at%s.across*s.cols
		rows, cols := min(s.rows, s.height-row), min(s.cols, s.width-col)
		for k := range d.lanes[:d.count] {
			l := &d.lanes[k]
			l.move(s.walk.loop.Start(k, plane*s.height+row)+col*l.colStep, rows*cols)
			if k >= s.outs || updates {
				l.load()
			}
		}
		if err := kernel(wide); err != nil {
			return err
		}
		for k := range d.lanes[:s.outs] {
			d.lanes[k].store()
		}
	}
	return nil
}

// spread gives each operand of the call a lane, and the wide call what the lanes show.
func (d *desk) spread(s *split, c, wide *backend.Call, space []byte) {
	block := mem.Wrap(space)
	d.count = 0
	at := 0
	add := func(from, to *backend.View) {
		*to = *from
		if from.IsConst() {
			return
		}
		d.lanes[d.count].init(s, d.count, from, to, block, at)
		at += s.slot(from)
		d.count++
	}
	for i := range c.Out() {
		add(&c.Out()[i], wide.AddOut())
	}
	for i := range c.In() {
		add(&c.In()[i], wide.AddIn())
	}
}

func (d *desk) clear() {
	for k := range d.lanes[:d.count] {
		d.lanes[k] = lane{}
	}
	desks.Put(d)
}
