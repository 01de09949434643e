package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Registers of NEON's products: R1 and those that follow point to rows of A.
const (
	armColA    = "R9"
	armOffsetA = "R10" // how far the rows have moved
	armB       = "R11"
	armRowB    = "R12"
	armLastB   = "R13" // where the last vector of B's row lies
	armNext    = "R14"
	armK       = "R15"
	armC       = "R16"
	armRowC    = "R17"
	armFrom    = "R19"
	armRowFrom = "R20"
	armLast    = "R21" // bytes from the start of a row of B or C to its last vector
	armScratch = "R22"
	armTaps    = "R23"
)

// A neonTile is a product under way. The sums take the first registers, then come a row of B and elements of A.
type neonTile struct {
	armFunc
	shape
	taps bool
	cols int // of a tile that has fewer than a vector has lanes; else 0
}

func neonProduct(f *asm.File, s shape, e elem) {
	doc := fmt.Sprintf("c[i][j] = from[i][j] + Σ a[i][l] · b[l][j] for %d rows i and up to %d columns j", s.rows, s.vectors*neonBytes/e.size)
	p := neonTile{armFunc: newArmFunc(f, s.String(), e, doc), shape: s}
	p.write()
}

// neonTapProduct is the micro-kernel of convolutions, as tapProduct of the other machines.
func neonTapProduct(f *asm.File, s shape, e elem) {
	doc := fmt.Sprintf("c[i][j] = from[i][j] + bias[i] + Σ a[i][l] · b[taps[l]+j] for %d rows i and up to %d columns j", s.rows, s.vectors*neonBytes/e.size)
	p := neonTile{armFunc: newArmFunc(f, tapName(s), e, doc), shape: s, taps: true}
	p.write()
}

func (p *neonTile) write() {
	p.fn.Label("tile")
	p.point()
	if p.taps {
		p.field(tileCall.at("taps"), armTaps)
		p.op("MOVD", armB, armRowB)
	} else {
		p.field(tileCall.at("rowB"), armRowB)
		p.field(tileCall.at("next"), armNext)
	}
	p.field(tileCall.at("cols"), armLast)
	if p.vectors == 1 {
		for cols := 1; cols < p.lanes(); cols++ {
			p.op("CMP", fmt.Sprintf("$%d", cols), armLast)
			p.op("BEQ", fmt.Sprintf("cols%d", cols))
		}
	} else {
		p.op("SUB", fmt.Sprintf("$%d", p.lanes()), armLast)
		p.op("LSL", map[int]string{4: "$2", 8: "$3"}[p.size], armLast)
		p.op("ADD", armLast, armB, armLastB)
	}
	p.multiply("loop")
	p.finish("store")
	for p.cols = 1; p.vectors == 1 && p.cols < p.lanes(); p.cols++ {
		p.fn.Label(fmt.Sprintf("cols%d", p.cols))
		p.op("MOVD", "$8", armLast)
		p.op("ADD", armLast, armB, armLastB)
		p.multiply(fmt.Sprintf("loop%d", p.cols))
		p.finish(fmt.Sprintf("store%d", p.cols))
	}
}

// point sets the registers that all products need, and clears the sums.
func (p *neonTile) point() {
	p.field(tileCall.at("a"), reg(1))
	p.field(tileCall.at("rowA"), armScratch)
	for i := 1; i < p.rows; i++ {
		p.op("ADD", armScratch, reg(i), reg(i+1))
	}
	p.field(tileCall.at("colA"), armColA)
	p.field(tileCall.at("b"), armB)
	p.field(tileCall.at("k"), armK)
	p.op("MOVD", "ZR", armOffsetA)
	for n := range p.rows * p.vectors {
		p.zero(n)
	}
}

func (p *neonTile) sum(i, v int) int { return i*p.vectors + v }

func (p *neonTile) rowOfB(v int) int { return p.rows*p.vectors + v }

// elementOfA returns one of the registers that are left, a different one for successive rows.
func (p *neonTile) elementOfA(i int) int {
	first := (p.rows + 1) * p.vectors
	return first + i%(32-first)
}

