package ptx

import "strings"

// opcode is an instruction's name, cut at its dots; families take its modifiers
// one by one, and what nobody took is an error.
type opcode struct {
	name  string
	parts []string
}

// take removes the next modifier if it is one of those listed.
func (o *opcode) take(options ...string) string {
	if len(o.parts) > 0 {
		for _, s := range options {
			if o.parts[0] == s {
				o.parts = o.parts[1:]
				return s
			}
		}
	}
	return ""
}

// dataType removes the next modifier, which must be a type.
func (b *body) dataType(o *opcode) dataType {
	if len(o.parts) == 0 {
		b.failHere("%s lacks a type", o.name)
	}
	t, ok := dataTypes[o.parts[0]]
	if !ok {
		b.failHere("unknown instruction %s: %q is no type or modifier that is supported", o.name, o.parts[0])
	}
	o.parts = o.parts[1:]
	return t
}

// done checks that all modifiers are taken.
func (b *body) done(o *opcode) {
	if len(o.parts) > 0 {
		b.failHere("unknown instruction %s: %q is not supported", o.name, o.parts[0])
	}
}

// family decodes the instructions that share a base name.
type family func(b *body, o *opcode, args []operand) instr

// families lists the instructions that are more than a computation on registers
// of one type.
func families() map[string]family {
	return map[string]family{
		"mov": (*body).mov, "ld": (*body).load, "ldu": (*body).load, "st": (*body).store,
		"cvta": (*body).cvta, "cvt": (*body).cvt,
		"setp": (*body).setp, "set": (*body).set, "selp": (*body).selp, "slct": (*body).slct,
		"and": (*body).predicates, "or": (*body).predicates, "xor": (*body).predicates, "not": (*body).predicates,
		"bfi": (*body).bfi, "lop3": (*body).lop3, "bfind": (*body).bfind,
		"bra": (*body).bra, "brx": (*body).brx, "ret": (*body).exit, "exit": (*body).exit, "trap": (*body).trap,
		"bar": (*body).bar, "barrier": (*body).bar, "membar": (*body).fence, "fence": (*body).fence,
		"shfl": (*body).shfl, "vote": (*body).vote, "match": (*body).match, "activemask": (*body).activemask,
		"atom": (*body).atom, "red": (*body).atom, "isspacep": (*body).isspacep,
		"nanosleep": (*body).fence, "prefetch": (*body).fence,
	}
}

var familyTable = families()

// decode makes an instruction of its name and operands.
func (b *body) decode(name string, args []operand) instr {
	parts := strings.Split(name, ".")
	o := &opcode{name: name, parts: parts[1:]}
	if f, ok := integerForms[name]; ok {
		return b.computed(name, f, dataTypes[parts[len(parts)-1]], args)
	}
	if f, ok := mixedForms[name]; ok && (parts[0] != "cvt" || b.fits(f, args)) {
		return b.mixed(name, f, args)
	}
	if t, ok := dataTypes[parts[len(parts)-1]]; ok && len(parts) > 1 && (t.kind == float || t.kind == packed) {
		if in, ok := b.floating(o, t, args); ok {
			return in
		}
	}
	if f, ok := familyTable[parts[0]]; ok {
		return f(b, o, args)
	}
	b.failHere("unknown instruction %s", name)
	return instr{}
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

// fits reports whether the source of a conversion lives in the file that the
// form expects: PTX lets integers stand in wider registers.
func (b *body) fits(f mixedForm, args []operand) bool {
	if len(args) != 2 || args[0].kind != nameOperand || args[1].kind != nameOperand {
		return false
	}
	to, _, ok := b.find(args[0].name)
	from, _, found := b.find(args[1].name)
	return ok && found && to.file == dataTypes[f.to].file() && from.file == dataTypes[f.from[0]].file()
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

// floating decodes arithmetic on floats. It reports false for other families.
func (b *body) floating(o *opcode, t dataType, args []operand) (instr, bool) {
	base, _, _ := strings.Cut(o.name, ".")
	rest := opcode{name: o.name, parts: o.parts[:len(o.parts)-1]}
	direction := rest.take("rn", "rz", "rm", "rp")
	kind := rest.take("approx", "full")
	ftz := rest.take("ftz") != ""
	sat := rest.take("sat") != ""
	if s := rest.take("NaN"); s != "" {
		kind = s
	}
	key := base + "." + t.name
	if kind != "" {
		key = base + "." + kind + "." + t.name
	}
	f, ok := floatForms[key]
	if !ok {
		return instr{}, false
	}
	switch {
	case direction != "" && direction != "rn":
		b.failHere("unknown instruction %s: %q is not supported", o.name, direction)
	case len(rest.parts) > 0:
		b.failHere("unknown instruction %s: %q is not supported", o.name, rest.parts[0])
	case direction != "" && !f.rounded, ftz && !f.flushes, sat && !f.unit,
		direction == "" && f.rounded && !f.implicit:
		b.failHere("%s does not have these modifiers", o.name)
	}
	g := f.form
	if ftz {
		g.op32 = flush(g.op32)
	}
	if sat {
		g.op32 = saturate(g.op32)
	}
	return b.computed(o.name, g, t, args), true
}
