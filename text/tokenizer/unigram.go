package tokenizer

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"
)

// unigram finds the tokens of a word whose probabilities have the largest product: SentencePiece's model of that name.
type unigram struct {
	*vocab
	scores       []float64
	trie         trie
	unk          int // -1: none
	unkScore     float64
	byteFallback bool
}

// scored is a token and its log probability as ["▁the", -3.2].
type scored struct {
	token string
	score float64
}

func (s *scored) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&s.token, &s.score})
}

// unknownPenalty is by how much less likely than the rarest token an unknown character is.
const unknownPenalty = 10

func newUnigram(m *modelSpec) (*unigram, error) {
	var tokens []scored
	if err := json.Unmarshal(m.Vocab, &tokens); err != nil {
		return nil, &Error{Part: "model", Name: "vocab", Problem: err.Error(), cause: err}
	}
	u := &unigram{unk: -1, byteFallback: m.ByteFallback, vocab: &vocab{ids: make(map[string]int32, len(tokens)), count: len(tokens)}}
	lowest := math.Inf(1)
	for id, t := range tokens {
		u.ids[t.token] = int32(id)
		u.tokens = append(u.tokens, t.token)
		u.scores = append(u.scores, t.score)
		lowest = min(lowest, t.score)
	}
	for t, id := range u.ids {
		u.trie.add(t, id)
	}
	if m.UnkID != nil {
		if *m.UnkID < 0 || *m.UnkID >= len(tokens) {
			return nil, &Error{Part: "model", Name: "unk_id", Problem: "is larger than the vocabulary"}
		}
		u.unk = *m.UnkID
	}
	u.unkScore = lowest - unknownPenalty
	return u, nil
}

func (u *unigram) vocabulary() *vocab { return u.vocab }

// viterbi is the best way to a place of the word: the last token and where it begins, -1 where none ends there.
type viterbi struct {
	score float64
	start int32
	id    int32
}

func (v *viterbi) offer(score float64, start int, id int32) {
	if v.start < 0 || score > v.score {
		*v = viterbi{score, int32(start), id}
	}
}

func (u *unigram) tokenize(word string, s *scratch) error {
	ends := s.ends[:0]
	for range len(word) + 1 {
		ends = append(ends, viterbi{start: -1})
	}
	s.ends = ends
	for at := 0; at < len(word); {
		_, w := utf8.DecodeRuneInString(word[at:])
		here, alone := ends[at].score, false
		for node, i := int32(0), at; i < len(word); i++ {
			if node = u.trie.next(node, word[i]); node == 0 {
				break
			}
			if id := u.trie.nodes[node].id; id >= 0 {
				ends[i+1].offer(u.scores[id]+here, at, id)
				alone = alone || i+1 == at+w
			}
		}
		if !alone {
			if u.unk < 0 {
				return missingUnknown("unk_id")
			}
			ends[at+w].offer(u.unkScore+here, at, int32(u.unk))
		}
		at += w
	}
	return u.follow(word, s)
}

// follow adds the tokens of the best way, unknown ones that touch as one.
func (u *unigram) follow(word string, s *scratch) error {
	first := len(s.tokens)
	for end := len(word); end > 0; {
		v := s.ends[end]
		t := token{id: v.id, lo: v.start, hi: int32(end)}
		if n := len(s.tokens); int(v.id) == u.unk && n > first && int(s.tokens[n-1].id) == u.unk {
			s.tokens[n-1].lo = v.start
		} else {
			s.tokens = append(s.tokens, t)
		}
		end = int(v.start)
	}
	reverse(s.tokens[first:])
	unknown := false
	for i := first; i < len(s.tokens); i++ {
		unknown = unknown || int(s.tokens[i].id) == u.unk
	}
	if !unknown {
		return nil
	}
	return u.name(word, first, s)
}

// name gives unknown tokens the text that they stand for, its id where the text is a token after all, or those of its bytes.
func (u *unigram) name(word string, first int, s *scratch) error {
	tokens := append([]token(nil), s.tokens[first:]...)
	s.tokens = s.tokens[:first]
	for _, t := range tokens {
		text := word[t.lo:t.hi]
		if id, ok := u.ids[text]; ok {
			t.id = id
		} else if u.byteFallback && u.appendBytes(text, t, s) {
			continue
		} else {
			t.text = text
		}
		s.tokens = append(s.tokens, t)
	}
	return nil
}

func (u *unigram) appendBytes(text string, t token, s *scratch) bool {
	first := len(s.tokens)
	for i := range len(text) {
		id, ok := u.ids[byteToken(text[i])]
		if !ok {
			s.tokens = s.tokens[:first]
			return false
		}
		s.tokens = append(s.tokens, token{id: id, lo: t.lo, hi: t.hi})
	}
	return true
}

// byteToken is the token of a byte that stands for no character of the vocabulary.
func byteToken(b byte) string { return fmt.Sprintf("<0x%02X>", b) }

func reverse(tokens []token) {
	for i, j := 0, len(tokens)-1; i < j; i, j = i+1, j-1 {
		tokens[i], tokens[j] = tokens[j], tokens[i]
	}
}
