package asm

import (
	"fmt"
	"slices"

	"cresset/internal/kgen/recipe"
)

// neonTable is the first of four registers, kept free of values in loops with tables, from which an instruction picks
// bytes: registers of a list follow each other.
const neonTable = 28

func hasTables(l *recipe.Loop) bool {
	return slices.ContainsFunc(l.Steps, func(s recipe.Step) bool { return s.Table != nil })
}

// pieces is empty: a lookup reads its table.
func (m *neon) pieces([]uint32) [][]uint32 { return nil }

func (m *neon) prepares([]uint32) bool { return true }

// prepare makes of an index those of the word's 4 bytes.
func (m *neon) prepare(p *placer, in *inst) {
	x, c := p.in(in.args[0]), p.scratch(vectors)
	dst := p.out(in.dst)
	m.constant(p, c, uint64(len(in.table.Words)-1))
	m.logic(p, neonLogic[recipe.IAnd], dst, x, c)
	m.constant(p, c, 0x04040404)
	m.three(p, neonThree[recipe.IMul], dst, dst, c)
	m.constant(p, c, 0x03020100)
	m.three(p, neonThree[recipe.IAdd], dst, dst, c)
}

// lookup picks the bytes of words from a table in two or four registers.
func (m *neon) lookup(p *placer, in *inst) {
	at, dst := p.in(in.args[1]), p.out(in.dst)
	count := len(in.table.Words) / 4
	list := ""
	for n := range count {
		m.words(p, neonTable+n, in.table.Words[4*n:4*n+4])
		list += fmt.Sprintf(", V%d.16B", neonTable+n)
	}
	code := 0x4e000000 | uint32(at)<<16 | uint32(count-1)<<13 | neonTable<<5 | uint32(dst)
	p.fn.Word(code, "TBL V%d.16B, {%s}, V%d.16B", dst, list[2:], at)
}
