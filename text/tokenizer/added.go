package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"cresset/internal/uniclass"
)

// addedToken is a token that is found in a text before anything else happens to it, and never cut.
type addedToken struct {
	ID         int    `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // found only where no letter, digit or underscore touches it
	LStrip     bool   `json:"lstrip"`      // takes the spaces before it with it
	RStrip     bool   `json:"rstrip"`      // takes those behind it
	Normalized bool   `json:"normalized"`  // found in the normalized text, as its own normalized content
	Special    bool   `json:"special"`     // left out by Decode
}

// addedVocab finds added tokens.
type addedVocab struct {
	byID    map[int]addedToken
	ids     map[string]int
	special map[string]bool
	written map[int]string // what tokens are normalized to, where that differs
	plain   finder         // of tokens found in the text as it is
	normal  finder         // of those found in the normalized text
}

// newAddedVocab gives each token the id that the model has for it, or else the next one behind the model's.
func newAddedVocab(tokens []addedToken, m *vocab, n normalizer) (*addedVocab, error) {
	a := &addedVocab{byID: map[int]addedToken{}, ids: map[string]int{}, special: map[string]bool{}, written: map[int]string{}}
	next := m.count
	for _, t := range tokens {
		if t.Content == "" {
			continue
		}
		id, known := a.ids[t.Content]
		if !known {
			var mid int32
			if mid, known = m.ids[t.Content]; known {
				id = int(mid)
			}
		}
		if !known {
			id = next
			next++
		}
		t.ID = id
		if t.Normalized && n != nil {
			p, err := n.normalize(newPiece(t.Content))
			if err != nil {
				return nil, err
			}
			if p.text != t.Content {
				a.written[id] = p.text
			}
		}
		a.ids[t.Content], a.byID[id] = id, t
		if t.Special {
			a.special[t.Content] = true
		}
	}
	for id, t := range a.byID {
		text := t.Content
		if w, ok := a.written[id]; ok {
			text = w
		}
		if t.Normalized {
			a.normal.add(text, id)
		} else {
			a.plain.add(text, id)
		}
	}
	return a, nil
}

// finder finds the leftmost of several strings in a text, of those at one place the longest.
type finder struct {
	trie  trie
	first [256]bool // bytes that one of them begins with
	only  byte      // that byte, where they all begin with one
	alone bool
}

func (f *finder) add(s string, id int) {
	if s == "" {
		return
	}
	f.alone = f.trie.nodes == nil || f.alone && f.only == s[0]
	f.only = s[0]
	f.first[s[0]] = true
	if old, n := f.trie.longest(s); n == len(s) && int(old) < id {
		return // of two that are normalized alike the first counts
	}
	f.trie.add(s, int32(id))
}

// find returns the first match from at on.
func (f *finder) find(text string, at int) (id, lo, hi int, ok bool) {
	if f.trie.nodes == nil {
		return 0, 0, 0, false
	}
	for ; at < len(text); at++ {
		if f.alone {
			i := strings.IndexByte(text[at:], f.only)
			if i < 0 {
				break
			}
			at += i
		} else if !f.first[text[at]] {
			continue
		}
		if id, n := f.trie.longest(text[at:]); n > 0 {
			return int(id), at, at + n, true
		}
	}
	return 0, 0, 0, false
}

// cut calls part for the parts of p in order: those between added tokens with id -1, and added tokens with the spaces that they take.
func (a *addedVocab) cut(f *finder, p piece, part func(p piece, id int) error) error {
	text := p.text
	done := 0
	for next := 0; ; {
		id, lo, hi, ok := f.find(text, next)
		if !ok {
			break
		}
		next = hi
		t := a.byID[id]
		if t.SingleWord && (endsWord(text[:lo]) || beginsWord(text[hi:])) {
			continue
		}
		if t.LStrip {
			lo = max(done, len(strings.TrimRightFunc(text[:lo], unicode.IsSpace)))
		}
		if t.RStrip {
			hi = len(text) - len(strings.TrimLeftFunc(text[hi:], unicode.IsSpace))
		}
		if done < lo {
			if err := part(p.slice(done, lo), -1); err != nil {
				return err
			}
		}
		if err := part(p.slice(lo, hi), id); err != nil {
			return err
		}
		done = hi
	}
	if done < len(text) {
		return part(p.slice(done, len(text)), -1)
	}
	return nil
}

func endsWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return s != "" && uniclass.Of("rust_word").Has(r)
}

func beginsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && uniclass.Of("rust_word").Has(r)
}
