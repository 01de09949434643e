package onig

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"cresset/internal/uniclass"
)

// atom reads what stands before a repetition: a character, a class, a group, an anchor. It is nil for a comment or a flag.
func (p *parser) atom() (*node, error) {
	at := p.pos
	r, w := utf8.DecodeRuneInString(p.rest())
	p.pos += w
	switch r {
	case '(':
		return p.group(at)
	case '[':
		set, err := p.class()
		return p.oneOf(at, set), err
	case '.':
		if p.flags.dotAll {
			return &node{kind: oneOf, set: uniclass.New(uniclass.Range{Lo: 0, Hi: unicode.MaxRune}), at: at}, nil
		}
		return &node{kind: oneOf, set: single('\n').Not(), at: at}, nil
	case '^':
		return &node{kind: lineStart, at: at}, nil
	case '$':
		return &node{kind: lineEnd, at: at}, nil
	case '*', '+', '?':
		return nil, p.fail("a repetition of nothing")
	case '\\':
		return p.escaped(at)
	}
	if p.flags.extended {
		if strings.ContainsRune(" \t\n\r\f\v", r) {
			return nil, nil
		}
		if r == '#' {
			comment, _, _ := strings.Cut(p.rest(), "\n")
			p.pos += len(comment)
			return nil, nil
		}
	}
	return p.oneOf(at, single(r)), nil
}

func single(r rune) *uniclass.Set { return uniclass.New(uniclass.Range{Lo: r, Hi: r}) }

func (p *parser) oneOf(at int, set *uniclass.Set) *node {
	if set != nil && p.flags.fold {
		set = set.Folded()
	}
	return &node{kind: oneOf, set: set, at: at}
}

func (p *parser) group(at int) (*node, error) {
	n := &node{at: at}
	switch {
	case !strings.HasPrefix(p.rest(), "?"): // captures nothing that could be asked for
		return p.closed(n)
	case p.accept("?:"):
		return p.closed(n)
	case p.accept("?="):
		n.kind = look
	case p.accept("?!"):
		n.kind, n.negative = look, true
	case p.accept("?<="):
		n.kind, n.behind = look, true
	case p.accept("?<!"):
		n.kind, n.behind, n.negative = look, true, true
	case p.accept("?>"):
		n.kind = atomic
	case p.accept("?#"):
		comment, _, ok := strings.Cut(p.rest(), ")")
		if !ok {
			return nil, p.fail("a comment without end")
		}
		p.pos += len(comment) + 1
		return nil, nil
	default:
		return p.flagged(n)
	}
	return p.closed(n)
}

// closed reads the rest of a group. Of plain groups the node is what they hold.
func (p *parser) closed(n *node) (*node, error) {
	sub, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if !p.accept(")") {
		return nil, p.fail("a ( without )")
	}
	if n.kind == oneOf {
		return sub, nil
	}
	n.subs = []*node{sub}
	return n, nil
}

// flagged reads (?i:...) and (?i), which holds until the group around it ends.
func (p *parser) flagged(n *node) (*node, error) {
	p.pos++ // ?
	before, on := p.flags, true
	for p.pos < len(p.pattern) {
		c := p.pattern[p.pos]
		p.pos++
		switch c {
		case '-':
			on = false
		case 'i':
			p.flags.fold = on
		case 'm':
			p.flags.dotAll = on
		case 'x':
			p.flags.extended = on
		case ':':
			n, err := p.closed(n)
			p.flags = before
			return n, err
		case ')':
			if strings.IndexByte(p.rest(), '|') >= 0 {
				return nil, p.fail("a flag for several alternatives")
			}
			return nil, nil
		default:
			p.pos--
			return nil, p.fail("an unknown kind of group")
		}
	}
	return nil, p.fail("a ( without )")
}

var anchors = map[rune]nodeKind{
	'A': textStart, 'z': textEnd, 'Z': textEndOrNewline, 'b': wordEdge, 'B': noWordEdge,
}

func (p *parser) escaped(at int) (*node, error) {
	r, w := utf8.DecodeRuneInString(p.rest())
	if kind, ok := anchors[r]; ok && w > 0 {
		p.pos += w
		return &node{kind: kind, at: at}, nil
	}
	set, err := p.escape()
	if err != nil {
		return nil, err
	}
	return p.oneOf(at, set), nil
}
