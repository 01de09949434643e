package ptx

// Families that branch, wait and exchange values between lanes.

func (b *body) bra(o *opcode, args []operand) instr {
	o.take("uni")
	b.want(o.name, args, 1)
	b.jumps = append(b.jumps, jump{line: b.at, pc: len(b.k.code), label: args[0].name})
	return b.bare(o, nil, kindBranch)
}

func (b *body) exit(o *opcode, args []operand) instr { return b.bare(o, args, kindExit) }

// bare is an instruction without operands or modifiers.
func (b *body) bare(o *opcode, args []operand, kind instrKind) instr {
	b.types(o, 0)
	b.want(o.name, args, 0)
	return instr{kind: kind}
}

// shfl.sync.mode.b32 d, a, b, c, members.
func (b *body) shfl(o *opcode, args []operand) instr {
	b.need(o, "sync")
	mode := shuffleModes[b.need(o, "up", "down", "bfly", "idx")]
	t := b.types(o, 1)[0]
	b.want(o.name, args, 5)
	if t.name != "b32" {
		b.unknown(o)
	}
	run := func(w *warp, in *instr, mask uint32) *Fault { return w.shuffle(mode, in, mask) }
	return instr{kind: kindMeet, meet: &meetOp{b.source(args[4], t), run},
		d: b.dest(args[0], t), a: b.source(args[1], t), b: b.source(args[2], t), c: b.source(args[3], t)}
}
