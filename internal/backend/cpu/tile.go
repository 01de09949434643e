package cpu

// stage is what a thread knows of the staged tile of an operand.
type stage struct {
	at         pointer // in the scratch, as the loop takes the elements
	raw        pointer // in the scratch, as the operand has them
	from       pointer // the address in the operand of the tile that the scratch holds; nil for none
	rows, cols int     // of that tile
}

// run computes the tiles [lo, hi) with the scratch memory of one thread.
func (p *plan) run(lo, hi int, scratch []byte) {
	var stages [maxOperands]stage
	for k := range p.axes.N {
		o := &p.operands[k]
		if o.staged || k == p.single && k > 0 {
			stages[k].at, stages[k].raw = within(scratch, o.scratch), within(scratch, o.raw)
		}
	}
	matrix, at := lo/(p.down*p.across), lo%(p.down*p.across)
	row, col := at/p.across*p.rows, at%p.across*p.cols
	start := p.corners(matrix)
	for i := lo; i < hi; i++ {
		if row == p.height {
			row, matrix = 0, matrix+1
			start = p.corners(matrix)
		}
		rows, cols := min(p.rows, p.height-row), min(p.cols, p.width-col)
		from := start
		for k := range p.axes.N {
			o := &p.operands[k]
			from[k] = ahead(start[k], (row*o.row+col*o.step)*o.size) // within the operand, as the tile is
		}
		if p.kernel.copies {
			to, o := &p.operands[0], &p.operands[1]
			copyMatrix(to.size, from[0], to.strides, from[1], o.strides, rows, cols)
		} else {
			p.compute(&stages, from, rows, cols)
		}
		if col += cols; col == p.width {
			col, row = 0, row+rows
		}
	}
}

// runJoined computes the tiles [lo, hi) of a plan whose tiles are joined and need no scratch memory. It goes from one to the next
// by additions, which saves add_row/300x300 a tenth.
func (p *plan) runJoined(lo, hi int) {
	e, params := p.kernel, p.params
	for matrix, tile := lo/p.down, lo%p.down; lo < hi; matrix, tile = matrix+1, 0 {
		at := p.corners(matrix)
		var step [maxOperands]int // from a tile to the next, in bytes
		for k := range p.axes.N {
			o := &p.operands[k]
			step[k] = p.rows * o.row * o.size
			at[k] = ahead(at[k], tile*step[k]) // within the operand, as the tile is
		}
		for last := tile + min(hi-lo, p.down-tile) - 1; ; tile++ {
			e.loop(at[0], at[1], at[2], at[3], at[4], min(p.rows, p.height-tile*p.rows)*p.width, params)
			lo++
			if tile == last {
				break
			}
			for k := range p.axes.N {
				at[k] = ahead(at[k], step[k]) // to the next tile, which is there
			}
		}
	}
}

// corners returns the addresses of the operands' elements at the corner of a matrix.
func (p *plan) corners(matrix int) (at pointers) {
	for k := range p.axes.N {
		o := &p.operands[k]
		switch {
		case o.tile != nil:
			at[k] = o.tile
		case o.uniform:
			at[k] = wordAt(&o.value)
		default:
			at[k] = ahead(o.base, p.axes.Start(k, matrix*p.height)*o.size) // in the buffer, as the layout is
		}
	}
	return at
}

// compute computes a tile whose corners are known.
func (p *plan) compute(stages *[maxOperands]stage, from pointers, rows, cols int) {
	at := from
	for k := range p.axes.N {
		switch o := &p.operands[k]; {
		case o.staged:
			at[k] = stages[k].at
			if k >= p.kernel.results || p.kernel.updates {
				p.load(o, &stages[k], from[k], rows, cols)
			}
		}
	}
	switch {
	case p.columns:
		p.callColumns(&at, rows)
	case p.joined || rows == 1:
		p.call(stages, &at, rows*cols)
	default:
		p.callRows(stages, at, rows, cols)
	}
	for k := range p.kernel.results {
		if o := &p.operands[k]; o.staged {
			o.store(&stages[k], from[k], rows, cols)
		}
	}
}

// callRows runs the loop on one row after the other.
func (p *plan) callRows(stages *[maxOperands]stage, at pointers, rows, cols int) {
	var step [maxOperands]int // from a row to the next, in bytes
	for k := range p.axes.N {
		if o := &p.operands[k]; o.staged {
			step[k] = cols * o.loopSize
		} else {
			step[k] = o.row * o.size
		}
	}
	for r := 1; ; r++ {
		p.call(stages, &at, cols)
		if r == rows {
			return
		}
		for k := range p.axes.N {
			at[k] = ahead(at[k], step[k]) // to the next row, which is there
		}
	}
}

// load gathers a tile of an operand into scratch memory, unless it is there already.
func (p *plan) load(o *operand, s *stage, from pointer, rows, cols int) {
	if from == s.from && rows == s.rows && cols == s.cols {
		return
	}
	packed := strides{cols, 1}
	switch {
	case o.toLoop == nil || o.uniform:
		copyMatrix(o.loopSize, s.at, packed, from, o.strides, rows, cols)
	case o.packed(rows, cols):
		o.toLoop(s.at, from, rows*cols)
	default:
		copyMatrix(o.size, s.raw, packed, from, o.strides, rows, cols)
		o.toLoop(s.at, s.raw, rows*cols)
	}
	s.from, s.rows, s.cols = from, rows, cols
	if p.kernel.updates {
		s.from = nil // the tile becomes the result
	}
}

// store scatters a tile from scratch memory to a result.
func (o *operand) store(s *stage, to pointer, rows, cols int) {
	packed := strides{cols, 1}
	switch {
	case o.toLoop == nil:
		copyMatrix(o.size, to, o.strides, s.at, packed, rows, cols)
	case o.packed(rows, cols):
		o.back(to, s.at, rows*cols)
	default:
		o.back(s.raw, s.at, rows*cols)
		copyMatrix(o.size, to, o.strides, s.raw, packed, rows, cols)
	}
}

// packed reports whether a tile of the operand is in row-major order.
func (o *operand) packed(rows, cols int) bool { return o.step == 1 && (rows == 1 || o.row == cols) }

// call runs the loop on n elements, or the one that takes one element of an operand for all.
func (p *plan) call(stages *[maxOperands]stage, at *pointers, n int) {
	if p.single == 0 {
		p.kernel.call(at, n, p.params)
		return
	}
	k := p.single
	done := p.kernel.single[k](at[0], at[3-k], at[k], n)
	if done == n {
		return
	}
	rest, o := min(n-done, restOf), &p.operands[k]
	copyMatrix(o.loopSize, stages[k].at, strides{0, 1}, at[k], strides{}, 1, rest)
	for ; done < n; done += rest {
		next := *at
		for j := range p.axes.N {
			if j != k {
				next[j] = ahead(at[j], done*p.operands[j].loopSize)
			}
		}
		next[k] = stages[k].at
		p.kernel.call(&next, min(rest, n-done), p.params)
	}
}
