package tokenizer

import (
	"encoding/json"
	"slices"
)

// model makes tokens of a word.
type model interface {
	// tokenize adds the tokens of word, which is not empty, to s.tokens.
	tokenize(word string, s *scratch) error
	vocabulary() *vocab
}

// token is a token of a word and the bytes of the word that it stands for.
type token struct {
	id     int32
	lo, hi int32
	text   string // what stands in the word, for a token that is not in the vocabulary; else ""
}

// scratch is the memory that encoding one text takes, kept for the next.
type scratch struct {
	tokens  []token
	words   wordCache
	symbols []symbol
	queue   mergeQueue
	ends    []viterbi
	bytes   []byte
}

// vocab is the tokens of a model.
type vocab struct {
	ids    map[string]int32
	tokens []string         // by id; "" also stands for none
	sparse map[int32]string // tokens whose ids are too large for a list
	count  int              // of tokens, those that come twice too
}

const maxID = 1<<31 - 1

func newVocab(ids map[string]int64) (*vocab, error) {
	v := &vocab{ids: make(map[string]int32, len(ids)), count: len(ids)}
	last := int64(-1)
	for t, id := range ids {
		if id < 0 || id > maxID {
			return nil, &Error{Part: "model", Name: t, Problem: "has an id out of range"}
		}
		v.ids[t] = int32(id)
		last = max(last, id)
	}
	if last < int64(4*len(ids)+1024) {
		v.tokens = make([]string, last+1)
	} else {
		v.sparse = make(map[int32]string, len(ids))
	}
	names := make([]string, 0, len(ids))
	for t := range ids {
		names = append(names, t)
	}
	slices.Sort(names) // of tokens with one id the first in order gets it, in every run
	slices.Reverse(names)
	for _, t := range names {
		if v.sparse != nil {
			v.sparse[v.ids[t]] = t
		} else {
			v.tokens[v.ids[t]] = t
		}
	}
	return v, nil
}

// token returns the token of an id.
func (v *vocab) token(id int) (string, bool) {
	if v.sparse != nil {
		t, ok := v.sparse[int32(min(id, maxID))]
		return t, ok && id <= maxID
	}
	if id < 0 || id >= len(v.tokens) {
		return "", false
	}
	t := v.tokens[id]
	if t == "" {
		_, ok := v.ids[""]
		return "", ok
	}
	return t, true
}

// modelSpec is a model as tokenizer.json writes it.
type modelSpec struct {
	Type             string          `json:"type"`
	Vocab            json.RawMessage `json:"vocab"`
	Merges           []mergeSpec     `json:"merges"`
	Dropout          *float64        `json:"dropout"`
	UnkToken         *string         `json:"unk_token"`
	ContinuingPrefix *string         `json:"continuing_subword_prefix"`
	EndOfWordSuffix  *string         `json:"end_of_word_suffix"`
	FuseUnk          bool            `json:"fuse_unk"`
	ByteFallback     bool            `json:"byte_fallback"`
	IgnoreMerges     bool            `json:"ignore_merges"`
	MaxCharsPerWord  *int            `json:"max_input_chars_per_word"`
	UnkID            *int            `json:"unk_id"`
}

func (m *modelSpec) model() (model, error) {
	kind := m.Type
	if kind == "" { // old files do not say
		switch {
		case m.Merges != nil:
			kind = "BPE"
		case m.MaxCharsPerWord != nil:
			kind = "WordPiece"
		case len(m.Vocab) > 0 && m.Vocab[0] == '[':
			kind = "Unigram"
		default:
			kind = "WordLevel"
		}
	}
	if kind == "Unigram" {
		return newUnigram(m)
	}
	var ids map[string]int64
	if err := json.Unmarshal(m.Vocab, &ids); err != nil {
		return nil, &Error{Part: "model", Name: "vocab", Problem: err.Error(), cause: err}
	}
	v, err := newVocab(ids)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "BPE":
		return newBPE(m, v)
	case "WordPiece":
		return newWordPiece(m, v)
	case "WordLevel":
		return newWordLevel(m, v)
	}
	return nil, &Error{Part: "model", Name: kind, Problem: "is not known"}
}

func missingUnknown(name string) error {
	return &Error{Part: "model", Name: name, Problem: "stands for what is unknown and is not in the vocabulary"}
}
