package tokenizer

import (
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"cresset/internal/uniclass"
)

// form is a Unicode normalization form, with the characters of Unicode 9: later ones neither decompose nor move, which is how the
// tokenizers were made that ask for it.
type form struct {
	form      norm.Form // whether a text is normal already
	decompose norm.Form
	compose   bool
}

var forms = map[string]form{
	"NFC":  {norm.NFC, norm.NFD, true},
	"NFD":  {norm.NFD, norm.NFD, false},
	"NFKC": {norm.NFKC, norm.NFKD, true},
	"NFKD": {norm.NFKD, norm.NFKD, false},
}

func (f form) normalize(p piece) (piece, error) {
	if f.form.IsNormalString(p.text) {
		return p, nil
	}
	marks := f.decomposed(p.text)
	edits := make([]edit, len(marks))
	for i, m := range marks {
		edits[i] = m.edit
	}
	if f.compose {
		edits = composed(marks)
	}
	return p.edited(0, edits), nil
}

// mark is an edit with its canonical combining class.
type mark struct {
	edit
	class uint8
}

// decomposed returns the characters of text taken apart, marks in canonical order.
func (f form) decomposed(text string) []mark {
	known := uniclass.Of("unicode9")
	marks := make([]mark, 0, len(text))
	pending := 0 // marks from here on may still change their order
	add := func(r rune, change int) {
		var class uint8
		if r >= 0x300 && known.Has(r) {
			var buf [utf8.UTFMax]byte
			class = f.decompose.Properties(buf[:utf8.EncodeRune(buf[:], r)]).CCC()
		}
		if class == 0 {
			order(marks[pending:])
			pending = len(marks) + 1
		}
		marks = append(marks, mark{edit{r, change}, class})
	}
	for i, r := range text {
		if r < utf8.RuneSelf || !known.Has(r) {
			add(r, 0)
			continue
		}
		parts := f.decompose.PropertiesString(text[i:]).Decomposition()
		if isHangul(r) {
			parts = f.decompose.AppendString(nil, string(r))
		}
		if parts == nil {
			add(r, 0)
			continue
		}
		change := 0
		for _, part := range string(parts) {
			add(part, change)
			change = 1
		}
	}
	order(marks[min(pending, len(marks)):])
	return marks
}

func isHangul(r rune) bool { return r >= 0xac00 && r <= 0xd7a3 }

func order(marks []mark) {
	slices.SortStableFunc(marks, func(a, b mark) int { return int(a.class) - int(b.class) })
}

// composed puts marks together: each joins the last starter unless one of its class or a higher one stands between.
func composed(marks []mark) []edit {
	var out []edit
	starter := -1 // index in out
	var last uint8
	blocked := false // whether a mark stands behind the starter
	for _, m := range marks {
		if starter >= 0 && (!blocked || last < m.class) {
			if r, ok := pair(out[starter].r, m.r); ok {
				out[starter] = edit{r, out[starter].change + m.change - 1}
				continue
			}
		}
		if m.class == 0 {
			starter, blocked = len(out), false
		} else if starter >= 0 {
			last, blocked = m.class, true
		}
		out = append(out, m.edit)
	}
	return out
}

// pair returns the character that a and b make together.
func pair(a, b rune) (rune, bool) {
	if b < 0x300 || norm.NFC.PropertiesString(string(b)).BoundaryBefore() {
		return 0, false
	}
	s := norm.NFC.String(string([]rune{a, b}))
	r, w := utf8.DecodeRuneInString(s)
	return r, w == len(s) && uniclass.Of("unicode9").Has(r)
}
