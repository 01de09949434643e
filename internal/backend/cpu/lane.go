package cpu

import (
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/mem"
)

// lane shows a kernel one operand of a split, piece after piece: in place where its elements lie side by side and have the
// kernel's dtype, else in scratch.
type lane struct {
	kind    laneKind
	from    *backend.View
	wide    *backend.View // what the kernel sees: n elements on one axis, apart by step
	shown   layout.Layout
	n, step [1]int
	scratch int // where in the scratch's buffer, in elements

	at      int // where the piece starts in the operand
	colStep int
	stale   bool // the piece before started elsewhere
	rows    int  // of a piece that is full
	cols    int

	widen, narrow kern.CastFunc
}

type laneKind uint8

const (
	inPlaced  laneKind = iota // the kernel reads and writes the operand itself
	adjacent                  // elements lie side by side
	single                    // one element stands for all of a piece
	repeating                 // one row stands for all of a piece
)

// init makes l the lane of operand k, whose scratch starts at a byte of a block.
func (l *lane) init(s *split, k int, from, wide *backend.View, block *mem.Block, at int) {
	l.from, l.wide, l.rows, l.cols, l.at = from, wide, s.rows, s.cols, -1
	l.colStep, l.step[0] = s.walk.loop.InnerStep(k), 1
	wide.Buf, wide.DType, wide.Layout = block, wideType(from), &l.shown
	l.scratch = at / wide.DType.Size()
	l.widen, l.narrow = kern.Cast(wide.DType, from.DType), kern.Cast(from.DType, wide.DType)
	switch {
	case l.colStep == 0:
		l.kind, l.step[0] = single, 0
	case s.rows > 1 && s.walk.isRow(k):
		l.kind = repeating
	case wide.DType == from.DType:
		l.kind, wide.Buf = inPlaced, from.Buf
	default:
		l.kind = adjacent
	}
}

// move goes to the piece of n elements that starts at an offset of the operand.
func (l *lane) move(at, n int) {
	if n != l.n[0] {
		l.n[0] = n
		l.shown = layout.Of(l.n[:], l.step[:], l.scratch)
	}
	l.stale, l.at = at != l.at, at
	if l.kind == inPlaced {
		l.shown.Offset = at
	}
}

// load brings the operand's elements to the scratch, where they are not there yet.
func (l *lane) load() {
	switch {
	case l.kind == adjacent:
		castRun(l.widen, l.wide, l.scratch, l.from, l.at, l.n[0])
	case l.kind == single && l.stale:
		castRun(l.widen, l.wide, l.scratch, l.from, l.at, 1)
	case l.kind == repeating && l.stale:
		castRun(l.widen, l.wide, l.scratch, l.from, l.at, l.cols)
		size := l.wide.DType.Size()
		row := l.cols * size
		to := l.wide.Buf.(*mem.Block).Bytes()[l.scratch*size:][:l.rows*row]
		for n := row; n < len(to); {
			n += copy(to[n:], to[:n])
		}
	}
}

// store brings what the kernel left in the scratch to the operand.
func (l *lane) store() {
	if l.kind == adjacent {
		castRun(l.narrow, l.from, l.at, l.wide, l.scratch, l.n[0])
	}
}
