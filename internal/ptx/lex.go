package ptx

import (
	"fmt"
	"strings"
)

// token is a word, number, string or punctuation mark of PTX.
type token struct {
	kind tokenKind
	text string
	line int
}

type tokenKind uint8

const (
	endOfText tokenKind = iota
	wordToken           // add.s32 %r1 $L__BB0_2 .reg
	numberToken
	stringToken
	markToken // one character
)

// lexer cuts text into tokens.
type lexer struct {
	name string
	text string
	at   int
	line int
}

// next returns the next token. It panics with a *ParseError.
func (l *lexer) next() token {
	l.skip()
	if l.at == len(l.text) {
		return token{endOfText, "the end of the text", l.line}
	}
	start := l.at
	c := l.text[start]
	switch {
	case isDigit(c):
		for l.at < len(l.text) && (isWord(l.text[l.at]) || l.text[l.at] == '.') {
			l.at++
		}
		return token{numberToken, l.text[start:l.at], l.line}
	case isWord(c) || c == '.' || c == '%':
		for l.at++; l.at < len(l.text) && (isWord(l.text[l.at]) || l.text[l.at] == '.' || l.colons()); l.at++ {
		}
		return token{wordToken, l.text[start:l.at], l.line}
	case c == '"':
		n := strings.IndexAny(l.text[start+1:], "\"\n")
		if n < 0 || l.text[start+1+n] == '\n' {
			panic(&ParseError{l.name, l.line, "a string does not end on its line"})
		}
		l.at = start + n + 2
		return token{stringToken, l.text[start+1 : l.at-1], l.line}
	case strings.IndexByte(",;:{}()[]@!=+-<>|", c) >= 0:
		l.at++
		return token{markToken, l.text[start:l.at], l.line}
	}
	panic(&ParseError{l.name, l.line, fmt.Sprintf("unexpected character %q", c)})
}

// colons passes the first of two colons: they are a part of words such as shared::cta.
func (l *lexer) colons() bool {
	if strings.HasPrefix(l.text[l.at:], "::") {
		l.at++
		return true
	}
	return false
}

// skip passes blanks and comments.
func (l *lexer) skip() {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		switch {
		case rest[0] == '\n':
			l.line++
			l.at++
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			l.at++
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			l.at += n
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 {
				panic(&ParseError{l.name, l.line, "a comment does not end"})
			}
			l.line += strings.Count(rest[:n], "\n")
			l.at += n + 2
		default:
			return
		}
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
}
