package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// Offset is where something lies in a text: text[Start:End], in bytes.
type Offset struct{ Start, End int }

// piece is a part of a text as normalizers left it, in valid UTF-8. Each of its bytes knows the character of the text that it came from.
type piece struct {
	text string
	// from has for every byte of text the bytes of the original; nil where text stands in the original as it is, from at on.
	from []Offset
	at   int // where the piece began in the original before normalizers took something away
}

// newPiece returns text, in which U+FFFD takes the place of what is not UTF-8.
func newPiece(text string) piece {
	if utf8.ValidString(text) {
		return piece{text: text}
	}
	var b strings.Builder
	var from []Offset
	for i := 0; i < len(text); {
		r, w := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && w == 1 {
			w = invalidLen(text[i:])
		}
		b.WriteRune(r)
		for range utf8.RuneLen(r) {
			from = append(from, Offset{i, i + w})
		}
		i += w
	}
	return piece{text: b.String(), from: from}
}

// slice returns the bytes from lo to hi.
func (p piece) slice(lo, hi int) piece {
	s := piece{text: p.text[lo:hi], at: p.at + lo}
	if p.from != nil {
		s.from, s.at = p.from[lo:hi], p.at
		if hi > lo {
			s.at = s.from[0].Start
		}
	}
	return s
}

// origin returns where the characters of the original lie that the bytes from lo to hi came from.
func (p piece) origin(lo, hi int) Offset {
	if lo >= hi || hi > len(p.text) {
		return Offset{p.at + lo, p.at + hi}
	}
	if p.from != nil {
		return Offset{p.from[lo].Start, p.from[hi-1].End}
	}
	for lo > 0 && !utf8.RuneStart(p.text[lo]) {
		lo--
	}
	for hi < len(p.text) && !utf8.RuneStart(p.text[hi]) {
		hi++
	}
	return Offset{p.at + lo, p.at + hi}
}

// byteOrigin is origin for one byte.
func (p piece) byteOrigin(i int) Offset {
	if p.from != nil {
		return p.from[i]
	}
	return p.origin(i, i+1)
}

// edit is a character of a new text. It takes the place of the next one of the old text and of those that -change says, or is
// inserted behind what came before where change is positive.
type edit struct {
	r      rune
	change int
}

// edited returns p with the text that edits describe, from behind its first skip characters on.
func (p piece) edited(skip int, edits []edit) piece {
	at := width(p.text, skip)
	text := make([]byte, 0, len(p.text))
	from := make([]Offset, 0, len(p.text))
	for _, e := range edits {
		o := Offset{p.at, p.at}
		switch {
		case e.change > 0 && at > 0:
			o = p.byteOrigin(at - 1)
		case e.change <= 0 && at < len(p.text):
			o = p.byteOrigin(at)
		}
		if e.change <= 0 {
			at += width(p.text[at:], 1-e.change)
		}
		text = utf8.AppendRune(text, e.r)
		for range utf8.RuneLen(e.r) {
			from = append(from, o)
		}
	}
	return piece{text: string(text), from: from, at: p.at}
}

// width returns how many bytes the first n characters of s take.
func width(s string, n int) int {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, w := utf8.DecodeRuneInString(s[at:])
		at += w
	}
	return at
}

// origins returns from, made where the text stands in the original as it is.
func (p piece) origins(dst []Offset, lo, hi int) []Offset {
	if p.from != nil {
		return append(dst, p.from[lo:hi]...)
	}
	for i, r := range p.text[lo:hi] {
		w := utf8.RuneLen(r)
		for range w {
			dst = append(dst, Offset{p.at + lo + i, p.at + lo + i + w})
		}
	}
	return dst
}

// prepend returns p with s before it; the new characters came from where the first of p did. Nothing is put before nothing.
func (p piece) prepend(s string) piece {
	if p.text == "" || s == "" {
		return p
	}
	from := make([]Offset, 0, len(s)+len(p.text))
	for range len(s) {
		from = append(from, p.byteOrigin(0))
	}
	return piece{text: s + p.text, from: p.origins(from, 0, len(p.text)), at: p.at}
}

// filter returns p without the characters for which keep is false.
func (p piece) filter(keep func(rune) bool) piece {
	dropped := false
	for _, r := range p.text {
		if !keep(r) {
			dropped = true
			break
		}
	}
	if !dropped {
		return p
	}
	var edits []edit
	skip, removed := 0, 0
	for _, r := range p.text {
		if !keep(r) {
			removed++
			continue
		}
		if n := len(edits); n > 0 {
			edits[n-1].change = -removed
		} else {
			skip = removed
		}
		edits = append(edits, edit{r: r})
		removed = 0
	}
	if n := len(edits); n > 0 {
		edits[n-1].change = -removed
	}
	return p.edited(skip, edits)
}

// mapped returns p with f of each character in its place.
func (p piece) mapped(f func(rune) rune) piece {
	var edits []edit
	changed := false
	for _, r := range p.text {
		to := f(r)
		changed = changed || to != r
		edits = append(edits, edit{r: to})
	}
	if !changed {
		return p
	}
	return p.edited(0, edits)
}

// replaced returns p with content in place of each of spans, which are bytes of p's text in order.
func (p piece) replaced(spans []Offset, content string) piece {
	if len(spans) == 0 {
		return p
	}
	var b strings.Builder
	from := make([]Offset, 0, len(p.text))
	last := 0
	for _, s := range spans {
		b.WriteString(p.text[last:s.Start])
		from = p.origins(from, last, s.Start)
		o := Offset{p.at, p.at}
		if s.End > 0 {
			o = p.byteOrigin(s.End - 1)
		}
		b.WriteString(content)
		for range len(content) {
			from = append(from, o)
		}
		last = s.End
	}
	b.WriteString(p.text[last:])
	return piece{text: b.String(), from: p.origins(from, last, len(p.text)), at: p.at}
}
