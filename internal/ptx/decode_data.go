package ptx

import "strings"

// Families that move, convert and choose values.

func (b *body) mov(o *opcode, args []operand) instr {
	t := b.types(o, 1)[0]
	b.want(o.name, args, 2)
	switch {
	case t.kind == predicate:
		return instr{kind: kindExec, d: b.dest(args[0], t), a: b.predicateSource(args[1]),
			exec: predicate2(predicateOps["mov"], negated(args[1]), 0)}
	case args[0].kind == vectorOperand:
		return b.unpack(o, t, args)
	case args[1].kind == vectorOperand:
		return b.pack(o, t, args)
	}
	in := instr{kind: kind32, op32: move[uint32], d: b.dest(args[0], t), a: b.source(args[1], t)}
	if t.file() == file64 {
		in.kind, in.op64 = kind64, move[uint64]
	}
	return in
}

// part is the type of each of n parts of t.
func (b *body) part(o *opcode, t dataType, n int) dataType {
	p, ok := map[[2]int]string{{32, 2}: "b16", {64, 2}: "b32", {64, 4}: "b16"}[[2]int{t.bits, n}]
	if !ok {
		b.failHere("%s does not move %d parts", o.name, n)
	}
	return dataTypes[p]
}

// unpack is mov {a, b}, c.
func (b *body) unpack(o *opcode, t dataType, args []operand) instr {
	part := b.part(o, t, len(args[0].list))
	src := b.source(args[1], t)
	var to []int32
	for _, a := range args[0].list {
		to = append(to, b.dest(a, part))
	}
	return instr{kind: kindExec, exec: func(w *warp, in *instr, mask uint32) *Fault {
		if t.bits == 64 {
			w.wide = w.r64[src]
		} else {
			extendU32(&w.wide, &w.r32[src], nil)
		}
		for k, slot := range to {
			d := w.to32(slot, mask)
			for i := range d {
				d[i] = uint32(w.wide[i] >> (k * part.bits))
			}
			w.keep32(slot, mask)
		}
		return nil
	}}
}

// pack is mov c, {a, b}.
func (b *body) pack(o *opcode, t dataType, args []operand) instr {
	part := b.part(o, t, len(args[1].list))
	var from []int32
	for _, a := range args[1].list {
		from = append(from, b.source(a, part))
	}
	dst := b.dest(args[0], t)
	cut := uint64(1)<<part.bits - 1
	return instr{kind: kindExec, exec: func(w *warp, in *instr, mask uint32) *Fault {
		w.wide = lanes64{}
		for k, slot := range from {
			for i, v := range &w.r32[slot] {
				w.wide[i] |= uint64(v) & cut << (k * part.bits)
			}
		}
		if t.bits == 64 {
			*w.to64(dst, mask) = w.wide
			w.keep64(dst, mask)
			return nil
		}
		cut32(w.to32(dst, mask), &w.wide)
		w.keep32(dst, mask)
		return nil
	}}
}

// predicateSource returns the slot of a predicate that may be negated.
func (b *body) predicateSource(o operand) int32 {
	if o.kind == intOperand {
		return b.constantSlot(fileP, o.number&1)
	}
	o.not = false
	return b.register(o, fileP)
}

func negated(o operand) uint32 { return truth(o.not) }

func (b *body) predicates(o *opcode, args []operand) instr {
	base, _, _ := strings.Cut(o.name, ".")
	t := b.types(o, 1)[0]
	if t.kind != predicate {
		b.unknown(o)
	}
	in, notB := instr{kind: kindExec}, uint32(0)
	if base == "not" {
		b.want(o.name, args, 2)
	} else {
		b.want(o.name, args, 3)
		in.b, notB = b.predicateSource(args[2]), negated(args[2])
	}
	in.exec = predicate2(predicateOps[base], negated(args[1]), notB)
	in.d, in.a = b.dest(args[0], t), b.predicateSource(args[1])
	return in
}

// setp.cmp.type p, a, b.
func (b *body) setp(o *opcode, args []operand) instr {
	if len(o.parts) == 0 {
		b.unknown(o)
	}
	name := o.parts[0]
	o.parts = o.parts[1:]
	t := b.types(o, 1)[0]
	compare, ok := comparisonOf(name, t)
	if !ok {
		b.failHere("unknown instruction %s: no comparison %s of %s", o.name, name, t.name)
	}
	b.want(o.name, args, 3)
	return instr{kind: kindExec, exec: compare, d: b.dest(args[0], dataTypes["pred"]), a: b.source(args[1], t), b: b.source(args[2], t)}
}

func (b *body) selp(o *opcode, args []operand) instr {
	t := b.types(o, 1)[0]
	b.want(o.name, args, 4)
	if t.bits < 16 {
		b.unknown(o)
	}
	in := instr{kind: kindExec, d: b.dest(args[0], t), a: b.source(args[1], t), b: b.source(args[2], t), c: b.predicateSource(args[3])}
	if t.file() == file64 {
		in.exec = choosing64(negated(args[3]))
		return in
	}
	in.exec = choosing32(negated(args[3]))
	return in
}

// cvt[.rounding].to.from d, a.
func (b *body) cvt(o *opcode, args []operand) instr {
	if in, ok := b.packing(o, args); ok {
		return in
	}
	mode := o.take("rn", "rni", "rzi", "rmi", "rpi")
	types := b.types(o, 2)
	c := conversion{to: types[0], from: types[1], whole: roundings[mode]}
	for _, t := range types {
		if t.kind == untyped || t.kind == predicate {
			b.unknown(o)
		}
	}
	b.want(o.name, args, 2)
	fromFloat, toFloat, rounds := c.from.kind == float, c.to.kind == float, false
	switch {
	case toFloat && (!fromFloat || c.to.bits < c.from.bits):
		rounds = mode == "rn"
	case fromFloat && !toFloat:
		rounds = c.whole != nil
	case fromFloat && c.to.bits == c.from.bits:
		rounds = mode != "rn"
	default:
		rounds = mode == ""
	}
	if !rounds {
		b.failHere("%s does not take this rounding", o.name)
	}
	file := c.from
	if r, _, ok := b.find(args[1].name); ok && args[1].kind == nameOperand && r.file == file64 && !fromFloat {
		c.wide, file = true, dataTypes["b64"] // of a register that is wider than the type the low bits count
	}
	in := instr{kind: kindExec, d: b.dest(args[0], c.to), a: b.source(args[1], file)}
	if op, ok := quickConversions[o.name]; ok && !c.wide {
		in.kind, in.op32 = kind32, form{op32: op}.fastest(o.name).op32
		return in
	}
	in.exec = c.exec()
	return in
}
