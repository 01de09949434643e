package tokenizer

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"cresset/internal/uniclass"
)

// charsmap is SentencePiece's compiled table of characters and what stands for them: a double-array trie (Darts) of strings in UTF-8,
// whose values are places in a list of strings that end with a zero.
type charsmap struct {
	units []uint32
	texts string
	// joins are the characters that belong to the one before: marks, joiners and vowel signs.
	joins *uniclass.Set
}

func newCharsmap(data []byte) (*charsmap, error) {
	bad := &Error{Part: "normalizer", Name: "Precompiled", Problem: "holds no trie"}
	if len(data) < 4 {
		return nil, bad
	}
	size, rest := binary.LittleEndian.Uint32(data), data[4:]
	if int64(size) > int64(len(rest)) || size%4 != 0 || size == 0 {
		return nil, bad
	}
	c := &charsmap{texts: string(rest[size:]), units: make([]uint32, size/4)}
	for i := range c.units {
		c.units[i] = binary.LittleEndian.Uint32(rest[4*i:])
	}
	others := uniclass.New(uniclass.Range{Lo: 0x200c, Hi: 0x200d}, uniclass.Range{Lo: 0xe33, Hi: 0xe33}, uniclass.Range{Lo: 0xeb3, Hi: 0xeb3},
		uniclass.Range{Lo: 0xff9e, Hi: 0xff9f})
	c.joins = uniclass.Of("M").Or(others)
	return c, nil
}

func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// lookup returns what stands for the shortest string of the table that s begins with.
func (c *charsmap) lookup(s string) (string, bool) {
	at := offset(c.units[0])
	for i := range len(s) {
		b := uint32(s[i])
		if at ^= b; b == 0 || int64(at) >= int64(len(c.units)) {
			return "", false
		}
		unit := c.units[at]
		if unit&(1<<31|0xff) != b {
			return "", false
		}
		at ^= offset(unit)
		if unit>>8&1 == 0 {
			continue
		}
		if int64(at) >= int64(len(c.units)) {
			return "", false
		}
		from := c.units[at] & (1<<31 - 1)
		if int64(from) > int64(len(c.texts)) {
			return "", false
		}
		text, _, _ := strings.Cut(c.texts[from:], "\x00")
		return text, utf8.ValidString(text)
	}
	return "", false
}

// maxCluster is the length in bytes below which characters that join are looked up as one.
const maxCluster = 6

func (c *charsmap) normalize(p piece) (piece, error) {
	var edits []edit
	changed := false
	for i := 0; i < len(p.text); {
		n := c.cluster(p.text[i:])
		part := p.text[i : i+n]
		i += n
		if n < maxCluster {
			if to, ok := c.lookup(part); ok {
				edits = appendReplaced(edits, part, to)
				changed = true
				continue
			}
		}
		for _, r := range part {
			if to, ok := c.lookup(string(r)); ok {
				edits = appendReplaced(edits, string(r), to)
				changed = true
				continue
			}
			edits = append(edits, edit{r, 0})
		}
	}
	if !changed {
		return p, nil
	}
	return p.edited(0, edits), nil
}

// cluster returns the length of the first character of s with those that join it.
func (c *charsmap) cluster(s string) int {
	if strings.HasPrefix(s, "\r\n") {
		return 2
	}
	r, n := utf8.DecodeRuneInString(s)
	if uniclass.Of("Cc").Has(r) || r == 0x2028 || r == 0x2029 {
		return n
	}
	for n < len(s) {
		r, w := utf8.DecodeRuneInString(s[n:])
		if !c.joins.Has(r) {
			break
		}
		n += w
	}
	return n
}

// appendReplaced adds the characters of to in the place of those of from: what is more was inserted, what is fewer removed.
func appendReplaced(edits []edit, from, to string) []edit {
	start := len(edits)
	for _, r := range to {
		edits = append(edits, edit{r, 0})
	}
	more := len(edits) - start - utf8.RuneCountInString(from)
	switch {
	case more > 0:
		for i := range more {
			edits[len(edits)-1-i].change = 1
		}
	case more < 0 && len(edits) > 0:
		edits[len(edits)-1].change += more
	}
	return edits
}
