package tokenizer

import (
	"strings"
	"sync"

	"cresset/internal/par"
)

// Tokenizer makes tokens of text and text of tokens. Goroutines may share it: nothing of it changes.
type Tokenizer struct {
	normalizer normalizer // nil: none, as below
	pre        preTokenizer
	model      model
	post       postProcessor
	decoder    decoder
	added      *addedVocab
	defaults   settings
	spec       *file // as it was read, to be saved
	chat       chatSettings
	spare      sync.Pool // *scratch
}

// Option is an option of Encode and of its like.
type Option interface{ encode(*settings) }

type settings struct {
	special    bool
	truncation *Truncation
	padding    *Padding
}

type option func(*settings)

func (f option) encode(s *settings) { f(s) }

// AddSpecialTokens says whether Encode adds what the tokenizer puts around texts, such as [CLS] and [SEP]. It does unless told.
func AddSpecialTokens(on bool) Option { return option(func(s *settings) { s.special = on }) }

// Truncate says whether Encode truncates as the tokenizer's file says. It does unless told.
func Truncate(on bool) Option {
	return option(func(s *settings) {
		if !on {
			s.truncation = nil
		}
	})
}

// Pad says whether Encode pads as the tokenizer's file says. It does unless told.
func Pad(on bool) Option {
	return option(func(s *settings) {
		if !on {
			s.padding = nil
		}
	})
}

func (t *Tokenizer) settings(opts []Option) *settings {
	s := t.defaults
	s.special = true
	for _, o := range opts {
		o.encode(&s)
	}
	return &s
}

// Encode makes tokens of text. What is not UTF-8 counts as U+FFFD, one for each longest part that could have begun a character.
//
// Options are AddSpecialTokens, Truncation, Padding, Truncate and Pad. An error is an *ErrTruncation, a pattern of the tokenizer that
// takes too many steps on the text, or a character that a model without a token for the unknown does not know.
func (t *Tokenizer) Encode(text string, opts ...Option) (*Encoding, error) {
	return t.encode(text, nil, t.settings(opts), true)
}

// EncodePair makes tokens of two texts that belong together, such as a question and a text that answers it.
func (t *Tokenizer) EncodePair(text, pair string, opts ...Option) (*Encoding, error) {
	return t.encode(text, &pair, t.settings(opts), true)
}

// EncodeBatch makes tokens of several texts, on several threads. With Padding of no Length all are as long as the longest.
func (t *Tokenizer) EncodeBatch(texts []string, opts ...Option) ([]*Encoding, error) {
	s := t.settings(opts)
	es := make([]*Encoding, len(texts))
	errs := make([]error, len(texts))
	par.Do(len(texts), func(i int) { es[i], errs[i] = t.encode(texts[i], nil, s, false) })
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	s.pad(es)
	return es, nil
}

// pad lengthens es as the padding says.
func (s *settings) pad(es []*Encoding) {
	p := s.padding
	if p == nil {
		return
	}
	length := p.Length
	if length == 0 {
		for _, e := range es {
			length = max(length, e.Len())
		}
	}
	if p.MultipleOf > 0 {
		length = (length + p.MultipleOf - 1) / p.MultipleOf * p.MultipleOf
	}
	for _, e := range es {
		e.pad(length, p)
	}
}

func (t *Tokenizer) encode(text string, pair *string, s *settings, pad bool) (*Encoding, error) {
	first, err := t.tokens(text, 0)
	if err != nil {
		return nil, err
	}
	es := []*Encoding{first}
	var second *Encoding
	if pair != nil {
		if second, err = t.tokens(*pair, 1); err != nil {
			return nil, err
		}
		es = append(es, second)
	}
	if s.truncation != nil {
		length := s.truncation.MaxLength
		if s.special && t.post != nil {
			length -= t.post.added(pair != nil)
		}
		if err := truncatePair(first, second, length, s.truncation); err != nil {
			return nil, err
		}
	}
	if t.post != nil {
		if es, err = t.post.process(es, s.special); err != nil {
			return nil, err
		}
	}
	out := &Encoding{}
	for i, e := range es {
		if i == 0 {
			out = e
			continue
		}
		out.join(e)
	}
	out.source = ""
	for _, o := range out.Overflowing {
		o.source = ""
	}
	if pad {
		s.pad([]*Encoding{out})
	}
	return out, nil
}

