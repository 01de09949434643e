package ptx

import (
	"slices"
	"strings"
)

// opcode is an instruction's name, cut at its dots; families take its modifiers one by one, and what is left over is an
// error.
type opcode struct {
	name  string
	parts []string
}

// take removes the next modifier if it is one of those listed.
func (o *opcode) take(options ...string) string {
	if len(o.parts) > 0 && slices.Contains(options, o.parts[0]) {
		s := o.parts[0]
		o.parts = o.parts[1:]
		return s
	}
	return ""
}

// takeAny is take for a list.
func (o *opcode) takeAny(options []string) bool { return o.take(options...) != "" }

// need is take for a modifier that must be there.
func (b *body) need(o *opcode, options ...string) string {
	s := o.take(options...)
	if s == "" {
		b.unknown(o)
	}
	return s
}

func (b *body) unknown(o *opcode) { b.failHere("unknown instruction %s", o.name) }

// types removes the remaining modifiers, which must be n types.
func (b *body) types(o *opcode, n int) (types [2]dataType) {
	for i, part := range o.parts {
		t, ok := dataTypes[part]
		if !ok || i >= n {
			b.failHere("unknown instruction %s: %q is no type or modifier that is supported", o.name, part)
		}
		types[i] = t
	}
	if len(o.parts) < n {
		b.failHere("%s lacks a type", o.name)
	}
	return types
}

// decode makes an instruction of its name and operands.
func (b *body) decode(name string, args []operand) instr {
	parts := strings.Split(name, ".")
	b.targeted(name, parts[0])
	o := &opcode{name: name, parts: parts[1:]}
	if f, ok := mixed[name]; ok {
		if fast := fastestMixed(name); fast != nil {
			f.exec = fast
		}
		return b.mixed(name, f, args)
	}
	t, ok := dataTypes[parts[len(parts)-1]]
	if f, known := formOf(name, t); ok && known {
		return b.computed(name, f, t, args)
	}
	family, ok := families[parts[0]]
	if !ok {
		b.unknown(o)
	}
	return family(b, o, args)
}

// families are the instructions that look at their modifiers themselves, by the first part of their names.
var families = map[string]func(b *body, o *opcode, args []operand) instr{
	"mov": (*body).mov, "cvt": (*body).cvt, "setp": (*body).setp, "selp": (*body).selp,
	"and": (*body).predicates, "or": (*body).predicates, "xor": (*body).predicates, "not": (*body).predicates,
	"ld": (*body).load, "st": (*body).store, "atom": (*body).atom,
	"lop3": (*body).lop3, "bfi": (*body).bfi, "red": (*body).atom,
	"bar": (*body).bar, "barrier": (*body).bar, "vote": (*body).vote, "redux": (*body).redux, "elect": (*body).elect,
	"activemask": (*body).activemask, "cp": (*body).copyAsync, "ldmatrix": (*body).ldmatrix, "stmatrix": (*body).ldmatrix, "movmatrix": (*body).movmatrix,
	"wgmma": (*body).wgmma, "tcgen05": (*body).tcgen05, "setmaxnreg": (*body).setMaxRegisters,
	"mbarrier": (*body).mbarrier, "mapa": (*body).mapa,
	"mma": (*body).mma, "fence": (*body).fence, "membar": (*body).fence, "createpolicy": (*body).createPolicy,
	"prefetch": (*body).nothing, "prefetchu": (*body).nothing, "discard": (*body).nothing, "applypriority": (*body).nothing,
	"nanosleep": (*body).nothing, "griddepcontrol": (*body).gridDependency,
	"bra": (*body).bra, "ret": (*body).exit, "exit": (*body).exit, "shfl": (*body).shfl,
}

func (b *body) want(name string, args []operand, n int) {
	if len(args) != n {
		b.failHere("%s takes %d operands, have %d", name, n, len(args))
	}
}

// computed decodes an instruction whose operands all have type t.
func (b *body) computed(name string, f form, t dataType, args []operand) instr {
	b.want(name, args, f.sources+1)
	in := instr{kind: kind32, op32: f.op32, op64: f.op64}
	if f.op64 != nil {
		in.kind = kind64
	}
	if strings.Contains(name, ".wide.") || strings.HasPrefix(name, "sh") {
		t.bits = 32 // wide results of 16-bit sources, and distances of shifts, share their file
	}
	in.d = b.dest(args[0], t)
	slots := [...]*int32{&in.a, &in.b, &in.c}
	for i, arg := range args[1:] {
		*slots[i] = b.source(arg, t)
	}
	return in
}

func (b *body) mixed(name string, f mixedForm, args []operand) instr {
	b.want(name, args, len(f.from)+1)
	in := instr{kind: kindExec, exec: f.exec, d: b.dest(args[0], dataTypes[f.to])}
	slots := [...]*int32{&in.a, &in.b, &in.c}
	for i, t := range f.from {
		*slots[i] = b.source(args[i+1], dataTypes[t])
	}
	return in
}
