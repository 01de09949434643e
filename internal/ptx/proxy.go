package ptx

import "strings"

// fence decodes fences. Memory is in program order already; that between the generic and the asynchronous proxy is watched.
func (b *body) fence(o *opcode, args []operand) instr {
	in := instr{kind: kindExec, exec: nothing}
	switch {
	case strings.HasPrefix(o.name, "fence.mbarrier_init"):
		in.exec = func(w *warp, _ *instr, _ uint32) *Fault {
			w.initFence()
			return nil
		}
	case strings.HasPrefix(o.name, "fence.proxy.async") && !strings.HasSuffix(o.name, ".global"):
		in.exec = func(w *warp, _ *instr, _ uint32) *Fault {
			w.initFence()
			w.fence()
			return nil
		}
	}
	return in
}

func nothing(*warp, *instr, uint32) *Fault { return nil }

// nothing is an instruction that changes neither registers nor memory here.
func (b *body) nothing(o *opcode, args []operand) instr { return instr{kind: kindExec, exec: nothing} }

// gridDependency is griddepcontrol.wait, until which a kernel that starts early must not touch global memory, or tells that the next one may start.
func (b *body) gridDependency(o *opcode, args []operand) instr {
	in := b.nothing(o, args)
	if o.name == "griddepcontrol.wait" {
		in.exec = func(w *warp, _ *instr, _ uint32) *Fault {
			w.alone = true
			return nil
		}
	}
	return in
}

// createPolicy is createpolicy...b64 d, ...: how caches are to treat data. There are none.
func (b *body) createPolicy(o *opcode, args []operand) instr {
	if len(args) == 0 {
		b.unknown(o)
	}
	return instr{kind: kind64, op64: move[uint64], d: b.dest(args[0], dataTypes["b64"]), a: b.constantSlot(file64, 0)}
}