// tokens makes tokens of text without those that are added around it.
func (t *Tokenizer) tokens(text string, typeID int) (*Encoding, error) {
	s, _ := t.spare.Get().(*scratch)
	if s == nil {
		s = &scratch{}
	}
	defer t.spare.Put(s)
	guess := len(text)/4 + 4
	e := &Encoding{source: text, IDs: make([]int, 0, guess), Tokens: make([]string, 0, guess), Offsets: make([]Offset, 0, guess)}
	err := t.added.cut(&t.added.plain, newPiece(text), func(p piece, id int) error {
		if id >= 0 {
			e.add(id, p.text, p.origin(0, len(p.text)))
			return nil
		}
		return t.normalized(p, e, s)
	})
	if err != nil {
		return nil, err
	}
	e.fill(typeID, 0, 1)
	return e, nil
}

// normalized adds the tokens of a part of the text that holds no added token but those found in normalized text.
func (t *Tokenizer) normalized(p piece, e *Encoding, s *scratch) error {
	var err error
	if t.normalizer != nil {
		if p, err = t.normalizer.normalize(p); err != nil {
			return err
		}
	}
	return t.added.cut(&t.added.normal, p, func(p piece, id int) error {
		if id >= 0 {
			e.add(id, p.text, p.origin(0, len(p.text)))
			return nil
		}
		if t.pre == nil {
			return t.word(p, e, s)
		}
		return t.pre.split(p, func(p piece) error { return t.word(p, e, s) })
	})
}

func (t *Tokenizer) word(p piece, e *Encoding, s *scratch) error {
	if p.text == "" {
		return nil
	}
	s.tokens = s.tokens[:0]
	if err := t.model.tokenize(p.text, s); err != nil {
		return err
	}
	v := t.model.vocabulary()
	for _, k := range s.tokens {
		text := k.text
		if text == "" {
			text, _ = v.token(int(k.id))
		}
		e.add(int(k.id), text, p.origin(int(k.lo), int(k.hi)))
	}
	return nil
}

// DecodeOption is an option of Decode and NewStream.
type DecodeOption interface{ decode(*decodeSettings) }

type decodeSettings struct{ keepSpecial bool }

type decodeOption func(*decodeSettings)

func (f decodeOption) decode(s *decodeSettings) { f(s) }

// SkipSpecialTokens says whether Decode leaves out special tokens. It does unless told.
func SkipSpecialTokens(on bool) DecodeOption {
	return decodeOption(func(s *decodeSettings) { s.keepSpecial = !on })
}

// Decode makes text of tokens. Ids that the tokenizer does not have are left out, and bytes that are not UTF-8 become U+FFFD.
func (t *Tokenizer) Decode(ids []int, opts ...DecodeOption) (string, error) {
	var s decodeSettings
	for _, o := range opts {
		o.decode(&s)
	}
	return t.decode(ids, s)
}

func (t *Tokenizer) decode(ids []int, s decodeSettings) (string, error) {
	tokens := make([]string, 0, len(ids))
	for _, id := range ids {
		token, ok := t.written(id)
		if ok && (s.keepSpecial || !t.added.special[token]) {
			tokens = append(tokens, token)
		}
	}
	if t.decoder == nil {
		return strings.Join(tokens, " "), nil
	}
	tokens, err := t.decoder.decode(tokens)
	return strings.Join(tokens, ""), err
}

// written returns a token as it stands in normalized text.
func (t *Tokenizer) written(id int) (string, bool) {
	if w, ok := t.added.written[id]; ok {
		return w, true
	}
	return t.IDToToken(id)
}

// IDToToken returns the token of an id, and whether there is one.
func (t *Tokenizer) IDToToken(id int) (string, bool) {
	if a, ok := t.added.byID[id]; ok {
		return a.Content, true
	}
	return t.model.vocabulary().token(id)
}

// TokenToID returns the id of a token, and whether there is one.
func (t *Tokenizer) TokenToID(token string) (int, bool) {
	if id, ok := t.added.ids[token]; ok {
		return id, true
	}
	id, ok := t.model.vocabulary().ids[token]
	return int(id), ok
}

// VocabSize returns the number of tokens, added ones among them.
func (t *Tokenizer) VocabSize() int {
	v := t.model.vocabulary()
	n := v.count
	for token := range t.added.ids {
		if _, ok := v.ids[token]; !ok {
			n++
		}
	}
	return n
}
