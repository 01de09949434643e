package onig

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"cresset/internal/uniclass"
)

// node is a part of a pattern.
type node struct {
	kind     nodeKind
	set      *uniclass.Set // of oneOf
	subs     []*node       // of inOrder, anyOf; one of repeat, look, atomic
	min, max int           // of repeat: max is -1 without a limit
	greed    greed
	behind   bool // of look
	negative bool // of look
	at       int
}

type nodeKind int

const (
	oneOf   nodeKind = iota // a character of a set
	inOrder                 // one part after the other
	anyOf                   // the first alternative that leads to a match
	repeat
	look
	atomic
	lineStart
	lineEnd
	textStart
	textEnd
	textEndOrNewline
	wordEdge
	noWordEdge
)

type greed int

const (
	greedy greed = iota
	lazy
	possessive
)

const (
	maxDepth  = 100  // groups within groups
	maxRepeat = 1000 // times that a part is written out
)

type flags struct{ fold, dotAll, extended bool }

type parser struct {
	pattern string
	pos     int
	depth   int
	flags   flags
}

func (p *parser) fail(problem string) error {
	return &Error{Pattern: p.pattern, At: p.pos, Problem: problem}
}

func (p *parser) parse() (*node, error) {
	if !utf8.ValidString(p.pattern) {
		return nil, p.fail("invalid UTF-8")
	}
	n, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.pattern) {
		return nil, p.fail("a ) without (")
	}
	return n, nil
}

func (p *parser) rest() string { return p.pattern[p.pos:] }

// accept moves past s where it comes next.
func (p *parser) accept(s string) bool {
	if strings.HasPrefix(p.rest(), s) {
		p.pos += len(s)
		return true
	}
	return false
}

func (p *parser) alternatives() (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fail("too many groups within groups")
	}
	before := p.flags // (?i) holds until the group ends
	defer func() { p.depth--; p.flags = before }()
	n := &node{kind: anyOf, at: p.pos}
	for {
		sub, err := p.sequence()
		if err != nil {
			return nil, err
		}
		n.subs = append(n.subs, sub)
		if !p.accept("|") {
			break
		}
	}
	if len(n.subs) == 1 {
		return n.subs[0], nil
	}
	return n, nil
}

func (p *parser) sequence() (*node, error) {
	n := &node{kind: inOrder, at: p.pos}
	for p.pos < len(p.pattern) {
		if c := p.pattern[p.pos]; c == '|' || c == ')' {
			break
		}
		sub, err := p.atom()
		if err != nil {
			return nil, err
		}
		if sub == nil { // a comment or a flag
			continue
		}
		if sub, err = p.repeats(sub); err != nil {
			return nil, err
		}
		n.subs = append(n.subs, sub)
	}
	return n, nil
}

func (p *parser) repeats(n *node) (*node, error) {
	for {
		r := &node{kind: repeat, subs: []*node{n}, max: -1, at: p.pos}
		counted := false
		switch {
		case p.accept("*"):
		case p.accept("+"):
			r.min = 1
		case p.accept("?"):
			r.max = 1
		case p.accept("{"):
			var ok bool
			if r.min, r.max, ok = p.bounds(); !ok {
				p.pos = r.at // a brace that holds no numbers is a character
				return n, nil
			}
			if r.min > maxRepeat || r.max > maxRepeat || r.max >= 0 && r.max < r.min {
				return nil, p.fail("a repetition out of range")
			}
			counted = true
		default:
			return n, nil
		}
		switch {
		case p.accept("?"):
			r.greed = lazy
		case !counted && p.accept("+"): // {1,3}+ repeats the repetition in Ruby
			r.greed = possessive
		}
		if n.kind != oneOf && mayBeEmpty(n) && r.max < 0 {
			return nil, p.fail("a repetition without limit of what may be empty")
		}
		n = r
	}
}

// bounds reads 1,3} or 2} or ,3} or 2,}.
func (p *parser) bounds() (lo, hi int, ok bool) {
	body, _, found := strings.Cut(p.rest(), "}")
	if !found {
		return 0, 0, false
	}
	low, high, ranged := strings.Cut(body, ",")
	if !ranged {
		high = low
	}
	number := func(s string, missing int) (int, bool) {
		if s == "" && ranged {
			return missing, true
		}
		n, err := strconv.ParseUint(s, 10, 20)
		return int(n), err == nil
	}
	lo, ok1 := number(low, 0)
	hi, ok2 := number(high, -1)
	if !ok1 || !ok2 || low == "" && high == "" {
		return 0, 0, false
	}
	p.pos += len(body) + 1
	return lo, hi, true
}

func mayBeEmpty(n *node) bool {
	switch n.kind {
	case oneOf:
		return false
	case inOrder:
		return !slices.ContainsFunc(n.subs, func(s *node) bool { return !mayBeEmpty(s) })
	case anyOf:
		return slices.ContainsFunc(n.subs, mayBeEmpty)
	case repeat:
		return n.min == 0 || mayBeEmpty(n.subs[0])
	case atomic:
		return mayBeEmpty(n.subs[0])
	}
	return true
}
