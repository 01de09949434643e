package ptx

import "strings"

// fence decodes fences. Memory is in program order already; that between the generic and the asynchronous proxy is watched.
func (b *body) fence(o *opcode, args []operand) instr {
	in := instr{kind: kindExec, exec: nothing}
	if strings.HasPrefix(o.name, "fence.proxy.async") {
		in.exec = func(w *warp, _ *instr, _ uint32) *Fault {
			w.fence()
			return nil
		}
	}
	return in
}

func nothing(*warp, *instr, uint32) *Fault { return nil }

// nothing is an instruction that changes neither registers nor memory here.
func (b *body) nothing(o *opcode, args []operand) instr { return instr{kind: kindExec, exec: nothing} }

// createPolicy is createpolicy...b64 d, ...: how caches are to treat data. There are none.
func (b *body) createPolicy(o *opcode, args []operand) instr {
	if len(args) == 0 {
		b.unknown(o)
	}
	return instr{kind: kind64, op64: move[uint64], d: b.dest(args[0], dataTypes["b64"]), a: b.constantSlot(file64, 0)}
}

func (b *body) bulk(o *opcode, args []operand) instr         { b.unknown(o); return instr{} }
func (b *body) bulkReduce(o *opcode, args []operand) instr   { b.unknown(o); return instr{} }
func (b *body) copiesArrive(o *opcode, args []operand) instr { b.unknown(o); return instr{} }
