package ptx

// asyncCopy is a cp.async instruction of a warp that lanes have not waited for yet.
type asyncCopy struct {
	mask  uint32
	size  int
	to    [32]uint32 // offsets in shared memory
	group lanes32    // the group of each lane that it belongs to
	data  [32][16]byte
}

// copyAsync decodes cp.async and what belongs to it.
func (b *body) copyAsync(o *opcode, args []operand) instr {
	if o.take("reduce") != "" {
		b.need(o, "async")
		return b.bulkReduce(o, args)
	}
	b.need(o, "async")
	b.k.async = true
	switch o.take("commit_group", "wait_group", "wait_all", "bulk", "mbarrier") {
	case "commit_group":
		in := b.bare(o, args, kindExec)
		in.exec = commitCopies
		return in
	case "wait_group":
		b.want(o.name, args, 1)
		if args[0].kind != intOperand {
			b.failHere("%s takes a number", o.name)
		}
		in := b.bare(o, nil, kindExec)
		in.exec = awaitCopies(uint32(args[0].number))
		return in
	case "wait_all":
		in := b.bare(o, args, kindExec)
		in.exec = awaitCopies(waitAll)
		return in
	case "bulk":
		return b.bulk(o, args)
	case "mbarrier":
		return b.copiesArrive(o, args)
	}
	return b.copyPieces(o, args)
}

// copyPieces is cp.async.{ca,cg}.shared.global [to], [from], size[, source size][, policy].
func (b *body) copyPieces(o *opcode, args []operand) instr {
	cg := b.need(o, "ca", "cg") == "cg"
	b.need(o, "shared", "shared::cta", "shared::cluster")
	b.need(o, "global")
	for o.takeAny(caching) {
	}
	b.types(o, 0)
	if len(args) < 3 || len(args) > 5 || args[2].kind != intOperand {
		b.failHere("%s takes two addresses and a size", o.name)
	}
	size := int(args[2].number)
	if size != 16 && (cg || size != 4 && size != 8) {
		b.failHere("%s does not copy %d bytes", o.name, size)
	}
	to := &access{space: sharedSpace, bytes: size, vector: 1, write: true}
	from := &access{space: globalSpace, bytes: size, vector: 1}
	b.site(to, dataType{bits: 8 * size})
	b.site(from, dataType{bits: 8 * size})
	to.wide, from.wide = false, false
	b.address(args[0], to)
	b.address(args[1], from)
	length := b.constantSlot(file32, uint64(size))
	if len(args) > 3 && !b.isWide(args[3]) {
		length = b.source(args[3], dataTypes["u32"])
	}
	return instr{kind: kindExec, exec: func(w *warp, in *instr, mask uint32) *Fault {
		return w.copyAsync(to, from, &w.r32[length], mask)
	}}
}

// isWide reports whether an operand is a register of 64 bits, which is a cache policy.
func (b *body) isWide(o operand) bool {
	r, _, ok := b.find(o.name)
	return o.kind == nameOperand && ok && r.file == file64
}

// copyAsync reads the sources and keeps them; they are written to shared memory when they are waited for.
func (w *warp) copyAsync(to, from *access, length *lanes32, mask uint32) *Fault {
	size := to.bytes
	w.addresses(from)
	source := w.addr
	read := uint32(0) // lanes that read anything
	for left := mask; left != 0; left &= left - 1 {
		if length[trailing(left)] > 0 {
			read |= left & -left
		}
	}
	if f := w.misaligned(from, read); f != nil {
		return f
	}
	w.countGlobal(from, read)
	c := w.newCopy(mask, size)
	for left := read; left != 0; left &= left - 1 {
		lane := trailing(left)
		n := min(int(length[lane]), size)
		r := w.b.regions[from.site]
		if !r.holds(source[lane], n) || r.Freed {
			part := *from
			part.bytes = n
			if f := w.another(&part, &r, 1<<lane); f != nil {
				return f
			}
		}
		copy(c.data[lane][:n], r.Data[source[lane]-r.Base:])
	}
	w.addresses(to)
	if f := w.misaligned(to, mask); f != nil {
		return f
	}
	w.countShared(to, mask)
	room := Region{Data: w.b.shared}
	for left := mask; left != 0; left &= left - 1 {
		lane := trailing(left)
		at := w.addr[lane]
		if !room.holds(at, size) {
			return w.badAccess(OutOfBounds, to, lane)
		}
		c.to[lane] = uint32(at)
		if f := w.startWrite(w.b, to, lane, at, size); f != nil {
			return f
		}
	}
	return nil
}

// newCopy adds a copy to those that the warp has not waited for.
func (w *warp) newCopy(mask uint32, size int) *asyncCopy {
	n := len(w.copies)
	if n < cap(w.copies) {
		w.copies = w.copies[:n+1]
	} else {
		w.copies = append(w.copies, asyncCopy{})
	}
	c := &w.copies[n]
	*c = asyncCopy{mask: mask, size: size, group: w.commits}
	return c
}

// startWrite marks shared memory that an asynchronous copy is going to write.
func (w *warp) startWrite(of *block, m *access, lane int, at uint64, size int) *Fault {
	t, a := w.b.gang.watch, w.agent()
	for word := at / 4; word < (at+uint64(size))/4; word++ {
		if problem, who := t.mayWrite(of.shadow, a, int(word)); problem != noProblem {
			return w.race(m, lane, problem, who)
		}
		of.shadow.wrote[word] = stamp{t.now, uint16(a), inFlight}
	}
	return nil
}

func commitCopies(w *warp, _ *instr, mask uint32) *Fault {
	for left := mask; left != 0; left &= left - 1 {
		w.commits[trailing(left)]++
	}
	return nil
}

const waitAll = ^uint32(0)

// awaitCopies lands the copies of all groups but the last n.
func awaitCopies(n uint32) exec {
	return func(w *warp, _ *instr, mask uint32) *Fault {
		w.land(mask, n)
		return nil
	}
}

// land writes what the lanes of mask have waited for to shared memory.
func (w *warp) land(mask, open uint32) {
	kept := 0
	for i := range w.copies {
		c := &w.copies[i]
		for left := c.mask & mask; left != 0; left &= left - 1 {
			lane := trailing(left)
			if open != waitAll && c.group[lane]+open >= w.commits[lane] {
				continue
			}
			c.mask &^= 1 << lane
			at := c.to[lane]
			copy(w.b.shared[at:][:c.size], c.data[lane][:])
			for word := at / 4; word < (at+uint32(c.size))/4; word++ {
				w.b.shadow.wrote[word] = stamp{w.b.gang.watch.now, uint16(w.agent()), byThread}
			}
		}
		if c.mask != 0 {
			if kept != i {
				w.copies[kept] = *c
			}
			kept++
		}
	}
	w.copies = w.copies[:kept]
}
