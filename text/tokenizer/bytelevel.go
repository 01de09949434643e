package tokenizer

import "unicode/utf8"

// byteRunes are the characters by which GPT-2 writes bytes, so that each can be seen: those of Latin-1 that can be seen stand for
// themselves, the others for what follows U+0100.
var byteRunes, runeBytes = func() (runes [256]rune, bytes map[rune]byte) {
	bytes = map[rune]byte{}
	next := rune(0x100)
	for b := range 256 {
		r := rune(b)
		if b < '!' || b > '~' && b < 0xa1 || b == 0xad {
			r = next
			next++
		}
		runes[b], bytes[r] = r, byte(b)
	}
	return runes, bytes
}()

// byteLevel returns p with a character for each byte.
func (p piece) byteLevel() piece {
	text := make([]byte, 0, 2*len(p.text))
	from := make([]Offset, 0, 2*len(p.text))
	for i := range len(p.text) {
		r := byteRunes[p.text[i]]
		text = utf8.AppendRune(text, r)
		o := p.byteOrigin(i)
		for range utf8.RuneLen(r) {
			from = append(from, o)
		}
	}
	return piece{text: string(text), from: from, at: p.at}
}

// unbyte returns the bytes for which the characters of s stand. It is false where one stands for none.
func unbyte(dst []byte, s string) ([]byte, bool) {
	start := len(dst)
	for _, r := range s {
		b, ok := runeBytes[r]
		if !ok {
			return dst[:start], false
		}
		dst = append(dst, b)
	}
	return dst, true
}
