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
	if !m.prepares(in.table) {
		o, _ := m.operand(p, in.args[1])
		p.fn.Op("VPERMD", o, n, m.name(vectors, p.out(in.dst)))
		return
	}
	upper := m.name(vectors, p.in(in.args[1]))
	var picked [2]string
	for half := range picked {
		o, _ := m.operand(p, in.args[2+half])
		picked[half] = m.name(vectors, p.scratch(vectors))
		p.fn.Op("VPERMD", o, n, picked[half])
	}
	p.fn.Op("VBLENDVPS", upper, picked[1], picked[0], m.name(vectors, p.out(in.dst)))
}
