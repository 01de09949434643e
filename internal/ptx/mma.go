package ptx

import (
	"math"
	"math/bits"
)

func leading64(v uint64) int { return bits.LeadingZeros64(v) }

// place is where an element of a matrix lies in a warp's registers.
type place struct{ reg, lane, shift uint8 }

// matrixProduct is an mma instruction: D = A B + C, with A of m rows and B of n columns.
type matrixProduct struct {
	m, k      int
	kind      string // of A and B: f16, bf16, tf32, f64, s8
	half      bool   // C and D are f16
	a, b      []place
	c         []place
	ra, rb    []int32
	rc, rd    []int32
	elemBytes int
	f         halfFormat
}

// registersOf tells how many registers a lane has of A, B and C, by the shape and the type of A.
var registersOf = map[string][3]int{
	"m16n8k16.f16": {4, 2, 4}, "m16n8k16.bf16": {4, 2, 4}, "m16n8k8.f16": {2, 1, 4}, "m16n8k8.bf16": {2, 1, 4},
	"m16n8k8.tf32": {4, 2, 4}, "m16n8k4.tf32": {2, 1, 4},
	"m8n8k4.f64": {1, 1, 2}, "m16n8k4.f64": {2, 1, 4}, "m16n8k8.f64": {4, 2, 4}, "m16n8k16.f64": {8, 4, 4},
	"m8n8k16.s8": {1, 1, 2}, "m16n8k16.s8": {2, 1, 4}, "m16n8k32.s8": {4, 2, 4},
}

// mma.sync.aligned.shape.row.col.D.A.B.C {d}, {a}, {b}, {c}.
func (b *body) mma(o *opcode, args []operand) instr {
	b.need(o, "sync")
	b.need(o, "aligned")
	shape := b.need(o, "m16n8k32", "m16n8k16", "m16n8k8", "m16n8k4", "m8n8k16", "m8n8k4")
	b.need(o, "row")
	b.need(o, "col")
	td := b.need(o, "f32", "f16", "f64", "s32")
	ta := b.need(o, "f16", "bf16", "tf32", "f64", "s8")
	b.need(o, ta)
	b.need(o, td)
	b.types(o, 0)
	count, ok := registersOf[shape+"."+ta]
	if !ok || (td == "f64") != (ta == "f64") || (td == "s32") != (ta == "s8") || td == "f16" && ta != "f16" {
		b.unknown(o)
	}
	p := &matrixProduct{m: 16, k: int(shapeK[shape]), kind: ta, half: td == "f16"}
	if shape[1] == '8' {
		p.m = 8
	}
	p.layouts(count)
	ab, cd := dataTypes["b32"], dataTypes["b32"]
	if ta == "f64" {
		ab, cd = dataTypes["f64"], dataTypes["f64"]
	}
	if p.half {
		count[2] /= 2
	}
	b.want(o.name, args, 4)
	p.rd = b.fragment(o, args[0], count[2], cd, true)
	p.ra = b.fragment(o, args[1], count[0], ab, false)
	p.rb = b.fragment(o, args[2], count[1], ab, false)
	p.rc = b.fragment(o, args[3], count[2], cd, false)
	switch ta {
	case "f64":
		return together(instr{}, p.runF64)
	case "s8":
		return together(instr{}, p.runS8)
	}
	return together(instr{}, p.run)
}

var shapeK = map[string]int{"m16n8k32": 32, "m16n8k16": 16, "m16n8k8": 8, "m16n8k4": 4, "m8n8k16": 16, "m8n8k4": 4}

// layouts fills the places of all elements: g = lane/4 chooses rows of A and columns of B, c = lane%4 goes along k.
func (p *matrixProduct) layouts(count [3]int) {
	per := 1 // elements of a register
	p.elemBytes = 4
	switch p.kind {
	case "f16", "bf16":
		per, p.elemBytes = 2, 2
		p.f = formatF16
		if p.kind == "bf16" {
			p.f = formatBF16
		}
	case "f64":
		p.elemBytes = 8
	case "s8":
		per, p.elemBytes = 4, 1
	}
	wide := 32 / per // bits of an element
	rows := p.m / 8  // registers of A that lie in one column
	p.a, p.b, p.c = make([]place, p.m*p.k), make([]place, 8*p.k), make([]place, p.m*8)
	for lane := range 32 {
		g, c := lane/4, lane%4
		for j := range count[0] {
			for e := range per {
				row, k := g+8*(j%rows), per*c+e+4*per*(j/rows)
				p.a[row*p.k+k] = place{uint8(j), uint8(lane), uint8(wide * e)}
			}
		}
		for j := range count[1] {
			for e := range per {
				p.b[g*p.k+per*c+e+4*per*j] = place{uint8(j), uint8(lane), uint8(wide * e)}
			}
		}
		for i := range count[2] {
			at := place{uint8(i), uint8(lane), 0}
			if p.half {
				at.reg, at.shift = uint8(i/2), uint8(16*(i%2))
			}
			p.c[(g+8*(i/2))*8+2*c+i%2] = at
		}
	}
}