// multiply is the loop over k.
func (p *neonTile) multiply(label string) {
	p.op("PCALIGN", "$16")
	p.fn.Label(label)
	if p.taps {
		p.op("MOVW.P", "4("+armTaps+")", armScratch)
		p.op("ADD", p.scaled(armScratch), armRowB, armB)
		if p.vectors > 1 || p.cols > 2 {
			p.op("ADD", armLast, armB, armLastB)
		}
	}
	p.loadRow(armB, armLastB, p.rowOfB)
	for i := range p.rows {
		a := p.elementOfA(i)
		p.op(p.move(), fmt.Sprintf("(%s)(%s)", reg(1+i), armOffsetA), float(a))
		for v := range p.vectors {
			p.fmaElement(p.sum(i, v), p.rowOfB(v), a)
		}
	}
	p.op("ADD", armColA, armOffsetA)
	if !p.taps {
		p.op("PRFM", "("+armNext+")", "PLDL2KEEP")
		p.op("ADD", "$16", armNext)
		p.op("ADD", armRowB, armB)
		if p.vectors > 1 || p.cols > 2 {
			p.op("ADD", armRowB, armLastB)
		}
	}
	p.op("SUBS", "$1", armK)
	p.op("BNE", label)
}

// loadRow loads a row of the tile, or what there is of it; last points to its last vector, or to its third number.
func (p *neonTile) loadRow(from, last string, to func(v int) int) {
	for v := range p.vectors {
		switch r := float(to(v)); {
		case p.cols == 1:
			p.op(p.move(), "("+from+")", r)
		case p.cols > 1:
			p.op("FMOVD", "("+from+")", r)
			if p.cols == 3 {
				p.op("VLD1", "("+last+")", fmt.Sprintf("V%d.S[2]", to(v)))
			}
		case v > 0 && v == p.vectors-1:
			p.op("FMOVQ", "("+last+")", r)
		default:
			p.op("FMOVQ", at(from, v*neonBytes), r)
		}
	}
}

// finish adds what C starts from, and stores the tile. All of a row is read before some of it is written, since its last
// two vectors may overlap.
func (p *neonTile) finish(label string) {
	p.field(tileCall.at("c"), armC)
	p.field(tileCall.at("rowC"), armRowC)
	p.field(tileCall.at("from"), armFrom)
	p.field(tileCall.at("rowFrom"), armRowFrom)
	if p.taps {
		p.addBias("from" + label)
	}
	p.op("CBZ", armFrom, label)
	for i := range p.rows {
		p.pointLast(armFrom)
		p.loadRow(armFrom, armScratch, p.rowOfB)
		for v := range p.vectors {
			p.three(neonFADD, p.sum(i, v), p.sum(i, v), p.rowOfB(v))
		}
		p.op("ADD", armRowFrom, armFrom)
	}
	p.fn.Label(label)
	for i := range p.rows {
		p.pointLast(armC)
		p.storeRow(i)
		p.op("ADD", armRowC, armC)
	}
	p.nextTile("done" + label)
}

// addBias adds a number to each row.
func (p *neonTile) addBias(label string) {
	p.field(tileCall.at("bias"), armScratch)
	p.op("CBZ", armScratch, label)
	bias := p.rowOfB(0)
	one := map[int]string{4: "S", 8: "D"}[p.size]
	for i := range p.rows {
		p.op(p.move()+".P", fmt.Sprintf("%d(%s)", p.size, armScratch), float(bias))
		p.op("VDUP", fmt.Sprintf("V%d.%s[0]", bias, one), fmt.Sprintf("V%d.%s%d", bias, one, p.lanes()))
		for v := range p.vectors {
			p.three(neonFADD, p.sum(i, v), p.sum(i, v), bias)
		}
	}
	p.fn.Label(label)
}

// pointLast points at the last vector of a row, or at its third number.
func (p *neonTile) pointLast(row string) {
	if p.vectors > 1 || p.cols == 3 {
		p.op("ADD", armLast, row, armScratch)
	}
}

// storeRow stores a row of the tile, as loadRow loads one.
func (p *neonTile) storeRow(i int) {
	for v := range p.vectors {
		switch r := float(p.sum(i, v)); {
		case p.cols == 1:
			p.op(p.move(), r, "("+armC+")")
		case p.cols > 1:
			p.op("FMOVD", r, "("+armC+")")
			if p.cols == 3 {
				p.op("VST1", fmt.Sprintf("V%d.S[2]", p.sum(i, v)), "("+armScratch+")")
			}
		case v > 0 && v == p.vectors-1:
			p.op("FMOVQ", r, "("+armScratch+")")
		default:
			p.op("FMOVQ", r, at(armC, v*neonBytes))
		}
	}
}
