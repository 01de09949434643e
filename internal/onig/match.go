package onig

import (
	"unicode/utf8"

	"cresset/internal/uniclass"
)

const (
	stepsPerText = 1 << 20 // what a text may take however short it is
	stepsPerByte = 200     // a pattern of a tokenizer takes about 3
)

// frame is where a match goes on when what was tried last failed.
type frame struct {
	pc, pos int
	floor   int   // of a greedy loop: how far pos may still go back
	more    int   // of a lazy loop: how many characters it may still take, -1 without a limit
	alts    []int // of alternatives: those that are left
	kind    frameKind
}

type frameKind uint8

const (
	frameAlt frameKind = iota
	frameGreedy
	frameLazy
)

// machine runs a program over a text.
type machine struct {
	text  string
	prog  []inst
	stack []frame
	steps int // left; below 0 the match is given up
}

// run returns where the program from pc on ends a match that begins at pos, or -1.
func (m *machine) run(pc, pos int) int {
	base, end := len(m.stack), -1
	for m.steps >= 0 {
		m.steps--
		next, at := m.step(pc, pos)
		if next == matched {
			end = at
			break
		}
		if next == failed {
			if next, at = m.back(base); next == failed {
				break
			}
		}
		pc, pos = next, at
	}
	m.stack = m.stack[:base]
	return end
}

const (
	matched = -1
	failed  = -2
)

// step runs the instruction at pc and returns where to go on.
func (m *machine) step(pc, pos int) (int, int) {
	in := &m.prog[pc]
	switch in.op {
	case opMatch:
		return matched, pos
	case opSet:
		if w := m.has(in.set, pos); w > 0 {
			return pc + 1, pos + w
		}
		return failed, pos
	case opLoop:
		return m.loop(in, pc, pos)
	case opJump:
		return in.x, pos
	case opAlt:
		alts := in.alts.end
		if pos < len(m.text) {
			alts = in.alts.by[m.text[pos]]
		}
		if len(alts) == 0 {
			return failed, pos
		}
		if len(alts) > 1 {
			m.stack = append(m.stack, frame{kind: frameAlt, pos: pos, alts: alts[1:]})
		}
		return alts[0], pos
	case opLook:
		if m.looks(in, pc, pos) {
			return in.x, pos
		}
		return failed, pos
	case opAtomic:
		if end := m.run(pc+1, pos); end >= 0 {
			return in.x, end
		}
		return failed, pos
	}
	if m.edge(in.kind, pos) {
		return pc + 1, pos
	}
	return failed, pos
}

// back returns to the newest frame above base.
func (m *machine) back(base int) (pc, pos int) {
	for len(m.stack) > base {
		f := &m.stack[len(m.stack)-1]
		switch f.kind {
		case frameAlt:
			pc, pos := f.alts[0], f.pos
			if f.alts = f.alts[1:]; len(f.alts) == 0 {
				m.stack = m.stack[:len(m.stack)-1]
			}
			return pc, pos
		case frameGreedy:
			_, w := utf8.DecodeLastRuneInString(m.text[:f.pos])
			f.pos -= w
			pc, pos := f.pc, f.pos
			if f.pos <= f.floor {
				m.stack = m.stack[:len(m.stack)-1]
			}
			return pc, pos
		default:
			w := m.has(m.prog[f.pc-1].set, f.pos)
			if w == 0 || f.more == 0 {
				m.stack = m.stack[:len(m.stack)-1]
				continue
			}
			f.pos += w
			f.more--
			return f.pc, f.pos
		}
	}
	return failed, 0
}

// has returns the width of the character at pos if it is in set, else 0.
func (m *machine) has(set *uniclass.Set, pos int) int {
	if pos >= len(m.text) {
		return 0
	}
	if b := m.text[pos]; b < utf8.RuneSelf {
		if set.Has(rune(b)) {
			return 1
		}
		return 0
	}
	r, w := utf8.DecodeRuneInString(m.text[pos:])
	if set.Has(r) {
		return w
	}
	return 0
}

func (m *machine) loop(in *inst, pc, pos int) (int, int) {
	most := in.max
	if in.greed == lazy {
		most = in.min
	}
	floor, start := pos, pos
	n := 0
	for ; n != most; n++ {
		w := m.has(in.set, pos)
		if w == 0 {
			break
		}
		pos += w
		if n < in.min {
			floor = pos
		}
	}
	m.steps -= (pos - start) / 8
	if n < in.min {
		return failed, pos
	}
	switch {
	case in.greed == greedy && pos > floor:
		m.stack = append(m.stack, frame{kind: frameGreedy, pc: pc + 1, pos: pos, floor: floor})
	case in.greed == lazy && in.max != in.min:
		m.stack = append(m.stack, frame{kind: frameLazy, pc: pc + 1, pos: pos, more: in.max - in.min})
	}
	return pc + 1, pos
}

func (m *machine) looks(in *inst, pc, pos int) bool {
	start := pos
	for range in.back { // none for -1
		if start == 0 {
			return in.negative
		}
		_, w := utf8.DecodeLastRuneInString(m.text[:start])
		start -= w
	}
	return m.run(pc+1, start) >= 0 != in.negative
}

func (m *machine) edge(kind nodeKind, pos int) bool {
	text := m.text
	switch kind {
	case lineStart:
		return pos == 0 || text[pos-1] == '\n' && pos < len(text)
	case lineEnd:
		return pos == len(text) || text[pos] == '\n'
	case textStart:
		return pos == 0
	case textEnd:
		return pos == len(text)
	case textEndOrNewline:
		return pos == len(text) || pos == len(text)-1 && text[pos] == '\n'
	}
	word := uniclass.Of("word")
	before, _ := utf8.DecodeLastRuneInString(text[:pos])
	edge := (pos > 0 && word.Has(before)) != (m.has(word, pos) > 0)
	return edge == (kind == wordEdge)
}
