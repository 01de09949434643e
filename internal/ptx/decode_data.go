package ptx

import "strings"

// Families that move, convert and choose values.

func (b *body) mov(o *opcode, args []operand) instr {
	t := b.dataType(o)
	b.done(o)
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
	in := instr{d: b.dest(args[0], t), a: b.source(args[1], t)}
	if t.file() == file64 {
		in.kind, in.op64 = kind64, move[uint64]
		return in
	}
	in.kind, in.op32 = kind32, move[uint32]
	return in
}

// part is the type of each of n parts of t.
func (b *body) part(o *opcode, t dataType, n int) dataType {
	p, ok := map[[2]int]string{{32, 2}: "b16", {64, 2}: "b32", {64, 4}: "b16", {32, 4}: "b8"}[[2]int{t.bits, n}]
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
		w.wide = lanes64{}
		if t.bits == 64 {
			w.wide = w.r64[src]
		} else {
			extendU32(&w.wide, &w.r32[src], nil, nil)
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
	t := b.dataType(o)
	b.done(o)
	base, _, _ := strings.Cut(o.name, ".")
	op, ok := predicateOps[base]
	if t.kind != predicate || !ok {
		b.failHere("unknown instruction %s", o.name)
	}
	in := instr{kind: kindExec}
	if base == "not" {
		b.want(o.name, args, 2)
		in.exec = predicate2(op, negated(args[1]), 0)
	} else {
		b.want(o.name, args, 3)
		in.exec = predicate2(op, negated(args[1]), negated(args[2]))
		in.b = b.predicateSource(args[2])
	}
	in.d, in.a = b.dest(args[0], t), b.predicateSource(args[1])
	return in
}

// setp.cmp[.bool].type p[|q], a, b[, c].
func (b *body) setp(o *opcode, args []operand) instr {
	compare, combine, t := b.comparing(o)
	b.done(o)
	want := 3
	if combine != nil {
		want = 4
	}
	b.want(o.name, args, want)
	first, second := args[0], operand{name: "_"}
	if first.kind == pairOperand {
		first, second = first.list[0], first.list[1]
	}
	p := dataTypes["pred"]
	d, q := b.dest(first, p), int32(-1)
	if second.name != "_" {
		q = b.dest(second, p)
	}
	in := instr{kind: kindExec, d: d, a: b.source(args[1], t), b: b.source(args[2], t)}
	if combine == nil && q < 0 {
		in.exec = func(w *warp, in *instr, mask uint32) *Fault {
			w.keepP(in.d, compare(w, in.a, in.b), mask)
			return nil
		}
		return in
	}
	var flip uint32
	if combine == nil {
		combine, in.c = predicateOps["mov"], d
	} else {
		in.c, flip = b.predicateSource(args[3]), negated(args[3])
	}
	in.exec = func(w *warp, in *instr, mask uint32) *Fault {
		v, c := compare(w, in.a, in.b), w.preds[in.c]^flip
		w.keepP(in.d, combine(v, c), mask)
		if q >= 0 {
			w.keepP(q, combine(^v, c), mask)
		}
		return nil
	}
	return in
}

// comparing takes a comparison, how its result is combined, and its type.
func (b *body) comparing(o *opcode) (compare func(w *warp, x, y int32) uint32, combine func(x, y uint32) uint32, t dataType) {
	if len(o.parts) < 2 {
		b.failHere("%s lacks a comparison or a type", o.name)
	}
	name := o.parts[0]
	o.parts = o.parts[1:]
	if s := o.take("and", "or", "xor"); s != "" {
		combine = predicateOps[s]
	}
	if o.take("ftz") != "" {
		b.failHere("unknown instruction %s: comparisons with .ftz are not supported", o.name)
	}
	t = b.dataType(o)
	compare, ok := comparisonOf(name, t)
	if !ok {
		b.failHere("unknown instruction %s: no comparison %s of %s", o.name, name, t.name)
	}
	return compare, combine, t
}

// set.cmp.dtype.stype d, a, b: all ones or 1.0 where the comparison holds.
func (b *body) set(o *opcode, args []operand) instr {
	if len(o.parts) != 3 {
		b.failHere("unknown instruction %s", o.name)
	}
	to, ok := dataTypes[o.parts[1]]
	if !ok || to.bits != 32 || to.kind == untyped {
		b.failHere("unknown instruction %s: its result is u32, s32 or f32", o.name)
	}
	o.parts = []string{o.parts[0], o.parts[2]}
	compare, _, t := b.comparing(o)
	b.done(o)
	b.want(o.name, args, 3)
	yes := allLanes
	if to.kind == float {
		yes = u32(1)
	}
	return instr{kind: kindExec, d: b.dest(args[0], to), a: b.source(args[1], t), b: b.source(args[2], t),
		exec: func(w *warp, in *instr, mask uint32) *Fault {
			m := compare(w, in.a, in.b)
			d := w.to32(in.d, mask)
			for i := range d {
				d[i] = -(m >> i & 1) & yes
			}
			w.keep32(in.d, mask)
			return nil
		}}
}

func (b *body) selp(o *opcode, args []operand) instr {
	t := b.dataType(o)
	b.done(o)
	b.want(o.name, args, 4)
	if t.bits < 16 || t.kind == predicate {
		b.failHere("unknown instruction %s", o.name)
	}
	in := instr{kind: kindExec, d: b.dest(args[0], t), a: b.source(args[1], t), b: b.source(args[2], t), c: b.predicateSource(args[3])}
	if t.file() == file64 {
		in.exec = choose64(negated(args[3]))
		return in
	}
	in.exec = choose32(negated(args[3]))
	return in
}

// slct.type.s32|f32 d, a, b, c: a where c >= 0.
func (b *body) slct(o *opcode, args []operand) instr {
	t := b.dataType(o)
	by := b.dataType(o)
	b.done(o)
	b.want(o.name, args, 4)
	if t.bits < 16 || by.bits != 32 || by.kind != signed && by.kind != float {
		b.failHere("unknown instruction %s", o.name)
	}
	at := b.source(args[3], by)
	in := instr{kind: kindExec, d: b.dest(args[0], t), a: b.source(args[1], t), b: b.source(args[2], t)}
	in.exec = func(w *warp, in *instr, mask uint32) *Fault {
		var p uint32
		for i, c := range &w.r32[at] {
			p |= bit(by.kind == signed && int32(c) >= 0 || by.kind == float && f32(c) >= 0) << i
		}
		if t.file() == file64 {
			choose(w.to64(in.d, mask), &w.r64[in.a], &w.r64[in.b], p)
			w.keep64(in.d, mask)
			return nil
		}
		choose(w.to32(in.d, mask), &w.r32[in.a], &w.r32[in.b], p)
		w.keep32(in.d, mask)
		return nil
	}
	return in
}

func (b *body) bfi(o *opcode, args []operand) instr {
	t := b.dataType(o)
	b.done(o)
	b.want(o.name, args, 5)
	u := dataTypes["u32"]
	in := instr{kind: kindExec, d: b.dest(args[0], t), a: b.source(args[1], t), b: b.source(args[2], t)}
	pos, length := b.source(args[3], u), b.source(args[4], u)
	switch t.name {
	case "b32":
		in.exec = insert(pos, length)
	case "b64":
		in.exec = insert64(pos, length)
	default:
		b.failHere("unknown instruction %s", o.name)
	}
	return in
}

// bfind.shiftamt gives the distance that would bring the bit to the top.
func (b *body) bfind(o *opcode, args []operand) instr {
	shift := o.take("shiftamt") != ""
	t := b.dataType(o)
	b.done(o)
	f, ok := integerForms["bfind."+t.name]
	if !shift || !ok {
		b.failHere("unknown instruction %s", o.name)
	}
	find := f.op32
	f.op32 = func(d, a, y, z *lanes32) {
		find(d, a, y, z)
		for i := range d {
			if d[i] != allLanes {
				d[i] = 31 - d[i]
			}
		}
	}
	return b.computed(o.name, f, t, args)
}

func (b *body) lop3(o *opcode, args []operand) instr {
	t := b.dataType(o)
	b.done(o)
	if t.name != "b32" || len(args) != 5 || args[4].kind != intOperand || args[4].number > 255 {
		b.failHere("lop3.b32 takes a register, three sources and a table of 8 bits")
	}
	return b.computed(o.name, form{3, logic(uint32(args[4].number)), nil}, t, args[:4])
}

func (b *body) cvt(o *opcode, args []operand) instr {
	name := o.name
	c := conversion{}
	mode := o.take("rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi")
	if mode == "rz" || mode == "rm" || mode == "rp" {
		b.failHere("unknown instruction %s: %q is not supported", name, mode)
	}
	c.round, c.whole = roundings[mode]
	c.ftz = o.take("ftz") != ""
	c.saturate = o.take("sat") != ""
	c.to, c.from = b.dataType(o), b.dataType(o)
	b.done(o)
	b.want(name, args, 2)
	b.checkConversion(name, mode, c)
	from := c.from.file()
	if r, _, ok := b.find(args[1].name); ok && args[1].kind == nameOperand && c.from.kind != float && c.from.kind != brain {
		from = max(from, r.file) // integers may stand in wider registers
	}
	read := readOf(c.from, from)
	if read == nil {
		b.failHere("unknown instruction %s for these registers", name)
	}
	source := c.from
	if from == file64 {
		source = dataTypes["b64"]
	}
	dest := c.to
	if r, _, ok := b.find(args[0].name); ok && args[0].kind == nameOperand && r.file == file64 && c.to.kind != float && c.to.kind != brain {
		dest = dataTypes["b64"]
	}
	in := instr{d: b.dest(args[0], dest), a: b.source(args[1], source)}
	if op, ok := quickConversions[name]; ok && from == file32 && dest.file() == file32 {
		in.kind, in.op32 = kind32, op
		return in
	}
	in.kind, in.exec = kindExec, c.exec(read, dest.file())
	return in
}

// checkConversion refuses modifiers that PTX does not give this conversion.
func (b *body) checkConversion(name, mode string, c conversion) {
	if c.to.kind == untyped || c.from.kind == untyped || c.to.kind == predicate || c.from.kind == predicate ||
		c.to.kind == packed || c.from.kind == packed {
		b.failHere("unknown instruction %s", name)
	}
	fromFloat, toFloat := c.from.kind == float || c.from.kind == brain, c.to.kind == float || c.to.kind == brain
	short := mode != "" && !c.whole
	switch {
	case fromFloat && toFloat && c.to.bits >= c.from.bits && c.to.name != c.from.name && mode != "" && c.to.bits > c.from.bits,
		fromFloat && toFloat && c.to.bits < c.from.bits && !short,
		fromFloat && toFloat && c.to.bits == c.from.bits && short,
		fromFloat && !toFloat && !c.whole,
		!fromFloat && toFloat && !short,
		!fromFloat && !toFloat && mode != "":
		b.failHere("%s does not take this rounding", name)
	}
}
