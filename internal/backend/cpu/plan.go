package cpu

import (
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/kern/vec"
	"cresset/internal/layout"
	"cresset/internal/mem"
	"cresset/internal/par"
	"sync"
)

// A plan reduces the operands of an elementwise kernel to tiles: blocks of rows and columns of the two innermost axes, after
// axes that are adjacent in all operands were merged. An operand whose elements are contiguous along a row, and have the dtype
// of the loop, is read and written in place. All others are staged: a tile of them is gathered, repeated, transposed or converted
// in scratch memory that stays in the L1 cache, or scattered from there. A tile whose rows adjoin in all operands is one call of
// the loop, others are one for each row.
//
// Where tiles are cut depends on the operands alone and not on the number of threads.
type plan struct {
	kernel   *elementwise
	params   any
	axes     layout.Loop
	size     int // elements of a result
	operands [maxOperands]operand
	single   int // the operand whose one element the loop takes for a row or for all; 0 for none

	joined  bool // the rows of a tile adjoin in all operands
	columns bool // and a columnLoop takes them

	height, width int // of a matrix: the extents of the two innermost axes
	rows, cols    int // of a tile, but for those at the edges
	down, across  int // tiles of a matrix
	scratch       int // bytes that a thread needs
	shared        int // bytes of staged tiles that serve all threads
}

// operand is a result or an operand of a plan. Strides are in elements.
type operand struct {
	base         pointer       // of the buffer, or the value
	size         int           // bytes of an element
	loopSize     int           // of an element as the loop takes it
	toLoop, back kern.CastFunc // nil where the dtype is the loop's
	strides                    // of a row and in a row
	uniform      bool          // value stands for all elements
	value        uint64        // the element, as the loop takes it
	staged       bool
	constant     bool    // staged once: all tiles are alike
	tile         pointer // that one
	scratch, raw int     // offsets in the scratch of the tile as the loop takes it, and as the operand has it
}

const (
	tile        = 2048 // elements of a tile with staged operands
	tileRows    = 32   // of a tile with an operand that is transposed: reading whole cache lines saves add_transposed/1000x1000 a quarter
	tileCols    = 256
	leastSingle = 32 // elements of a row that are worth a loop with one element of an operand, which saves sub_column/4096x128 a fifth
	restOf      = 64 // elements that a singleLoop leaves are computed at a time
)

// plans holds plans to be used again: they are large next to the work of a small op.
var plans = sync.Pool{New: func() any { return new(plan) }}

func (e *elementwise) applyPlan(out, in []backend.View, params any) error {
	o := &operands{out, in}
	if n := out[0].Layout.Size(); n <= smallOp && e.applySmall(o, n, params) {
		return nil
	}
	p := plans.Get().(*plan)
	defer p.release()
	p.init(e, o, params)
	count := p.axes.Runs() / p.height * p.down * p.across
	share := ceilDiv(pieceOf(p.size), p.rows*p.cols)
	if p.shared > 0 {
		block, err := mem.Alloc(p.shared)
		if err != nil {
			return err
		}
		defer block.Free()
		p.stageConstants(block.Bytes())
	}
	switch {
	case p.scratch > 0:
		return kern.ForWithWorkspace(count, share, p.scratch, p.run)
	case p.joined:
		par.For(count, share, p.runJoined)
	default:
		par.For(count, share, func(lo, hi int) { p.run(lo, hi, nil) })
	}
	return nil
}

// stageConstants stages the operands of which all tiles are alike.
func (p *plan) stageConstants(room []byte) {
	for k := range p.axes.N {
		if o := &p.operands[k]; o.constant {
			s := stage{at: within(room, o.scratch), raw: within(room, o.raw)}
			p.load(o, &s, p.corners(0)[k], p.rows, p.cols)
			o.tile, o.strides, o.staged = s.at, strides{}, false // from now on each tile of the operand is this one
		}
	}
}

// release forgets the operands and gives the plan back.
func (p *plan) release() {
	for k := range p.axes.N {
		p.operands[k].base, p.operands[k].tile = nil, nil
	}
	p.kernel, p.params = nil, nil
	plans.Put(p)
}

func (p *plan) init(e *elementwise, o *operands, params any) {
	p.kernel, p.params, p.size = e, params, o.out[0].Layout.Size()
	var layouts [maxOperands]*layout.Layout
	for k := range e.dtypes {
		if v := o.at(k); !v.IsConst() {
			layouts[k] = v.Layout
		}
	}
	p.axes.Init(layouts[:len(e.dtypes)]...)
	p.width, p.height = p.axes.Inner(), 1
	if p.axes.Rank > 1 {
		p.height = p.axes.Extents[p.axes.Rank-2]
	}
	for k := range e.dtypes {
		p.initOperand(k, o.at(k))
	}
	p.single = p.findSingle()
	p.cut()
	p.layOut()
}

func (p *plan) initOperand(k int, v *backend.View) {
	o, dt := &p.operands[k], p.kernel.dtypes[k]
	*o = operand{size: dt.Size(), loopSize: dt.Size()}
	if v.IsConst() {
		o.uniform = true
		putConstant(wordAt(&o.value), dt, v.Const)
		return
	}
	if v.DType != dt {
		o.size = v.DType.Size()
		o.toLoop, o.back = kern.Cast(dt, v.DType), kern.Cast(v.DType, dt)
	}
	o.base, o.step = bufferOf(v), p.axes.InnerStep(k)
	if p.height > 1 {
		o.row = p.axes.Steps[k][p.axes.Rank-2]
	}
	if k >= p.kernel.results && v.Layout.IsUniform() {
		o.setValue(address(v))
	}
}

