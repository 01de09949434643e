package ptx

import (
	"fmt"
)

// meetOp is what an instruction has that lanes run together, besides its slots.
type meetOp struct {
	member int32 // slot of the member mask, or -1 where the whole warp must run it
	run    exec
}

// together makes an instruction that the whole warp runs.
func together(in instr, run exec) instr {
	in.kind, in.meet = kindMeet, &meetOp{-1, run}
	return in
}

// meet runs an instruction once the lanes of its member mask are here.
func (w *warp) meet(in *instr, mask uint32) (stop bool, f *Fault) {
	member := allLanes
	if in.meet.member >= 0 {
		if member, f = w.members(in, mask); f != nil {
			return true, f
		}
	}
	need := member & w.all
	if gone := need &^ w.live; gone != 0 {
		f = w.fault(in.meet.fault(), mask)
		f.Detail = fmt.Sprintf("the member mask %#08x names lanes %#08x, which have exited", member, gone)
		return true, f
	}
	mask, ok := w.meetAt(need, mask)
	if !ok {
		return w.hold(mask)
	}
	w.mask |= mask
	f = in.meet.run(w, in, mask)
	return f != nil, f
}

func (m *meetOp) fault() FaultKind {
	if m.member < 0 {
		return UnconvergedWarp
	}
	return UnconvergedShuffle
}

// members returns the member mask, in which the lanes must agree and all be.
func (w *warp) members(in *instr, mask uint32) (member uint32, f *Fault) {
	member = w.r32[in.meet.member][trailing(mask)]
	for m := mask; m != 0; m &= m - 1 {
		if lane := trailing(m); w.r32[in.meet.member][lane] != member {
			f = w.fault(UnconvergedShuffle, 1<<lane)
			f.Detail = "lanes that run together name different member masks"
			return 0, f
		}
	}
	if out := mask &^ member; out != 0 {
		f = w.fault(UnconvergedShuffle, out)
		f.Detail = fmt.Sprintf("lanes %#08x run it and are not in the member mask %#08x", out, member)
		return 0, f
	}
	return member, nil
}

// meetAt joins the lanes of mask with those held at the same instruction and reports whether the lanes of need are all here.
// Where they are not, the joined lanes are held until the others come.
func (w *warp) meetAt(need, mask uint32) (uint32, bool) {
	if need&^mask == 0 && len(w.held) == 0 {
		return mask, true
	}
	pc := w.pc - 1
	kept := w.held[:0]
	for _, g := range w.held {
		if g.pc == pc {
			mask |= g.mask
			continue
		}
		kept = append(kept, g)
	}
	w.held = kept
	if need&^mask == 0 {
		return mask, true
	}
	w.held = append(w.held, group{pc, mask})
	return mask, false
}

// hold lets other groups run while the lanes of mask wait.
func (w *warp) hold(mask uint32) (stop bool, f *Fault) {
	if w.mask &^= mask; w.mask != 0 {
		return false, nil // the guard keeps these from taking part
	}
	return w.next()
}

// bar.warp.sync members.
func (b *body) syncWarp(o *opcode, args []operand) instr {
	b.want(o.name, args, 1)
	in := b.bare(o, nil, kindMeet)
	in.meet = &meetOp{b.source(args[0], dataTypes["b32"]), func(*warp, *instr, uint32) *Fault { return nil }}
	return in
}

// vote.sync.{all,any,uni}.pred p, q, members and vote.sync.ballot.b32 d, q, members.
func (b *body) vote(o *opcode, args []operand) instr {
	b.need(o, "sync")
	how := b.need(o, "all", "any", "uni", "ballot")
	t := b.types(o, 1)[0]
	b.want(o.name, args, 3)
	if (t.kind == predicate) == (how == "ballot") {
		b.unknown(o)
	}
	not := negated(args[1])
	in := instr{kind: kindMeet, d: b.dest(args[0], t), a: b.predicateSource(args[1])}
	in.meet = &meetOp{b.source(args[2], dataTypes["b32"]), func(w *warp, in *instr, mask uint32) *Fault {
		votes := (w.preds[in.a] ^ not) & mask
		switch how {
		case "ballot":
			w.set32(in.d, mask, votes)
		case "all":
			w.keepP(in.d, truth(votes == mask), mask)
		case "any":
			w.keepP(in.d, truth(votes != 0), mask)
		default:
			w.keepP(in.d, truth(votes == 0 || votes == mask), mask)
		}
		return nil
	}}
	return in
}

// set32 writes one value to the lanes of mask.
func (w *warp) set32(slot int32, mask, v uint32) {
	d := &w.r32[slot]
	for ; mask != 0; mask &= mask - 1 {
		d[trailing(mask)] = v
	}
}

// redux.sync.op.type d, a, members.
func (b *body) redux(o *opcode, args []operand) instr {
	b.need(o, "sync")
	combine := reductions[b.need(o, "add", "min", "max", "and", "or", "xor")+"."+o.name[len(o.name)-3:]]
	t := b.types(o, 1)[0]
	b.want(o.name, args, 3)
	if combine == nil {
		b.unknown(o)
	}
	in := instr{kind: kindMeet, d: b.dest(args[0], t), a: b.source(args[1], t)}
	in.meet = &meetOp{b.source(args[2], dataTypes["b32"]), func(w *warp, in *instr, mask uint32) *Fault {
		a := &w.r32[in.a]
		v := a[trailing(mask)]
		for left := mask & (mask - 1); left != 0; left &= left - 1 {
			v = combine(v, a[trailing(left)])
		}
		w.set32(in.d, mask, v)
		return nil
	}}
	return in
}

// reductions are what redux.sync does.
var reductions = map[string]func(a, b uint32) uint32{
	"add.s32": func(a, b uint32) uint32 { return a + b }, "add.u32": func(a, b uint32) uint32 { return a + b },
	"min.s32": func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) },
	"max.s32": func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) },
	"min.u32": func(a, b uint32) uint32 { return min(a, b) }, "max.u32": func(a, b uint32) uint32 { return max(a, b) },
	"and.b32": func(a, b uint32) uint32 { return a & b }, "or.b32": func(a, b uint32) uint32 { return a | b },
	"xor.b32": func(a, b uint32) uint32 { return a ^ b },
}

// elect.sync d|p, members: p is true in the first lane of the mask alone, and d is its number.
func (b *body) elect(o *opcode, args []operand) instr {
	b.need(o, "sync")
	b.want(o.name, args, 2)
	t := dataTypes["b32"]
	in := instr{kind: kindMeet, d: b.dest(operand{name: args[0].name}, t), c: b.register(operand{name: args[0].second}, fileP)}
	in.meet = &meetOp{b.source(args[1], t), func(w *warp, in *instr, mask uint32) *Fault {
		lane := trailing(mask)
		w.set32(in.d, mask, uint32(lane))
		w.keepP(in.c, 1<<lane, mask)
		return nil
	}}
	return in
}

// activemask.b32 d.
func (b *body) activemask(o *opcode, args []operand) instr {
	t := b.types(o, 1)[0]
	b.want(o.name, args, 1)
	return instr{kind: kindExec, d: b.dest(args[0], t), exec: func(w *warp, in *instr, mask uint32) *Fault {
		w.set32(in.d, mask, mask)
		return nil
	}}
}
