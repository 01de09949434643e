package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"cresset/internal/uniclass"
)

// preTokenizer cuts a piece into words. It calls yield for each in order, never with an empty one.
type preTokenizer interface {
	split(p piece, yield func(piece) error) error
}

type preTokenizers []preTokenizer

func (ts preTokenizers) split(p piece, yield func(piece) error) error {
	switch len(ts) {
	case 0:
		return yield(p)
	case 1:
		return ts[0].split(p, yield)
	}
	return ts[0].split(p, func(p piece) error { return ts[1:].split(p, yield) })
}

// behavior says what becomes of the parts of a text that match a pattern.
type behavior string

const (
	removed            behavior = "Removed"
	isolated           behavior = "Isolated"           // each is a word
	contiguous         behavior = "Contiguous"         // those that touch are one word
	mergedWithPrevious behavior = "MergedWithPrevious" // each ends the word before it
	mergedWithNext     behavior = "MergedWithNext"     // each begins the word after it
)

// splitter cuts at what matches.
type splitter struct {
	pattern  pattern
	behavior behavior
}

func (s *splitter) split(p piece, yield func(piece) error) error {
	var failed error
	emit := func(lo, hi int) {
		if failed == nil && lo < hi {
			failed = yield(p.slice(lo, hi))
		}
	}
	start, before := 0, false // of the word that may still grow, and whether what it ends with matched
	err := s.pattern.find(p.text, func(lo, hi int, match bool) {
		cut := true
		switch s.behavior {
		case removed:
			emit(lo, map[bool]int{true: lo, false: hi}[match])
			return
		case isolated:
			emit(lo, hi)
			return
		case contiguous:
			cut = match != before
		case mergedWithPrevious:
			cut = !match || before
		case mergedWithNext:
			cut = match || !before
		}
		if cut {
			emit(start, lo)
			start = lo
		}
		before = match
	})
	if s.behavior != removed && s.behavior != isolated {
		emit(start, len(p.text))
	}
	if failed != nil {
		return failed
	}
	return err
}

// spacer puts another character in the place of spaces, before the text too, and cuts there.
type spacer struct {
	replacement string
	scheme      string // always, first (in the text) or never
	whole       bool   // it does not cut
}

func (s *spacer) split(p piece, yield func(piece) error) error {
	first := p.at == 0
	p = p.replaced(spansOf(literal(" "), p.text), s.replacement)
	if !strings.HasPrefix(p.text, s.replacement) && (s.scheme == "always" || s.scheme == "first" && first) {
		p = p.prepend(s.replacement)
	}
	if s.whole {
		return yield(p)
	}
	return (&splitter{literal(s.replacement), mergedWithNext}).split(p, yield)
}

func spansOf(pattern literal, text string) []Offset {
	var spans []Offset
	last := 0
	for {
		i := strings.Index(text[last:], string(pattern))
		if i < 0 {
			return spans
		}
		spans = append(spans, Offset{last + i, last + i + len(pattern)})
		last += i + len(pattern)
	}
}

// byteSplitter cuts words as GPT-2 does and writes a character for each byte.
type byteSplitter struct {
	prefixSpace bool
	words       pattern // nil: it does not cut
	// raw leaves bytes as they are, for a model that knows what they are written as.
	raw bool
}

const gpt2Words = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

func (b *byteSplitter) split(p piece, yield func(piece) error) error {
	if b.prefixSpace && !strings.HasPrefix(p.text, " ") {
		p = p.prepend(" ")
	}
	if !b.raw {
		final := yield
		yield = func(p piece) error { return final(p.byteLevel()) }
	}
	if b.words == nil {
		return yield(p)
	}
	return (&splitter{b.words, isolated}).split(p, yield)
}

// fixedLength cuts after every so many characters.
type fixedLength int

func (n fixedLength) split(p piece, yield func(piece) error) error {
	for lo := 0; lo < len(p.text); {
		hi := lo + width(p.text[lo:], int(n))
		if err := yield(p.slice(lo, hi)); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7f && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return uniclass.Of("bert_punctuation").Has(r)
}

func (c *component) preTokenizer(depth int) (preTokenizer, error) {
	switch c.Type {
	case "Sequence":
		return sequence(c.PreTokenizers, depth, (*component).preTokenizer, func(ts []preTokenizer) preTokenizer { return preTokenizers(ts) })
	case "ByteLevel":
		b := &byteSplitter{prefixSpace: c.prefixSpace()}
		if c.UseRegex == nil || *c.UseRegex {
			words, err := newExpression(gpt2Words)
			if err != nil {
				return nil, err
			}
			b.words = words
		}
		return b, nil
	case "Metaspace":
		scheme, err := c.scheme()
		return &spacer{c.Replacement, scheme, c.Split != nil && !*c.Split}, err
	case "Split":
		pattern, err := c.Pattern.compile()
		if err != nil {
			return nil, err
		}
		if c.Invert {
			pattern = inverted{pattern}
		}
		return c.splitter(pattern, "")
	case "Punctuation":
		return c.splitter(runes(isPunctuation), isolated)
	case "Digits":
		numeric := uniclass.Of("rust_numeric")
		if c.IndividualDigits {
			return &splitter{runes(numeric.Has), isolated}, nil
		}
		return &splitter{runes(numeric.Has), contiguous}, nil
	case "WhitespaceSplit":
		return &splitter{runes(unicode.IsSpace), removed}, nil
	case "Whitespace":
		return whitespace(), nil
	case "BertPreTokenizer":
		return preTokenizers{&splitter{runes(unicode.IsSpace), removed}, &splitter{runes(isPunctuation), isolated}}, nil
	case "CharDelimiterSplit":
		return &splitter{literal(c.Delimiter), removed}, nil
	case "FixedLength":
		if c.Length == nil {
			return fixedLength(5), nil
		}
		if *c.Length < 1 {
			return nil, &Error{Part: "pre_tokenizer", Name: c.Type, Problem: "has no length"}
		}
		return fixedLength(*c.Length), nil
	}
	return nil, &Error{Part: "pre_tokenizer", Name: c.Type, Problem: "is not known"}
}

func (c *component) splitter(p pattern, ifNone behavior) (preTokenizer, error) {
	b := behavior(c.Behavior)
	if b == "" {
		b = ifNone
	}
	switch b {
	case removed, isolated, contiguous, mergedWithPrevious, mergedWithNext:
		return &splitter{p, b}, nil
	}
	return nil, &Error{Part: "pre_tokenizer", Name: c.Type, Problem: "has the unknown behavior " + c.Behavior}
}

// whitespace finds \w+|[^\w\s]+, with the word characters of Rust.
func whitespace() preTokenizer {
	word := uniclass.Of("rust_word")
	return preTokenizers{
		&splitter{runes(unicode.IsSpace), removed},
		&splitter{runes(word.Has), contiguous},
	}
}