// setValue makes the element at an address stand for all, whatever is written there later.
func (o *operand) setValue(at pointer) {
	o.uniform, o.strides = true, strides{}
	if value := wordAt(&o.value); o.toLoop != nil {
		o.toLoop(value, at, 1)
	} else {
		copyMatrix(o.size, value, strides{}, at, strides{}, 1, 1)
	}
}

// findSingle returns the operand of two that has one element for all or for each row, where the other has not and the kernel
// has a loop for that.
func (p *plan) findSingle() int {
	for k := 1; k <= 2; k++ {
		o := &p.operands[k]
		if p.kernel.single[k] == nil || o.step != 0 || p.operands[3-k].step == 0 {
			continue
		}
		if o.uniform || o.toLoop == nil && p.width >= leastSingle {
			return k
		}
	}
	return 0
}

// cut chooses the tiles, and which operands are staged.
func (p *plan) cut() {
	staged, repeats, joins, transposes, columns := false, false, true, false, false
	p.joined, p.columns = false, false
	for k := range p.axes.N {
		o := &p.operands[k]
		transposes = transposes || o.step > 1 && o.row == 1 && min(p.height, p.width) >= leastTransposed
		switch {
		case p.kernel.copies:
		case k == p.single && k > 0:
			columns = !o.uniform && p.kernel.columns[k] != nil
			joins = joins && (o.uniform || columns)
		case o.step != 1 || o.toLoop != nil || o.uniform:
			o.staged, staged = true, true
		case o.row == 0 && k >= p.kernel.results && p.height > 1:
			repeats = true
		case o.row != p.width && p.height > 1:
			joins = false
		}
	}
	span := pieceOf(p.size)
	switch {
	case transposes && p.kernel.copies: // saves transpose/4000x2500 a third on two threads
		p.setTile(kern.TransposePanel, p.width)
		return
	case transposes:
		p.setTile(tileRows, tileCols)
		return
	case staged:
		span = tile
	case repeats && joins && p.size >= huge:
		span = vec.StreamAbove + tile // a call that long writes by non-temporal stores, which halves add_row/4000x2500
	case repeats && joins:
		span = tile
	case p.kernel.copies && p.operands[1].uniform: // full/1e5 takes a tenth less time so
		span = min(p.size, grain)
	case columns: // sub_column/4096x128 takes a tenth less time so
		span = min(p.size, grain)
	}
	p.setTile(span/p.width, min(p.width, span))
	repeats = repeats && joins && p.rows > 1
	if repeats {
		p.stageRows(span)
	}
	p.joined = p.cols == p.width && joins && !p.kernel.copies
	p.columns = columns && p.joined
}

func (p *plan) setTile(rows, cols int) {
	p.rows, p.cols = max(1, min(rows, p.height)), min(cols, p.width)
}

// stageRows stages operands that have one row for all rows, as a bias: several copies of it side by side let the loop take as
// many rows of the others in one call. add_row/300x300 and add_row/4000x2500 take a quarter less time so.
func (p *plan) stageRows(span int) {
	p.rows = min(copiesOf(p.cols, span), p.height)
	for k := p.kernel.results; k < p.axes.N; k++ {
		if o := &p.operands[k]; o.row == 0 && o.step == 1 {
			o.staged = true
		}
	}
}

// copiesOf returns how many copies of a row are adjacent: about span elements, and where that is not far more so many
// that the next row starts where a cache line does.
func copiesOf(cols, span int) int {
	const line = 16 // float32
	n := max(1, span/cols)
	unit := line / min(cols&-cols, line)
	if whole := (n + unit - 1) / unit * unit; whole*cols <= 2*span {
		return whole
	}
	return n
}

// layOut counts the tiles and places those that are staged in the scratch memory of a thread, each on its own cache lines.
func (p *plan) layOut() {
	p.down, p.across = ceilDiv(p.height, p.rows), ceilDiv(p.width, p.cols)
	p.scratch, p.shared = 0, 0
	for k := range p.axes.N {
		o, n, area := &p.operands[k], p.rows*p.cols, &p.scratch
		if o.staged && p.isConstant(k) { // add_row/300x300 and add_row/4000x2500 take a sixth less time so
			o.constant, area = true, &p.shared
		}
		switch {
		case k == p.single && k > 0:
			o.scratch = reserve(area, min(n, restOf)*o.loopSize)
		case o.staged:
			o.scratch = reserve(area, n*o.loopSize)
			if o.toLoop != nil && !o.uniform {
				o.raw = reserve(area, n*o.size)
			}
		}
	}
}

// isConstant reports whether all tiles of an operand are alike: it is one element, or one whole row.
func (p *plan) isConstant(k int) bool {
	for axis := range p.axes.Rank - 1 {
		if p.axes.Steps[k][axis] != 0 {
			return false
		}
	}
	return p.operands[k].uniform || k >= p.kernel.results && p.cols == p.width
}

// reserve takes bytes of an area, from a cache line on, and returns their offset.
func reserve(area *int, bytes int) (at int) {
	at = *area
	*area += ceilDiv(bytes, mem.Alignment) * mem.Alignment
	return at
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