// gather reads rows of an operand, as layouts places them.
//
//go:norace
func (p *matrixProduct) gather(w *warp, rows []operandRow, slots []int32) {
	high := len(rows) / 8
	for j, slot := range slots {
		for lane, x := range &w.r32[slot] {
			row, k := &rows[lane/4+j%high*8], lane%4+j/high*4
			if p.elemBytes == 2 {
				row.set16(2*k, p.f, uint16(x))
				row.set16(2*k+1, p.f, uint16(x>>16))
			} else {
				row.setTF32(k, x)
			}
		}
	}
}

func (p *matrixProduct) run(w *warp, _ *instr, _ uint32) *Fault {
	var d [16][8]float32
	t := w.tensor()
	a, b := t.rows[:p.m], t.rows[16:][:8]
	p.gather(w, a, p.ra)
	p.gather(w, b, p.rb)
	t.right.of(b, p.k)
	model := modelOf(w.b.cfg.Capability)
	block := min(p.k, model.bytes/p.elemBytes)
	for i := range a {
		for j, at := range p.c[8*i:][:8] {
			t.c[j] = p.number(w.r32[p.rc[at.reg]][at.lane&31] >> at.shift)
		}
		model.row(t, &a[i], p.k, block, w.b.cfg.Nearest, p.half)
		d[i] = t.c
	}
	for i, at := range p.c {
		to := &w.r32[p.rd[at.reg]][at.lane&31]
		if p.half {
			*to = *to&^(0xffff<<at.shift) | uint32(formatF16.round(float64(d[i/8][i%8])))<<at.shift
			continue
		}
		*to = u32(d[i/8][i%8])
	}
	w.b.count.tensor(p.elemBytes, p.m*8*p.k)
	return nil
}

// number is what the low bits of a register of C hold.
func (p *matrixProduct) number(x uint32) float32 {
	if p.half {
		return f16ToF32(uint16(x))
	}
	return f32(x)
}

// runF64 is a chain of fused multiply-adds along k, each rounded to nearest; m8n8k4 and m16n8k8 were compared with an H100.
func (p *matrixProduct) runF64(w *warp, _ *instr, _ uint32) *Fault {
	var d [128]uint64
	for i, at := range p.c {
		s := f64(w.r64[p.rc[at.reg]][at.lane&31])
		for k := range p.k {
			x, y := p.a[i/8*p.k+k], p.b[i%8*p.k+k]
			s = math.FMA(f64(w.r64[p.ra[x.reg]][x.lane&31]), f64(w.r64[p.rb[y.reg]][y.lane&31]), s)
		}
		d[i] = u64(s)
	}
	for i, at := range p.c {
		w.r64[p.rd[at.reg]][at.lane&31] = d[i]
	}
	w.b.count.tensor(p.elemBytes, p.m*8*p.k)
	return nil
}

// runS8 adds exactly, in 32 bits that wrap.
func (p *matrixProduct) runS8(w *warp, _ *instr, _ uint32) *Fault {
	var rows [16][32]int8
	var columns [8][32]int8
	for i, at := range p.a {
		rows[i/p.k][i%p.k] = int8(w.r32[p.ra[at.reg]][at.lane&31] >> at.shift)
	}
	for i, at := range p.b {
		columns[i/p.k][i%p.k] = int8(w.r32[p.rb[at.reg]][at.lane&31] >> at.shift)
	}
	var d [128]uint32
	for i, at := range p.c {
		sum, b := int32(w.r32[p.rc[at.reg]][at.lane&31]), columns[i%8][:p.k]
		for k, a := range rows[i/8][:p.k] {
			sum += int32(a) * int32(b[k])
		}
		d[i] = uint32(sum)
	}
	for i, at := range p.c {
		w.r32[p.rd[at.reg]][at.lane&31] = d[i]
	}
	w.b.count.tensor(p.elemBytes, p.m*8*p.k)
	return nil
}
