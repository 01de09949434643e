package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexeme is a piece of a template: text, or a token of a tag.
type lexeme struct {
	kind lexKind
	text string
	line int
}

type lexKind int

const (
	text lexKind = iota
	openTag
	closeTag
	openValue
	closeValue
	name
	number
	str
	symbol
	end
)

type lexer struct {
	source string
	pos    int
	line   int
	out    []lexeme
}

func lex(source string) []lexeme {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	l := &lexer{source: strings.TrimSuffix(source, "\n"), line: 1}
	trim := false // the blanks at the beginning of the next text
	for l.pos < len(l.source) {
		trim = l.next(trim)
	}
	l.add(end, "")
	return l.out
}

func (l *lexer) add(kind lexKind, text string) { l.out = append(l.out, lexeme{kind, text, l.line}) }

func (l *lexer) fail(message string) { panic(&Error{Line: l.line, Message: message}) }

// advance moves past n bytes.
func (l *lexer) advance(n int) string {
	s := l.source[l.pos : l.pos+n]
	l.pos += n
	l.line += strings.Count(s, "\n")
	return s
}

// next reads text and the tag behind it. It reports whether the blanks behind the tag are left out.
func (l *lexer) next(trim bool) bool {
	rest := l.source[l.pos:]
	n := len(rest)
	kind := byte(0)
	for i := 0; i+1 < len(rest); i++ {
		if rest[i] == '{' && (rest[i+1] == '{' || rest[i+1] == '%' || rest[i+1] == '#') {
			n, kind = i, rest[i+1]
			break
		}
	}
	before := rest[:n]
	if trim {
		before = strings.TrimLeftFunc(before, unicode.IsSpace)
	}
	if kind != 0 {
		switch mark := rest[n:]; {
		case len(mark) > 2 && mark[2] == '-':
			before = strings.TrimRightFunc(before, unicode.IsSpace)
		case len(mark) > 2 && mark[2] == '+' || kind == '{':
		default: // spaces alone before a tag on its line
			line := before[strings.LastIndexByte(before, '\n')+1:]
			if strings.Trim(line, " \t\v\f") == "" && (len(line) < len(before) || l.pos == 0 || l.source[l.pos-1] == '\n') {
				before = before[:len(before)-len(line)]
			}
		}
	}
	if before != "" {
		l.add(text, before)
	}
	l.advance(n)
	if kind == 0 {
		return false
	}
	return l.tag(kind)
}

func (l *lexer) tag(kind byte) (trim bool) {
	l.advance(2)
	if kind == '#' {
		i := strings.Index(l.source[l.pos:], "#}")
		if i < 0 {
			l.fail("a comment without end")
		}
		body := l.advance(i)
		l.advance(2)
		l.newline()
		return strings.HasSuffix(body, "-")
	}
	if l.pos < len(l.source) && (l.source[l.pos] == '-' || l.source[l.pos] == '+') {
		l.advance(1)
	}
	closing, open, shut := "%}", openTag, closeTag
	if kind == '{' {
		closing, open, shut = "}}", openValue, closeValue
	}
	l.add(open, "")
	braces := 0
	for {
		l.advance(len(l.source[l.pos:]) - len(strings.TrimLeftFunc(l.source[l.pos:], unicode.IsSpace)))
		rest := l.source[l.pos:]
		if rest == "" {
			l.fail("a tag without end")
		}
		if braces == 0 {
			if strings.HasPrefix(rest, "-"+closing) {
				l.add(shut, "")
				l.advance(3)
				return true
			}
			if strings.HasPrefix(rest, closing) {
				l.add(shut, "")
				l.advance(2)
				if kind == '%' {
					l.newline()
				}
				return false
			}
		}
		switch rest[0] {
		case '{', '(', '[':
			braces++
		case '}', ')', ']':
			braces--
		}
		l.token(rest)
	}
}

// newline leaves out the line break behind a tag.
func (l *lexer) newline() {
	if strings.HasPrefix(l.source[l.pos:], "\n") {
		l.advance(1)
	}
}

var symbols = []string{"**", "//", "==", "!=", "<=", ">=", "{", "}", "(", ")", "[", "]", "+", "-", "*", "/", "%", "~", "<", ">", "=", ".", ",", ":", "|"}

func (l *lexer) token(rest string) {
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == '"' || r == '\'':
		l.quoted(rest)
		return
	case r >= '0' && r <= '9':
		n := 0
		for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == '_' || rest[n] == '.' && n+1 < len(rest) && rest[n+1] >= '0' && rest[n+1] <= '9') {
			n++
		}
		l.add(number, strings.ReplaceAll(rest[:n], "_", ""))
		l.advance(n)
		return
	case r == '_' || unicode.IsLetter(r):
		n := strings.IndexFunc(rest, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if n < 0 {
			n = len(rest)
		}
		l.add(name, rest[:n])
		l.advance(n)
		return
	}
	for _, s := range symbols {
		if strings.HasPrefix(rest, s) {
			l.add(symbol, s)
			l.advance(len(s))
			return
		}
	}
	l.fail("unexpected character " + string(r))
}

func (l *lexer) quoted(rest string) {
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == rest[0]:
			l.add(str, b.String())
			l.advance(i + 1)
			return
		case c == '\\' && i+1 < len(rest):
			i++
			switch rest[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'r':
				b.WriteByte('\r')
			case '\\', '\'', '"':
				b.WriteByte(rest[i])
			default:
				b.WriteByte('\\')
				b.WriteByte(rest[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	l.fail("a string without end")
}
