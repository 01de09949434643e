package ptx

// ldmatrix moves 8x8 matrices of halves between rows of 16 bytes in shared memory and fragments: lane l holds elements 2(l%4) and
// 2(l%4)+1 of row l/4. Lanes 8j to 8j+7 give the addresses of the rows of matrix j.
//
//	ldmatrix.sync.aligned.m8n8.x4[.trans].shared.b16 {d...}, [a];
//	stmatrix.sync.aligned.m8n8.x4[.trans].shared.b16 [a], {s...};
func (b *body) ldmatrix(o *opcode, args []operand) instr {
	b.need(o, "sync")
	b.need(o, "aligned")
	b.need(o, "m8n8")
	n := map[string]int{"x1": 1, "x2": 2, "x4": 4}[b.need(o, "x1", "x2", "x4")]
	trans := o.take("trans") != ""
	b.need(o, "shared", "shared::cta")
	if t := b.types(o, 1)[0]; t.name != "b16" {
		b.unknown(o)
	}
	b.want(o.name, args, 2)
	store := o.name[0] == 's'
	if store {
		args = []operand{args[1], args[0]}
	}
	m := &access{space: sharedSpace, bytes: 16, vector: 1, write: store}
	slots := b.fragment(o, args[0], n, dataTypes["b32"], !store)
	b.address(args[1], m)
	rows := uint32(uint64(1)<<(8*n) - 1)
	return together(instr{}, func(w *warp, _ *instr, mask uint32) *Fault { return w.moveMatrices(m, slots, rows, trans) })
}

// fragment returns the slots of a list of n registers.
func (b *body) fragment(o *opcode, arg operand, n int, t dataType, written bool) []int32 {
	list := []operand{arg}
	if arg.kind == vectorOperand {
		list = arg.list
	}
	if len(list) != n {
		b.failHere("%s takes %d registers, have %d", o.name, n, len(list))
	}
	slots := make([]int32, n)
	for i, e := range list {
		if written {
			slots[i] = b.dest(e, t)
		} else {
			slots[i] = b.source(e, t)
		}
	}
	return slots
}

// moveMatrices loads or stores matrices, whose rows the lanes of rows give.
func (w *warp) moveMatrices(m *access, slots []int32, rows uint32, trans bool) *Fault {
	low := w.addresses(m)
	if low&15 != 0 {
		if f := w.misaligned(m, rows); f != nil {
			return f
		}
	}
	room := Region{Data: w.b.shared}
	for left := rows; left != 0; left &= left - 1 {
		if lane := trailing(left); !room.holds(w.addr[lane], 16) {
			return w.badAccess(OutOfBounds, m, lane)
		}
	}
	w.countShared(m, rows)
	if w.b.shadow != nil {
		if f := w.watchShared(m, rows); f != nil {
			return f
		}
	}
	for j, slot := range slots {
		d := &w.r32[slot]
		var matrix [8][]byte
		for r := range matrix {
			matrix[r] = w.b.shared[w.addr[8*j+r]:][:16]
		}
		for l := range d {
			g, c := l/4, l%4
			switch {
			case m.write && trans:
				order.PutUint16(matrix[2*c][2*g:], uint16(d[l]))
				order.PutUint16(matrix[2*c+1][2*g:], uint16(d[l]>>16))
			case m.write:
				order.PutUint32(matrix[g][4*c:], d[l])
			case trans:
				d[l] = uint32(order.Uint16(matrix[2*c][2*g:])) | uint32(order.Uint16(matrix[2*c+1][2*g:]))<<16
			default:
				d[l] = order.Uint32(matrix[g][4*c:])
			}
		}
	}
	return nil
}

// movmatrix.sync.aligned.m8n8.trans.b16 d, a: transposes a fragment.
func (b *body) movmatrix(o *opcode, args []operand) instr {
	for _, part := range []string{"sync", "aligned", "m8n8", "trans"} {
		b.need(o, part)
	}
	if t := b.types(o, 1)[0]; t.name != "b16" {
		b.unknown(o)
	}
	b.want(o.name, args, 2)
	t := dataTypes["b32"]
	return together(instr{d: b.dest(args[0], t), a: b.source(args[1], t)}, func(w *warp, in *instr, mask uint32) *Fault {
		a, d := w.r32[in.a], &w.r32[in.d]
		for l := range d {
			g, c := l/4, l%4
			low, high := a[8*c+g/2], a[8*c+4+g/2] // rows 2c and 2c+1, column g
			d[l] = low>>(16*(g&1))&0xffff | high>>(16*(g&1))<<16
		}
		return nil
	})
}
