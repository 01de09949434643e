package asm

// AVX-512 picks one of 16 words by the low 4 bits of an index, AVX2 one of 8 by the low 3.

// pieces are vectors that an instruction can pick from: under AVX-512 a table of 8 words stands twice in its vector, else
// one of 16 makes two.
func (m *x86) pieces(words []uint32) [][]uint32 {
	switch {
	case m.wide && len(words) == 8:
		return [][]uint32{append(words[:8:8], words...)}
	case !m.wide && len(words) == 16:
		return [][]uint32{words[:8], words[8:]}
	}
	return [][]uint32{words}
}

// prepares is for the choice between two vectors.
func (m *x86) prepares(words []uint32) bool { return !m.wide && len(words) == 16 }

// prepare shifts bit 3 of the index to the sign bit, which a blend reads.
func (m *x86) prepare(p *placer, in *inst) {
	p.fn.Op("VPSLLD", "$28", m.name(vectors, p.in(in.args[0])), m.name(vectors, p.out(in.dst)))
}

func (m *x86) lookup(p *placer, in *inst) {
	n := m.name(vectors, p.in(in.args[0]))
	if !m.prepares(in.table.Words) {
		o, _ := m.operand(p, in.args[1])
		p.fn.Op("VPERMD", o, n, m.name(vectors, p.out(in.dst)))
		return
	}
	upper := m.name(vectors, p.in(in.args[1]))
	r := p.room(vectors) // not that of an argument, which is read once more
	p.hold(vectors, r, in.dst)
	dst, above := m.name(vectors, r), m.name(vectors, p.scratch(vectors))
	m.pick(p, in.args[2], n, dst)
	p.picks[in.args[2]]++
	done := ""
	if in.table.UpperSeldom { // gelu/1e5 takes two thirds of the time so
		if p.uppers != in.args[1] { // R15 has a bit for each index that is in the upper half
			p.uppers = in.args[1]
			p.fn.Op("VMOVMSKPS", upper, "R15")
		}
		done = p.fn.fresh("picked")
		p.fn.Op("TESTL", "R15", "R15")
		p.fn.Op("JZ", done)
	} else {
		p.picks[in.args[3]]++
	}
	m.pick(p, in.args[3], n, above)
	p.fn.Op("VBLENDVPS", upper, above, dst, dst)
	if done != "" {
		p.fn.Label(done)
	}
}

// pick picks words of a table that AMD's processors take less long to read from a register.
func (m *x86) pick(p *placer, table int, n, dst string) {
	from, _ := m.operand(p, table)
	if m.inMemory(p, table) {
		p.fn.Op("VMOVUPS", from, dst)
		from = dst
	}
	p.fn.Op("VPERMD", from, n, dst)
}
