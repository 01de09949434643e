package smi

import (
	"strings"
	"unicode"
)

// Printable returns text with a question mark in the place of every character that a terminal would obey rather than show: a
// process chooses its own name, escape sequences included.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return '?'
	}, text)
}
