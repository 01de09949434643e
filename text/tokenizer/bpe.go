package tokenizer

import (
	"encoding/json"
	"math"
	"strings"
	"unicode/utf8"
)

// bpe begins with the characters of a word, or its bytes, and joins neighbors in the order in which its training joined them.
type bpe struct {
	*vocab
	merges       mergeTable
	unk          *string
	prefix       string // of tokens inside a word
	suffix       string // of the last token of a word
	fuseUnk      bool
	byteFallback bool
	ignoreMerges bool // a word that is a token is that token
	fallback     [256]int32

	// bytes says that words come as bytes and not as the characters that stand for bytes.
	bytes    bool
	byteIDs  [256]int32
	rawWords map[string]int32
}

// mergeSpec is a pair of tokens to join, in a file "a b" or ["a", "b"].
type mergeSpec [2]string

func (m *mergeSpec) UnmarshalJSON(data []byte) error {
	var line string
	if err := json.Unmarshal(data, &line); err != nil {
		var pair []string
		if err := json.Unmarshal(data, &pair); err != nil {
			return err
		}
		if len(pair) != 2 {
			return &Error{Part: "model", Name: "merges", Problem: "has an entry that is no pair"}
		}
		*m = mergeSpec(pair)
		return nil
	}
	return m.read(line)
}

func (m *mergeSpec) read(line string) error {
	a, b, ok := strings.Cut(line, " ")
	if !ok || strings.Contains(b, " ") {
		return &Error{Part: "model", Name: line, Problem: "is no pair of merges"}
	}
	*m = mergeSpec{a, b}
	return nil
}

func newBPE(m *modelSpec, v *vocab) (*bpe, error) {
	b := &bpe{vocab: v, unk: m.UnkToken, fuseUnk: m.FuseUnk, byteFallback: m.ByteFallback, ignoreMerges: m.IgnoreMerges}
	if m.Dropout != nil && *m.Dropout != 0 {
		return nil, &Error{Part: "model", Name: "dropout", Problem: "is for training and not implemented"}
	}
	if m.ContinuingPrefix != nil {
		b.prefix = *m.ContinuingPrefix
	}
	if m.EndOfWordSuffix != nil {
		b.suffix = *m.EndOfWordSuffix
	}
	b.merges.grow(len(m.Merges))
	for rank, pair := range m.Merges {
		left, ok1 := v.ids[pair[0]]
		right, ok2 := v.ids[pair[1]]
		joined, ok3 := int32(0), false
		if len(pair[1]) >= len(b.prefix) {
			joined, ok3 = v.ids[pair[0]+pair[1][len(b.prefix):]]
		}
		if !ok1 || !ok2 || !ok3 {
			return nil, &Error{Part: "model", Name: pair[0] + " " + pair[1], Problem: "joins what is not in the vocabulary"}
		}
		b.merges.set(left, right, merge{int32(rank), joined})
	}
	for i := range b.fallback {
		b.fallback[i] = -1
		if id, ok := v.ids[byteToken(byte(i))]; ok {
			b.fallback[i] = id
		}
	}
	return b, nil
}

// takeBytes makes b take words as bytes, where it has a token for each.
func (b *bpe) takeBytes() bool {
	if b.prefix != "" || b.suffix != "" {
		return false
	}
	for i := range b.byteIDs {
		id, ok := b.ids[string(byteRunes[i])]
		if !ok {
			return false
		}
		b.byteIDs[i] = id
	}
	if b.ignoreMerges {
		b.rawWords = make(map[string]int32, len(b.ids))
		for t, id := range b.ids {
			if raw, ok := unbyte(nil, t); ok {
				b.rawWords[string(raw)] = id
			}
		}
	}
	b.bytes = true
	return true
}

func (b *bpe) vocabulary() *vocab { return b.vocab }

func (b *bpe) tokenize(word string, s *scratch) error {
	if b.ignoreMerges {
		words := b.ids
		if b.bytes {
			words = b.rawWords
		}
		if id, ok := words[word]; ok {
			s.tokens = append(s.tokens, token{id: id, hi: int32(len(word))})
			return nil
		}
	}
	if known := s.words.find(word); known != nil {
		s.tokens = append(s.tokens, known...)
		return nil
	}
	if len(word) > math.MaxInt32 {
		return &Error{Part: "model", Problem: "a word is too long"}
	}
	if err := b.spell(word, s); err != nil {
		return err
	}
	s.merge(&b.merges)
	first := len(s.tokens)
	var at int32
	for _, sym := range s.symbols {
		if sym.len > 0 {
			s.tokens = append(s.tokens, token{id: sym.id, lo: at, hi: at + sym.len})
			at += sym.len
		}
	}
	s.words.keep(word, s.tokens[first:])
	return nil
}

// spell fills s.symbols with the tokens of the characters or bytes of word.
func (b *bpe) spell(word string, s *scratch) error {
	s.symbols = s.symbols[:0]
	if b.bytes {
		for i := range len(word) {
			s.add(b.byteIDs[word[i]], 1)
		}
		return nil
	}
	unk, unkLen := int32(-1), 0 // an unknown character that is not added yet
	flush := func() {
		if unk >= 0 {
			s.add(unk, unkLen)
			unk = -1
		}
	}
	for i, r := range word {
		w := utf8.RuneLen(r)
		char := word[i : i+w]
		if i > 0 && b.prefix != "" {
			char = b.prefix + char
		}
		if i+w == len(word) && b.suffix != "" {
			char += b.suffix
		}
		if id, ok := b.ids[char]; ok {
			flush()
			s.add(id, w)
			continue
		}
		if b.byteFallback && b.addBytes(char, s) {
			continue
		}
		if b.unk == nil {
			continue
		}
		id, ok := b.ids[*b.unk]
		if !ok {
			return missingUnknown(*b.unk)
		}
		if unk >= 0 && b.fuseUnk {
			unkLen += w
			continue
		}
		flush()
		unk, unkLen = id, w
	}
	flush()
	return nil
}

func (b *bpe) addBytes(char string, s *scratch) bool {
	for i := range len(char) {
		if b.fallback[char[i]] < 0 {
			return false
		}
	}
	for i := range len(char) {
		s.add(b.fallback[char[i]], 1)
	}
	return true
}
