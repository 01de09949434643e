package tokenizer

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"

	"cresset/internal/uniclass"
)

// normalizer changes a text before it is split.
type normalizer interface {
	normalize(p piece) (piece, error)
}

type normalizers []normalizer

func (ns normalizers) normalize(p piece) (piece, error) {
	var err error
	for _, n := range ns {
		if p, err = n.normalize(p); err != nil {
			return p, err
		}
	}
	return p, nil
}

// normalizeFunc is a normalizer that cannot fail.
type normalizeFunc func(p piece) piece

func (f normalizeFunc) normalize(p piece) (piece, error) { return f(p), nil }

// replacer puts content in place of what pattern matches.
type replacer struct {
	pattern pattern
	content string
}

func (r *replacer) normalize(p piece) (piece, error) {
	var spans []Offset
	err := r.pattern.find(p.text, func(lo, hi int, match bool) {
		if match {
			spans = append(spans, Offset{lo, hi})
		}
	})
	return p.replaced(spans, r.content), err
}

func (c *component) normalizer(depth int) (normalizer, error) {
	if f, ok := forms[c.Type]; ok {
		return f, nil
	}
	switch c.Type {
	case "Sequence":
		return sequence(c.Normalizers, depth, (*component).normalizer, func(ns []normalizer) normalizer { return normalizers(ns) })
	case "BertNormalizer":
		return &bertNormalizer{clean: c.CleanText, chinese: c.ChineseChars, accents: c.StripAccents, lower: c.Lowercase}, nil
	case "Strip":
		return normalizeFunc(func(p piece) piece { return p.strip(c.StripLeft, c.StripRight) }), nil
	case "StripAccents":
		marks := uniclass.Of("combining")
		return normalizeFunc(func(p piece) piece { return p.filter(func(r rune) bool { return !marks.Has(r) }) }), nil
	case "Lowercase":
		return normalizeFunc(lowercase), nil
	case "Nmt":
		return normalizeFunc(nmt), nil
	case "Prepend":
		return normalizeFunc(func(p piece) piece { return p.prepend(c.Prepend) }), nil
	case "Replace":
		pattern, err := c.Pattern.compile()
		return &replacer{pattern, c.Content}, err
	case "ByteLevel":
		return normalizeFunc(piece.byteLevel), nil
	case "Precompiled":
		charsmap, err := base64.StdEncoding.DecodeString(c.Charsmap)
		if err != nil {
			return nil, &Error{Part: "normalizer", Name: c.Type, Problem: err.Error()}
		}
		return newCharsmap(charsmap)
	}
	return nil, &Error{Part: "normalizer", Name: c.Type, Problem: "is not known"}
}

func (p piece) strip(left, right bool) piece {
	lo, hi := 0, len(p.text)
	if left {
		lo = hi - len(strings.TrimLeftFunc(p.text, unicode.IsSpace))
	}
	if right {
		hi = max(lo, len(strings.TrimRightFunc(p.text, unicode.IsSpace)))
	}
	if lo == 0 {
		return p.slice(0, hi)
	}
	return piece{text: p.text[lo:hi], from: p.origins(nil, lo, hi), at: p.at}
}

func lowercase(p piece) piece {
	var edits []edit
	changed := false
	for _, r := range p.text {
		if r == 'İ' { // the one letter whose small form has two characters
			edits = append(edits, edit{'i', 0}, edit{0x307, 1})
			changed = true
			continue
		}
		l := uniclass.Lower(r)
		changed = changed || l != r
		edits = append(edits, edit{l, 0})
	}
	if !changed {
		return p
	}
	return p.edited(0, edits)
}

// nmt drops control characters and makes spaces of unusual ones, as SentencePiece's rules "nmt" do.
func nmt(p piece) piece {
	p = p.filter(func(r rune) bool {
		return !(r >= 1 && r <= 8 || r == 0xb || r >= 0xe && r <= 0x1f || r == 0x7f || r == 0x8f || r == 0x9f)
	})
	return p.mapped(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\f', r == '\r', r == 0x1680, r >= 0x200b && r <= 0x200f, r == 0x2028, r == 0x2029,
			r == 0x2581, r == 0xfeff, r == utf8.RuneError:
			return ' '
		}
		return r
	})
}

// bertNormalizer cleans text as BERT does.
type bertNormalizer struct {
	clean, chinese, lower bool
	accents               *bool // nil: as lower
}

func (b *bertNormalizer) normalize(p piece) (piece, error) {
	if b.clean {
		control := uniclass.Of("bert_control")
		p = p.filter(func(r rune) bool { return !control.Has(r) })
		p = p.mapped(func(r rune) rune {
			if unicode.IsSpace(r) {
				return ' '
			}
			return r
		})
	}
	if b.chinese {
		p = spaced(p)
	}
	if strip := b.accents; strip != nil && *strip || strip == nil && b.lower {
		var err error
		if p, err = forms["NFD"].normalize(p); err != nil {
			return p, err
		}
		marks := uniclass.Of("bert_mn")
		p = p.filter(func(r rune) bool { return r < 0x300 || !marks.Has(r) })
	}
	if b.lower {
		p = lowercase(p)
	}
	return p, nil
}

// spaced puts a space before and behind every Chinese character.
func spaced(p piece) piece {
	if !strings.ContainsFunc(p.text, isChinese) {
		return p
	}
	var edits []edit
	for _, r := range p.text {
		if isChinese(r) {
			edits = append(edits, edit{' ', 0}, edit{r, 1}, edit{' ', 1})
			continue
		}
		edits = append(edits, edit{r, 0})
	}
	return p.edited(0, edits)
}

func isChinese(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0x20000 && r <= 0x2a6df || r >= 0x2a700 && r <= 0x2b73f ||
		r >= 0x2b740 && r <= 0x2b81f || r >= 0x2b920 && r <= 0x2ceaf || r >= 0xf900 && r <= 0xfaff || r >= 0x2f800 && r <= 0x2fa1f
}
