package onig

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cresset/internal/uniclass"
)

func spaces() *uniclass.Set { return uniclass.Of("White_Space") }

// class reads what follows a [ up to its ].
func (p *parser) class() (*uniclass.Set, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fail("too many classes within classes")
	}
	defer func() { p.depth-- }()
	negative := p.accept("^")
	all := uniclass.New(uniclass.Range{Lo: 0, Hi: unicode.MaxRune})
	set, ranges := all, []uniclass.Range(nil)
	sofar := func() *uniclass.Set { return set.And(uniclass.New(ranges...)) }
	for first := true; ; first = false {
		switch {
		case p.pos >= len(p.pattern):
			return nil, p.fail("a [ without ]")
		case !first && p.accept("]"):
			if set = sofar(); negative {
				set = set.Not()
			}
			return set, nil
		case p.accept("&&"):
			set, ranges = sofar(), nil
			continue
		}
		lo, item, err := p.classItem()
		if err != nil {
			return nil, err
		}
		if item != nil {
			ranges = append(ranges, item.Ranges()...)
			continue
		}
		hi := lo
		if rest := p.rest(); len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			p.pos++
			if hi, item, err = p.classItem(); err != nil {
				return nil, err
			}
			if item != nil || hi < lo {
				return nil, p.fail("a range without end")
			}
		}
		ranges = append(ranges, uniclass.Range{Lo: lo, Hi: hi})
	}
}

// classItem reads a character, or a set: a class within the class or an escape such as \s.
func (p *parser) classItem() (rune, *uniclass.Set, error) {
	if p.accept("[:") {
		return p.posix()
	}
	r, w := utf8.DecodeRuneInString(p.rest())
	p.pos += w
	switch r {
	case '[':
		set, err := p.class()
		return 0, set, err
	case '\\':
		if p.accept("b") {
			return '\b', nil, nil
		}
		set, err := p.escape()
		if err != nil {
			return 0, nil, err
		}
		if ranges := set.Ranges(); len(ranges) == 1 && ranges[0].Lo == ranges[0].Hi {
			return ranges[0].Lo, nil, nil
		}
		return 0, set, nil
	}
	return r, nil, nil
}

func (p *parser) posix() (rune, *uniclass.Set, error) {
	name, _, ok := strings.Cut(p.rest(), ":]")
	names := map[string]string{"alpha": "L", "digit": "Nd", "space": "White_Space", "upper": "Lu", "lower": "Ll", "word": "word", "punct": "P"}
	class := names[strings.TrimPrefix(name, "^")]
	if !ok || class == "" {
		return 0, nil, p.fail("an unknown class [:" + name)
	}
	p.pos += len(name) + 2
	set := uniclass.Of(class)
	if strings.HasPrefix(name, "^") {
		set = set.Not()
	}
	return 0, set, nil
}

// simple are the characters that stand for others behind a backslash.
var simple = map[rune]rune{'n': '\n', 'r': '\r', 't': '\t', 'f': '\f', 'v': '\v', 'a': '\a', 'e': 0x1b}

// escape reads what follows a backslash.
func (p *parser) escape() (*uniclass.Set, error) {
	r, w := utf8.DecodeRuneInString(p.rest())
	if w == 0 {
		return nil, p.fail("a backslash without a character")
	}
	p.pos += w
	if s, ok := simple[r]; ok {
		return single(s), nil
	}
	switch r {
	case 's':
		return spaces(), nil
	case 'S':
		return spaces().Not(), nil
	case 'd':
		return uniclass.Of("Nd"), nil
	case 'D':
		return uniclass.Of("Nd").Not(), nil
	case 'w':
		return uniclass.Of("word"), nil
	case 'W':
		return uniclass.Of("word").Not(), nil
	case 'p', 'P':
		return p.property(r == 'P')
	case 'x', 'u':
		return p.code(r)
	}
	if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		p.pos -= w
		return nil, p.fail("an unknown escape")
	}
	return single(r), nil
}

// names are the long names of categories that patterns use.
var names = map[string]string{
	"letter": "L", "mark": "M", "number": "N", "punctuation": "P", "symbol": "S", "separator": "Z", "other": "C",
	"space": "White_Space", "whitespace": "White_Space", "alpha": "L", "digit": "Nd", "upper": "Lu", "lower": "Ll", "punct": "P",
}

// property reads {L} or {^Han}.
func (p *parser) property(negative bool) (*uniclass.Set, error) {
	body, _, ok := strings.Cut(p.rest(), "}")
	if !ok || !strings.HasPrefix(body, "{") {
		return nil, p.fail("a property without a name")
	}
	name := body[1:]
	if rest, inverted := strings.CutPrefix(name, "^"); inverted {
		name, negative = rest, !negative
	}
	if short, ok := names[strings.ToLower(name)]; ok {
		name = short
	}
	set := uniclass.Of(name)
	if set == nil || name == "unicode9" {
		return nil, p.fail("an unknown property " + name)
	}
	p.pos += len(body) + 1
	if negative {
		set = set.Not()
	}
	return set, nil
}

// code reads the digits of \x7f, \x{1F600} or \u00e9.
func (p *parser) code(kind rune) (*uniclass.Set, error) {
	digits, rest := "", p.rest()
	if body, _, ok := strings.Cut(rest, "}"); ok && kind == 'x' && strings.HasPrefix(body, "{") {
		digits = body[1:]
		p.pos += len(body) + 1
	} else {
		for most := map[rune]int{'x': 2, 'u': 4}[kind]; len(digits) < most && len(digits) < len(rest); {
			if !strings.ContainsRune("0123456789abcdefABCDEF", rune(rest[len(digits)])) {
				break
			}
			digits = rest[:len(digits)+1]
		}
		p.pos += len(digits)
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || n > unicode.MaxRune {
		return nil, p.fail("a code point out of range")
	}
	return single(rune(n)), nil
}
