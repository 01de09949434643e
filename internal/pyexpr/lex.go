package pyexpr

import (
	"strings"
	"unicode"
)

// tokens splits an expression into names, numbers, strings with their quotes, and operators.
func tokens(text string) []string {
	var list []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		n := width(text)
		list = append(list, text[:n])
		text = text[n:]
	}
	return list
}

// width returns how many bytes the first token of text takes.
func width(text string) int {
	switch c := rune(text[0]); {
	case c == '\'' || c == '"':
		end := strings.IndexRune(text[1:], c)
		if end < 0 {
			fail("a string does not end: %s", text)
		}
		return end + 2
	case isDigit(c) || c == '.' && len(text) > 1 && isDigit(rune(text[1])):
		return numberWidth(text)
	case isLetter(c):
		return span(text, func(r rune) bool { return isLetter(r) || isDigit(r) })
	}
	for _, operator := range []string{"...", "**", "//", "==", "!=", "<=", ">="} {
		if strings.HasPrefix(text, operator) {
			return len(operator)
		}
	}
	return 1
}

// numberWidth counts the sign of an exponent, 1e-05, to the number.
func numberWidth(text string) int {
	n := span(text, func(r rune) bool { return isLetter(r) || isDigit(r) || r == '.' })
	if last := text[n-1]; n < len(text) && (last == 'e' || last == 'E') && (text[n] == '-' || text[n] == '+') {
		n += 1 + span(text[n+1:], isDigit)
	}
	return n
}

func span(text string, in func(rune) bool) int {
	if n := strings.IndexFunc(text, func(r rune) bool { return !in(r) }); n >= 0 {
		return n
	}
	return len(text)
}

func isLetter(r rune) bool { return r == '_' || unicode.IsLetter(r) }
func isDigit(r rune) bool  { return r >= '0' && r <= '9' }
