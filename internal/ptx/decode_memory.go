package ptx

import "strings"

var spaces = map[string]space{
	"global": globalSpace, "const": constSpace, "shared": sharedSpace, "shared::cta": sharedSpace, "shared::cluster": clusterSpace,
	"param": paramSpace, "param::entry": paramSpace,
}

// Modifiers of loads and stores that change nothing here: how strong they are against other threads, and what caches do.
// Memory is in program order, and lasting.
var (
	strengths = []string{"weak", "volatile", "relaxed", "acquire", "release", "acq_rel"}
	scopes    = []string{"cta", "cluster", "gpu", "sys"}
	caching   = []string{"nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
		"L1::evict_last", "L1::no_allocate", "L2::cache_hint", "L2::64B", "L2::128B", "L2::256B", "L2::evict_first", "L2::evict_last",
		"L2::evict_normal"}
)

// accessing takes what loads and stores have in common. A cache policy is one operand more.
func (b *body) accessing(o *opcode, args []operand) (*access, dataType) {
	policy := 0
	m := &access{space: genericSpace, vector: 1}
	m.strong = o.takeAny(strengths) && !strings.Contains(o.name, ".weak")
	o.takeAny(scopes)
	if name := o.take("global", "const", "shared", "shared::cta", "shared::cluster", "param", "param::entry"); name != "" {
		m.space = spaces[name]
	}
	for o.takeAny(caching) {
		if strings.Contains(o.name, "cache_hint") {
			policy = 1
		}
	}
	b.want(o.name, args, 2+policy)
	switch o.take("v2", "v4") {
	case "v2":
		m.vector = 2
	case "v4":
		m.vector = 4
	}
	b.k.Ordered = b.k.Ordered || m.strong && (m.space == globalSpace || m.space == genericSpace)
	t := b.types(o, 1)[0]
	if t.kind == predicate || t.bits*m.vector > 128 {
		b.unknown(o)
	}
	m.signed = t.kind == signed
	b.site(m, t)
	return m, t
}

// site gives an access its width and its place among those of the kernel.
func (b *body) site(m *access, t dataType) {
	m.bytes, m.wide = t.bits/8, t.bits == 64
	m.site = b.k.sites
	b.k.sites++
}

// elements returns the registers that a load or store moves, and the type that names their file: they may be wider than the
// type of the instruction.
func (b *body) elements(o *opcode, arg operand, m *access, t dataType) ([]operand, dataType) {
	list := []operand{arg}
	if arg.kind == vectorOperand {
		list = arg.list
	}
	if len(list) != m.vector {
		b.failHere("%s moves %d registers, have %d", o.name, m.vector, len(list))
	}
	for _, e := range list {
		if r, _, ok := b.find(e.name); ok && e.kind == nameOperand && r.file == file64 {
			m.wide, t = true, dataTypes["b64"]
		}
	}
	return list, t
}

func (b *body) load(o *opcode, args []operand) instr {
	m, t := b.accessing(o, args)
	list, t := b.elements(o, args[0], m, t)
	for i, e := range list {
		m.regs[i] = b.dest(e, t)
	}
	b.address(args[1], m)
	m.quicken()
	return instr{kind: kindExec, exec: memory, access: m}
}

func (b *body) store(o *opcode, args []operand) instr {
	if o.take("async") != "" {
		return b.storeAsync(o, args)
	}
	m, t := b.accessing(o, args)
	if m.space == constSpace || m.space == paramSpace {
		b.failHere("unknown instruction %s: this memory cannot be written", o.name)
	}
	m.write = true
	list, t := b.elements(o, args[1], m, t)
	for i, e := range list {
		m.regs[i] = b.source(e, t)
	}
	b.address(args[0], m)
	m.quicken()
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
	t := dataTypes["b64"]
	if r, _, ok := b.find(o.name); ok && r.file == file32 {
		if m.space == globalSpace || m.space == genericSpace {
			b.failHere("an address of %s memory takes 64 bits", m.space)
		}
		m.short, t = true, dataTypes["b32"]
	}
	m.base = b.source(operand{name: o.name}, t)
}
