package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// lossy returns b with U+FFFD in place of each longest part that begins a character and cannot go on, as Unicode recommends.
func lossy(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	for s := string(b); s != ""; {
		r, w := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && w == 1 {
			w = invalidLen(s)
		}
		out.WriteRune(r)
		s = s[w:]
	}
	return out.String()
}

// invalidLen returns how many bytes at the beginning of s, which is not UTF-8 there, stand for one U+FFFD: those that a character could
// begin with.
func invalidLen(s string) int {
	n := 1
	for n < len(s) && n < utf8.UTFMax && beginsRune(s[:n+1]) {
		n++
	}
	return n
}

// beginsRune reports whether bytes can follow s, of two bytes or three, that make it a character.
func beginsRune(s string) bool {
	lo, hi := byte(0x80), byte(0xbf)
	want := 0
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		want = 2
	case c == 0xe0:
		want, lo = 3, 0xa0
	case c == 0xed:
		want, hi = 3, 0x9f
	case c >= 0xe1 && c <= 0xef:
		want = 3
	case c == 0xf0:
		want, lo = 4, 0x90
	case c == 0xf4:
		want, hi = 4, 0x8f
	case c >= 0xf1 && c <= 0xf3:
		want = 4
	}
	if len(s) >= want || s[1] < lo || s[1] > hi {
		return false
	}
	return len(s) < 3 || s[2] >= 0x80 && s[2] <= 0xbf
}
