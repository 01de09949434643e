package ptx

// Families that branch, wait, exchange values between lanes and touch memory.

func (b *body) bra(o *opcode, args []operand) instr {
	o.take("uni")
	b.done(o)
	b.want(o.name, args, 1)
	b.jumps = append(b.jumps, jump{line: b.at, pc: len(b.k.code), label: args[0].name})
	return instr{kind: kindBranch}
}

func (b *body) brx(o *opcode, args []operand) instr {
	if o.take("idx") == "" {
		b.failHere("unknown instruction %s", o.name)
	}
	o.take("uni")
	b.done(o)
	b.want(o.name, args, 2)
	b.jumps = append(b.jumps, jump{line: b.at, pc: len(b.k.code), label: args[1].name, table: true})
	return instr{kind: kindTable, a: b.source(args[0], dataTypes["u32"])}
}

func (b *body) exit(o *opcode, args []operand) instr {
	o.take("uni")
	b.done(o)
	b.want(o.name, args, 0)
	return instr{kind: kindExit}
}

func (b *body) trap(o *opcode, args []operand) instr {
	b.done(o)
	b.want(o.name, args, 0)
	return instr{kind: kindTrap}
}

// fence passes instructions that order memory or hint: the interpreter's memory
// is in order.
func (b *body) fence(o *opcode, args []operand) instr {
	switch o.name {
	case "membar.gl", "membar.cta", "membar.sys",
		"fence.sc.cta", "fence.sc.gpu", "fence.sc.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys":
		b.want(o.name, args, 0)
	case "nanosleep.u32", "prefetch.global.L1", "prefetch.global.L2":
		b.want(o.name, args, 1)
	default:
		b.failHere("unknown instruction %s", o.name)
	}
	return instr{kind: kindExec, exec: nothing}
}

// bar.sync a[, b], bar.red.op d, a[, b], p; barrier is the same.
func (b *body) bar(o *opcode, args []operand) instr {
	o.take("cta")
	if o.take("warp") != "" {
		return b.barWarp(o, args)
	}
	if o.take("sync") != "" {
		o.take("aligned")
		b.done(o)
		if len(args) != 1 && len(args) != 2 {
			b.failHere("%s takes a number and perhaps a count of threads", o.name)
		}
		return instr{kind: kindBarrier, sync: b.barrierOf(args)}
	}
	if o.take("red") == "" {
		b.failHere("unknown instruction %s", o.name)
	}
	op := o.take("popc", "and", "or")
	o.take("aligned")
	t := b.dataType(o)
	b.done(o)
	if op == "" || (op == "popc") != (t.name == "u32") || t.kind != predicate && t.name != "u32" {
		b.failHere("unknown instruction %s", o.name)
	}
	if len(args) != 3 && len(args) != 4 {
		b.failHere("%s takes a register, a number, perhaps a count of threads, and a predicate", o.name)
	}
	last := args[len(args)-1]
	s := b.barrierOf(args[1 : len(args)-1])
	s.form = map[string]barrierForm{"or": anyBarrier, "and": everyBarrier, "popc": countBarrier}[op]
	s.pred, s.not = b.predicateSource(last), negated(last)
	return instr{kind: kindBarrier, sync: s, d: b.dest(args[0], t)}
}

func (b *body) barrierOf(args []operand) *collective {
	u := dataTypes["u32"]
	s := &collective{id: b.source(args[0], u), threads: -1}
	if len(args) > 1 {
		s.threads = b.source(args[1], u)
	}
	return s
}

func (b *body) barWarp(o *opcode, args []operand) instr {
	if o.take("sync") == "" {
		b.failHere("unknown instruction %s", o.name)
	}
	b.done(o)
	b.want(o.name, args, 1)
	return instr{kind: kindSync, exec: nothing, sync: &collective{member: b.source(args[0], dataTypes["b32"])}}
}

// shfl.sync.mode.b32 d[|p], a, b, c, members.
func (b *body) shfl(o *opcode, args []operand) instr {
	sync := o.take("sync")
	mode := o.take("up", "down", "bfly", "idx")
	t := b.dataType(o)
	b.done(o)
	b.want(o.name, args, 5)
	if sync == "" || mode == "" || t.name != "b32" {
		b.failHere("unknown instruction %s", o.name)
	}
	s := &collective{found: -1, member: b.source(args[4], t)}
	s.shuffle = map[string]shuffleMode{"up": shuffleUp, "down": shuffleDown, "bfly": shuffleButterfly, "idx": shuffleIndex}[mode]
	return instr{kind: kindSync, exec: shuffle, sync: s, d: b.resultAndFound(args[0], t, s),
		a: b.source(args[1], t), b: b.source(args[2], t), c: b.source(args[3], t)}
}

// resultAndFound returns the slot of d in d or d|p, and notes p.
func (b *body) resultAndFound(o operand, t dataType, s *collective) int32 {
	if o.kind == pairOperand {
		s.found = b.dest(o.list[1], dataTypes["pred"])
		o = o.list[0]
	}
	return b.dest(o, t)
}

func (b *body) vote(o *opcode, args []operand) instr {
	sync := o.take("sync")
	mode := o.take("all", "any", "uni", "ballot")
	t := b.dataType(o)
	b.done(o)
	b.want(o.name, args, 3)
	run := map[string]exec{"all": voteAll, "any": voteAny, "uni": voteUni, "ballot": voteBallot}[mode]
	if sync == "" || run == nil || (mode == "ballot") != (t.name == "b32") || mode != "ballot" && t.kind != predicate {
		b.failHere("unknown instruction %s", o.name)
	}
	s := &collective{member: b.source(args[2], dataTypes["b32"]), not: negated(args[1]), found: -1}
	return instr{kind: kindSync, exec: run, sync: s, d: b.dest(args[0], t), a: b.predicateSource(args[1])}
}

func (b *body) match(o *opcode, args []operand) instr {
	mode := o.take("any", "all")
	sync := o.take("sync")
	t := b.dataType(o)
	b.done(o)
	b.want(o.name, args, 3)
	if mode == "" || sync == "" || t.name != "b32" && t.name != "b64" {
		b.failHere("unknown instruction %s", o.name)
	}
	s := &collective{member: b.source(args[2], dataTypes["b32"]), found: -1}
	in := instr{kind: kindSync, exec: matchAny, sync: s, pair: t.bits == 64, a: b.source(args[1], t)}
	if mode == "all" {
		in.exec = matchAll
	}
	in.d = b.resultAndFound(args[0], dataTypes["b32"], s)
	return in
}

func (b *body) activemask(o *opcode, args []operand) instr {
	t := b.dataType(o)
	b.done(o)
	b.want(o.name, args, 1)
	if t.name != "b32" {
		b.failHere("unknown instruction %s", o.name)
	}
	return instr{kind: kindExec, exec: activeMask, d: b.dest(args[0], t)}
}
