package ptx

var spaces = map[string]space{
	"global": globalSpace, "const": constSpace, "shared": sharedSpace, "shared::cta": sharedSpace, "local": localSpace, "param": paramSpace,
}

// takeSpace takes a state space; none means generic addresses.
func (o *opcode) takeSpace() space {
	return spaces[o.take("global", "const", "shared", "shared::cta", "local", "param")]
}

// ordering takes what concerns caches and the order of accesses, which is always
// that of the program here.
func (o *opcode) ordering() {
	o.take("volatile", "relaxed", "acquire", "release", "weak", "acq_rel", "sc")
	o.take("cta", "gpu", "sys")
}

// accessing takes what loads and stores have in common.
func (b *body) accessing(o *opcode) (*access, dataType) {
	o.ordering()
	m := &access{space: o.takeSpace(), vector: 1}
	o.take("nc")
	o.take("ca", "cg", "cs", "lu", "cv", "wb", "wt")
	o.take("L1::no_allocate", "L1::evict_last", "L1::evict_first")
	switch o.take("v2", "v4") {
	case "v2":
		m.vector = 2
	case "v4":
		m.vector = 4
	}
	t := b.dataType(o)
	b.done(o)
	if t.kind == predicate || t.bits*m.vector > 128 {
		b.failHere("unknown instruction %s", o.name)
	}
	m.bytes, m.signed = t.bits/8, t.kind == signed
	m.site = b.k.sites
	b.k.sites++
	return m, t
}

// elements returns the registers that a load or store moves, whose file is that
// of the first: they may be wider than the type.
func (b *body) elements(o *opcode, arg operand, m *access, t dataType) []operand {
	list := []operand{arg}
	if arg.kind == vectorOperand {
		list = arg.list
	}
	if len(list) != m.vector {
		b.failHere("%s moves %d registers, have %d", o.name, m.vector, len(list))
	}
	m.wide = t.bits == 64
	for _, e := range list {
		if r, _, ok := b.find(e.name); ok && e.kind == nameOperand && r.file == file64 {
			m.wide = true
		}
	}
	return list
}

// inFile is the type that names the file of a memory instruction's registers.
func (m *access) inFile(t dataType) dataType {
	if m.wide {
		return dataTypes["b64"]
	}
	return t
}

func (b *body) load(o *opcode, args []operand) instr {
	m, t := b.accessing(o)
	b.want(o.name, args, 2)
	for i, e := range b.elements(o, args[0], m, t) {
		m.regs[i] = b.dest(e, m.inFile(t))
	}
	b.address(args[1], m)
	return instr{kind: kindExec, exec: memory, access: m}
}

func (b *body) store(o *opcode, args []operand) instr {
	m, t := b.accessing(o)
	b.want(o.name, args, 2)
	if m.space == constSpace || m.space == paramSpace {
		b.failHere("unknown instruction %s: this memory cannot be written", o.name)
	}
	m.write = true
	for i, e := range b.elements(o, args[1], m, t) {
		m.regs[i] = b.source(e, m.inFile(t))
	}
	b.address(args[0], m)
	return instr{kind: kindExec, exec: memory, access: m}
}

// address reads the operand that tells where an instruction accesses memory.
func (b *body) address(o operand, m *access) {
	if o.kind != addressOperand {
		b.failHere("want an address in brackets")
	}
	m.offset = uint64(o.offset)
	if o.name == "" {
		m.base = b.constantSlot(file64, 0)
		return
	}
	if r, _, ok := b.find(o.name); ok && r.file == file32 {
		if m.space == globalSpace || m.space == genericSpace {
			b.failHere("an address of %s memory takes 64 bits", m.space)
		}
		m.short = true
		m.base = b.source(operand{name: o.name}, dataTypes["b32"])
		return
	}
	m.base = b.source(operand{name: o.name}, dataTypes["b64"])
}

// cvta[.to].space.u64 d, a.
func (b *body) cvta(o *opcode, args []operand) instr {
	to := o.take("to") != ""
	s := o.takeSpace()
	t := b.dataType(o)
	b.done(o)
	b.want(o.name, args, 2)
	if t.name != "u64" || s == genericSpace || s == paramSpace {
		b.failHere("unknown instruction %s", o.name)
	}
	in := instr{kind: kind64, d: b.dest(args[0], t), a: b.source(args[1], t), op64: move[uint64]}
	window := map[space]uint64{sharedSpace: sharedWindow, localSpace: localWindow}[s]
	if window == 0 {
		return in
	}
	if to {
		window = -window
	}
	in.op64 = func(d, a, _, _ *lanes64) {
		for i := range d {
			d[i] = a[i] + window
		}
	}
	return in
}

// isspacep.space p, a.
func (b *body) isspacep(o *opcode, args []operand) instr {
	s := o.takeSpace()
	b.done(o)
	b.want(o.name, args, 2)
	if s != globalSpace && s != sharedSpace && s != localSpace {
		b.failHere("unknown instruction %s", o.name)
	}
	return instr{kind: kindExec, d: b.dest(args[0], dataTypes["pred"]), a: b.source(args[1], dataTypes["b64"]),
		exec: func(w *warp, in *instr, mask uint32) *Fault {
			var m uint32
			for i, addr := range &w.r64[in.a] {
				in, _ := spaceOf(addr)
				m |= bit(in == s) << i
			}
			w.keepP(in.d, m, mask)
			return nil
		}}
}

// atom[.sem][.scope][.space].op.type d, [a], b[, c]; red has no d.
func (b *body) atom(o *opcode, args []operand) instr {
	o.ordering()
	m := &access{space: o.takeSpace(), vector: 1, write: true}
	if len(o.parts) < 2 {
		b.failHere("unknown instruction %s", o.name)
	}
	name := o.parts[0]
	o.parts = o.parts[1:]
	t := b.dataType(o)
	b.done(o)
	op, ok := atomicOps[name+"."+t.name]
	if !ok || m.space != genericSpace && m.space != globalSpace && m.space != sharedSpace {
		b.failHere("unknown instruction %s", o.name)
	}
	m.bytes, m.wide = t.bits/8, t.bits == 64
	m.site = b.k.sites
	b.k.sites++
	m.atomic = &atomicOp{apply: op.apply, d: -1}
	if o.name[:3] != "red" {
		if len(args) == 0 {
			b.failHere("%s lacks operands", o.name)
		}
		m.atomic.d = b.dest(args[0], t)
		args = args[1:]
	}
	want := 2
	if name == "cas" {
		want = 3
	}
	b.want(o.name, args, want)
	b.address(args[0], m)
	m.atomic.b = b.source(args[1], t)
	m.atomic.c = m.atomic.b
	if want == 3 {
		m.atomic.c = b.source(args[2], t)
	}
	if m.space != sharedSpace {
		b.atomics = append(b.atomics, atomicUse{op: m.atomic, file: t.file(), commutes: op.commutes})
	}
	return instr{kind: kindExec, exec: memory, access: m}
}
