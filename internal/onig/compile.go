package onig

import (
	"unicode"
	"unicode/utf8"

	"cresset/internal/uniclass"
)

type opcode uint8

const (
	opMatch  opcode = iota
	opSet           // a character of set
	opLoop          // min to max characters of set, by greed
	opAlt           // the alternatives alts, in order
	opJump          // to x
	opLook          // the program from pc+1 to x, ahead or behind by back characters
	opAtomic        // the program from pc+1 to x, once
	opEdge          // the anchor kind
)

type inst struct {
	op       opcode
	set      *uniclass.Set
	alts     *alternatives
	x        int
	min, max int
	greed    greed
	negative bool
	back     int // of opLook: characters to go back, -1 when it looks ahead
	kind     nodeKind
}

// alternatives are the places to go on, listed for every first byte that they may begin with.
type alternatives struct {
	by  [256][]int
	end []int // those that may be empty, for the end of the text
}

const maxProgram = 4_000 // instructions

type compiler struct {
	pattern string
	prog    []inst
	err     error
}

func (c *compiler) add(i inst) int {
	if len(c.prog) >= maxProgram && c.err == nil {
		c.err = &Error{Pattern: c.pattern, Problem: "a pattern that is too large"}
	}
	if c.err == nil {
		c.prog = append(c.prog, i)
	}
	return len(c.prog) - 1
}

func (c *compiler) fail(n *node, problem string) {
	if c.err == nil {
		c.err = &Error{Pattern: c.pattern, At: n.at, Problem: problem}
	}
}

func (c *compiler) emit(n *node) {
	if c.err != nil {
		return
	}
	switch n.kind {
	case oneOf:
		c.add(inst{op: opSet, set: n.set})
	case inOrder:
		for _, s := range n.subs {
			c.emit(s)
		}
	case anyOf:
		c.choose(n.subs)
	case repeat:
		c.repeat(n)
	case look:
		back := -1
		if n.behind {
			if back = width(n.subs[0]); back < 0 {
				c.fail(n, "looking behind by a length that varies")
			}
		}
		c.inner(inst{op: opLook, negative: n.negative, back: back}, n.subs[0])
	case atomic:
		c.inner(inst{op: opAtomic}, n.subs[0])
	default:
		c.add(inst{op: opEdge, kind: n.kind})
	}
}

// inner adds i, a program of its own for n, and lets i know where that ends.
func (c *compiler) inner(i inst, n *node) {
	at := c.add(i)
	c.emit(n)
	end := c.add(inst{op: opMatch})
	if c.err == nil {
		c.prog[at].x = end + 1
	}
}

// choose adds the alternatives subs, each with a jump behind them all.
func (c *compiler) choose(subs []*node) {
	at := c.add(inst{op: opAlt})
	starts := make([]int, len(subs))
	var jumps []int
	for i, s := range subs {
		starts[i] = len(c.prog)
		c.emit(s)
		jumps = append(jumps, c.add(inst{op: opJump}))
	}
	if c.err != nil {
		return
	}
	for _, j := range jumps {
		c.prog[j].x = len(c.prog)
	}
	c.prog[at].alts = table(subs, starts)
}

func table(subs []*node, starts []int) *alternatives {
	a := &alternatives{}
	for i, s := range subs {
		f := firsts(s)
		for b := range 256 {
			if f.bytes[b] || f.empty {
				a.by[b] = append(a.by[b], starts[i])
			}
		}
		if f.empty {
			a.end = append(a.end, starts[i])
		}
	}
	return a
}

func (c *compiler) repeat(n *node) {
	sub := n.subs[0]
	if sub.kind == oneOf {
		c.add(inst{op: opLoop, set: sub.set, min: n.min, max: n.max, greed: n.greed})
		return
	}
	if n.greed == possessive {
		once := *n
		once.greed = greedy
		c.inner(inst{op: opAtomic}, &once)
		return
	}
	for i := 0; i < n.min && c.err == nil; i++ {
		c.emit(sub)
	}
	switch {
	case n.max < 0:
		start := len(c.prog)
		c.optional(sub, n.greed, start)
	default:
		for i := n.min; i < n.max && c.err == nil; i++ { // x{0,3} as x?x?x?: going on after any x is the same
			c.optional(sub, n.greed, -1)
		}
	}
}

// optional adds sub or nothing. After sub the program goes on at loop, or behind it where loop is -1.
func (c *compiler) optional(sub *node, g greed, loop int) {
	at := c.add(inst{op: opAlt})
	start := len(c.prog)
	c.emit(sub)
	if loop >= 0 {
		c.add(inst{op: opJump, x: loop})
	}
	if c.err != nil {
		return
	}
	skip, f := len(c.prog), firsts(sub)
	order := func(can bool) []int {
		switch {
		case !can:
			return []int{skip}
		case g == lazy:
			return []int{skip, start}
		}
		return []int{start, skip}
	}
	a := &alternatives{end: order(f.empty)}
	for b := range 256 {
		a.by[b] = order(f.bytes[b] || f.empty)
	}
	c.prog[at].alts = a
}

// possess lets loops that only the end of the pattern follows keep what they took: giving back would lead nowhere better.
func (c *compiler) possess() {
	for i := range c.prog {
		if c.prog[i].op != opLoop || c.prog[i].greed != greedy {
			continue
		}
		next := i + 1
		for c.prog[next].op == opJump && c.prog[next].x > next {
			next = c.prog[next].x
		}
		if c.prog[next].op == opMatch {
			c.prog[i].greed = possessive
		}
	}
}

// width returns how many characters n matches, or -1 where that varies.
func width(n *node) int {
	switch n.kind {
	case oneOf:
		return 1
	case inOrder:
		sum := 0
		for _, s := range n.subs {
			w := width(s)
			if w < 0 {
				return -1
			}
			sum += w
		}
		return sum
	case anyOf:
		w := width(n.subs[0])
		for _, s := range n.subs {
			if width(s) != w {
				return -1
			}
		}
		return w
	case repeat:
		if w := width(n.subs[0]); w >= 0 && n.min == n.max {
			return w * n.min
		}
		return -1
	case atomic:
		return width(n.subs[0])
	}
	return 0
}

// starts are the bytes that a match may begin with, and whether it may be empty.
type starts struct {
	bytes [256]bool
	empty bool
}

func firsts(n *node) starts {
	var f starts
	switch n.kind {
	case oneOf:
		for b := range utf8.RuneSelf {
			f.bytes[b] = n.set.Has(rune(b))
		}
		beyond := n.set.HasBeyondASCII() || n.set.Has(unicode.ReplacementChar)
		for b := utf8.RuneSelf; b < 256; b++ {
			f.bytes[b] = beyond
		}
	case inOrder:
		f.empty = true
		for _, s := range n.subs {
			g := firsts(s)
			f.add(g)
			if f.empty = g.empty; !f.empty {
				break
			}
		}
	case anyOf:
		for _, s := range n.subs {
			g := firsts(s)
			f.add(g)
			f.empty = f.empty || g.empty
		}
	case repeat:
		f = firsts(n.subs[0])
		f.empty = f.empty || n.min == 0
		if n.max == 0 {
			f = starts{empty: true}
		}
	case atomic:
		f = firsts(n.subs[0])
	default:
		f.empty = true
	}
	return f
}

func (f *starts) add(g starts) {
	for b := range f.bytes {
		f.bytes[b] = f.bytes[b] || g.bytes[b]
	}
}
