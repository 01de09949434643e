package ptx

import (
	"strconv"
	"strings"
)

// body reads one kernel. Registers, constants and special registers all become slots of the three register files, so that
// instructions read nothing else.
type body struct {
	*parser
	k      *Kernel
	scopes []scope
	shared map[string]int64 // offsets of the shared variables that the kernel uses
	extern []externUse
	slots  [3]int32
	known  map[known]int32

	at     int       // line of the instruction being decoded
	uses   [][]touch // registers of up to 32 bits of each instruction
	now    []touch   // of the one being decoded
	jumps  []jump
	labels map[string]int
}

// scope holds the registers declared between braces: names with a count are prefixes.
type scope map[string]declaredRegisters

type declaredRegisters struct {
	file  file
	first int32
	count int // 0 for a single name
}

// known is a constant or special value that has a slot already.
type known struct {
	file  file
	what  specialKind // notSpecial for a constant
	name  string      // of a global, or of extern shared memory
	value uint64
}

// jump is a branch whose label is still to be found.
type jump struct {
	line, pc int
	label    string
}

const maxRegisters = 1 << 16

// entry reads a kernel after ".entry".
func (p *parser) entry() {
	line := p.tok.line
	k := &Kernel{Name: p.word(), Module: p.m}
	if _, taken := p.m.Kernels[k.Name]; taken {
		p.failAt(line, "kernel %s is defined twice", k.Name)
	}
	if p.is("(") {
		p.params(k)
	}
	for !p.is("{") {
		p.performance(k)
	}
	b := &body{parser: p, k: k, scopes: []scope{{}}, shared: map[string]int64{},
		known: map[known]int32{}, labels: map[string]int{}}
	b.read()
	p.m.Kernels[k.Name] = k
}

func (p *parser) params(k *Kernel) {
	for !p.is(")") {
		if len(k.Params) > 0 {
			p.expect(",")
		}
		p.expect(".param")
		s := p.declarator()
		at := (k.ParamBytes + s.Align - 1) &^ (s.Align - 1)
		if at+s.Size > 4352 {
			p.fail("the parameters of %s take more than 4352 bytes", k.Name)
		}
		k.Params = append(k.Params, Param{s.Name, at, s.Size, s.Align})
		k.ParamBytes = at + s.Size
	}
}

// performance reads a directive between parameters and body.
func (p *parser) performance(k *Kernel) {
	line := p.tok.line
	switch w := p.word(); w {
	case ".maxntid", ".reqntid":
		k.MaxThreads = [3]uint32{1, 1, 1}
		for i := range k.MaxThreads {
			k.MaxThreads[i] = uint32(p.count(1024))
			if !p.is(",") {
				break
			}
		}
	case ".reqnctapercluster":
		k.Cluster = [3]uint32{1, 1, 1}
		for i := range k.Cluster {
			k.Cluster[i] = uint32(p.count(16))
			if !p.is(",") {
				break
			}
		}
	case ".minnctapersm":
		k.MinBlocks = p.count(1 << 16)
	case ".maxnreg", ".maxclusterrank":
		p.count(1 << 16)
	case ".explicitcluster", ".noreturn":
	default:
		p.failAt(line, "unknown directive %q of a kernel", w)
	}
}

// read reads the kernel's body and makes its code final.
func (b *body) read() {
	for depth := 1; depth > 0; {
		line := b.tok.line
		switch {
		case b.tok.kind == endOfText:
			b.fail("kernel %s does not end", b.k.Name)
		case b.is("{"):
			b.scopes = append(b.scopes, scope{})
			depth++
		case b.is("}"):
			b.scopes = b.scopes[:len(b.scopes)-1]
			depth--
		case b.is(";"):
		case b.tok.kind == wordToken && b.tok.text[0] == '.':
			b.directive(line)
		default:
			b.statement(line)
		}
	}
	b.at = b.tok.line
	b.emit(instr{kind: kindExit, guard: -1})
	b.link()
	b.placeExtern()
	b.guardAccumulators()
	b.k.count32, b.k.count64, b.k.countP = int(b.slots[file32]), int(b.slots[file64]), int(b.slots[fileP])
}

// directive reads what starts with a dot inside a body.
func (b *body) directive(line int) {
	switch w := b.word(); w {
	case ".reg":
		b.registers()
	case ".shared":
		b.declareShared(line, b.variable())
	case ".pragma":
		b.advance()
		b.expect(";")
	default:
		b.failAt(line, "unknown directive %q in a kernel", w)
	}
}

// registers reads a declaration after ".reg".
func (b *body) registers() {
	line := b.tok.line
	t, ok := dataTypes[strings.TrimPrefix(b.word(), ".")]
	if !ok {
		b.failAt(line, "unknown type of a register")
	}
	for {
		r := declaredRegisters{file: t.file(), first: b.slots[t.file()]}
		name, n := b.word(), 1
		if b.is("<") {
			n = b.count(maxRegisters)
			r.count = n
			b.expect(">")
		}
		if int(b.slots[r.file])+n > maxRegisters {
			b.failAt(line, "%s has more than %d registers", b.k.Name, maxRegisters)
		}
		if n > 0 {
			b.slots[r.file] += int32(n)
			b.scopes[len(b.scopes)-1][name] = r
		}
		if !b.is(",") {
			break
		}
	}
	b.expect(";")
}

// statement reads a label or an instruction.
func (b *body) statement(line int) {
	b.at = line
	guard, not := int32(-1), false
	if b.is("@") {
		not = b.is("!")
		guard = b.register(operand{name: b.word()}, fileP)
	}
	name := b.word()
	if guard < 0 && b.is(":") {
		b.label(line, name)
		return
	}
	var operands []operand
	for !b.is(";") {
		if len(operands) > 0 {
			b.expect(",")
		}
		if len(operands) == 12 {
			b.fail("an instruction has too many operands")
		}
		operands = append(operands, b.operand())
	}
	in := b.decode(name, operands)
	in.guard = guard
	if not {
		in.guardNot = ^uint32(0)
	}
	b.emit(in)
}

func (b *body) label(line int, name string) {
	if _, taken := b.labels[name]; taken {
		b.failAt(line, "label %s stands twice", name)
	}
	b.labels[name] = len(b.k.code)
}

func (b *body) emit(in instr) {
	b.k.code = append(b.k.code, in)
	b.k.lines = append(b.k.lines, int32(b.at))
	b.uses, b.now = append(b.uses, b.now), nil
}

// link gives branches their targets.
func (b *body) link() {
	for _, j := range b.jumps {
		pc, ok := b.labels[j.label]
		if !ok {
			b.failAt(j.line, "label %s is not defined", j.label)
		}
		b.k.code[j.pc].d = int32(pc)
	}
}

// find looks a register up by name.
func (b *body) find(name string) (declaredRegisters, int32, bool) {
	prefix := strings.TrimRight(name, "0123456789")
	n, err := strconv.Atoi(name[len(prefix):])
	for i := len(b.scopes) - 1; i >= 0; i-- {
		if r, ok := b.scopes[i][name]; ok && r.count == 0 {
			return r, r.first, true
		}
		if r, ok := b.scopes[i][prefix]; ok && err == nil && n < r.count {
			return r, r.first + int32(n), true
		}
	}
	return declaredRegisters{}, 0, false
}
