package tokenizer

import "unicode/utf8"

// wordPiece takes the longest token that a word begins with, then the longest of the rest: BERT's model.
type wordPiece struct {
	*vocab
	unk      string
	prefix   string // of tokens inside a word
	maxChars int
	longest  int // bytes of a token
}

func newWordPiece(m *modelSpec, v *vocab) (*wordPiece, error) {
	w := &wordPiece{vocab: v, unk: "[UNK]", prefix: "##", maxChars: 100}
	if m.UnkToken != nil {
		w.unk = *m.UnkToken
	}
	if m.ContinuingPrefix != nil {
		w.prefix = *m.ContinuingPrefix
	}
	if m.MaxCharsPerWord != nil {
		w.maxChars = *m.MaxCharsPerWord
	}
	for t := range v.ids {
		w.longest = max(w.longest, len(t))
	}
	return w, nil
}

func (w *wordPiece) vocabulary() *vocab { return w.vocab }

func (w *wordPiece) tokenize(word string, s *scratch) error {
	before := len(s.tokens)
	if utf8.RuneCountInString(word) > w.maxChars {
		return w.unknown(word, s)
	}
	for start := 0; start < len(word); {
		id, end := w.longestAt(word, start, s)
		if end == 0 {
			s.tokens = s.tokens[:before]
			return w.unknown(word, s)
		}
		s.tokens = append(s.tokens, token{id: id, lo: int32(start), hi: int32(end)})
		start = end
	}
	return nil
}

// longestAt returns the longest token at start and where it ends, 0 where there is none.
func (w *wordPiece) longestAt(word string, start int, s *scratch) (int32, int) {
	prefix := ""
	if start > 0 {
		prefix = w.prefix
	}
	for end := min(len(word), start+max(w.longest-len(prefix), 0)); end > start; end-- {
		if end < len(word) && !utf8.RuneStart(word[end]) {
			continue
		}
		s.bytes = append(append(s.bytes[:0], prefix...), word[start:end]...)
		if id, ok := w.ids[string(s.bytes)]; ok {
			return id, end
		}
	}
	return 0, 0
}

func (w *wordPiece) unknown(word string, s *scratch) error {
	id, ok := w.ids[w.unk]
	if !ok {
		return missingUnknown(w.unk)
	}
	s.tokens = append(s.tokens, token{id: id, lo: 0, hi: int32(len(word))})
	return nil
}

// wordLevel has a token for each word that it knows.
type wordLevel struct {
	*vocab
	unk string
}

func newWordLevel(m *modelSpec, v *vocab) (*wordLevel, error) {
	w := &wordLevel{vocab: v, unk: "<unk>"}
	if m.UnkToken != nil {
		w.unk = *m.UnkToken
	}
	return w, nil
}

func (w *wordLevel) vocabulary() *vocab { return w.vocab }

func (w *wordLevel) tokenize(word string, s *scratch) error {
	id, ok := w.ids[word]
	if !ok {
		if id, ok = w.ids[w.unk]; !ok {
			return missingUnknown(w.unk)
		}
	}
	s.tokens = append(s.tokens, token{id: id, lo: 0, hi: int32(len(word))})
	return nil
}
