package tokenizer

import (
	"encoding/json"
	"unicode"
	"unicode/utf8"
)

// postProcessor adds tokens to one encoding or two, which are joined afterwards.
type postProcessor interface {
	// added returns how many tokens it adds to one text or two.
	added(pair bool) int
	process(es []*Encoding, special bool) ([]*Encoding, error)
}

type postProcessors []postProcessor

func (ps postProcessors) added(pair bool) int {
	n := 0
	for _, p := range ps {
		n += p.added(pair)
	}
	return n
}

func (ps postProcessors) process(es []*Encoding, special bool) ([]*Encoding, error) {
	var err error
	for _, p := range ps {
		if es, err = p.process(es, special); err != nil {
			return nil, err
		}
	}
	return es, nil
}

// trimmer takes the spaces off the offsets of tokens.
type trimmer struct{ trim, prefixSpace bool }

func (t trimmer) added(bool) int { return 0 }

func (t trimmer) process(es []*Encoding, _ bool) ([]*Encoding, error) {
	if t.trim {
		for _, e := range es {
			t.offsets(e)
			for _, o := range e.Overflowing {
				t.offsets(o)
			}
		}
	}
	return es, nil
}

func (t trimmer) offsets(e *Encoding) {
	for i, token := range e.Tokens {
		o := &e.Offsets[i]
		lead, trail := spaces(token, false), spaces(token, true)
		if lead == 1 && t.prefixSpace && (i == 0 || o.Start == 0) {
			lead = 0 // that space was added
		}
		o.Start = min(o.Start+width(e.source[o.Start:], lead), o.End)
		o.End = max(before(e.source, o.End, trail), o.Start)
	}
}

// spaces returns how many spaces a token begins with, or ends with.
func spaces(token string, last bool) int {
	n := 0
	for token != "" {
		r, w := utf8.DecodeRuneInString(token)
		if last {
			r, w = utf8.DecodeLastRuneInString(token)
		}
		if r != byteRunes[' '] && !unicode.IsSpace(r) {
			break
		}
		n++
		if last {
			token = token[:len(token)-w]
		} else {
			token = token[w:]
		}
	}
	return n
}

// before returns the place n characters before at, or at where there are not so many.
func before(s string, at, n int) int {
	to := at
	for ; n > 0 && to > 0; n-- {
		_, w := utf8.DecodeLastRuneInString(s[:to])
		to -= w
	}
	if n > 0 {
		return at
	}
	return to
}

// template puts tokens around texts.
type template struct {
	single, pair []templatePiece
	special      map[string]templateSpecial
}

// templatePiece is a text or a token of a template.
type templatePiece struct {
	Sequence     *templateItem
	SpecialToken *templateItem
}

type templateItem struct {
	ID     string `json:"id"`
	TypeID int    `json:"type_id"`
}

// templateSpecial is the tokens that a name in a template stands for.
type templateSpecial struct {
	ID     json.RawMessage `json:"id"`
	IDs    []int           `json:"ids"`
	Tokens []string        `json:"tokens"`
}

func (t *template) pieces(pair bool) []templatePiece {
	if pair {
		return t.pair
	}
	return t.single
}

func (t *template) added(pair bool) int {
	n := 0
	for _, p := range t.pieces(pair) {
		if p.SpecialToken != nil {
			n += len(t.special[p.SpecialToken.ID].IDs)
		}
	}
	return n
}

// check reports what of the template is missing.
func (t *template) check() error {
	for _, pair := range []bool{false, true} {
		for _, p := range t.pieces(pair) {
			problem, name := "", ""
			switch {
			case p.SpecialToken != nil:
				s, ok := t.special[p.SpecialToken.ID]
				if name = p.SpecialToken.ID; !ok || len(s.IDs) != len(s.Tokens) {
					problem = "is not among its special tokens"
				}
			case p.Sequence == nil:
				problem = "has a piece that is neither a sequence nor a token"
			case p.Sequence.ID != "A" && (p.Sequence.ID != "B" || !pair):
				name, problem = p.Sequence.ID, "is no sequence"
			}
			if problem != "" {
				return &Error{Part: "post_processor", Name: name, Problem: problem}
			}
		}
	}
	return nil
}

func (t *template) process(es []*Encoding, special bool) ([]*Encoding, error) {
	if len(es) > 2 {
		return nil, &Error{Part: "post_processor", Problem: "a template behind another"}
	}
	var out []*Encoding
	for _, p := range t.pieces(len(es) == 2) {
		if p.Sequence != nil {
			e := es[map[string]int{"A": 0, "B": 1}[p.Sequence.ID]]
			e.setType(p.Sequence.TypeID)
			out = append(out, e.clone())
			continue
		}
		if special {
			s := t.special[p.SpecialToken.ID]
			out = append(out, specials(s.IDs, s.Tokens, p.SpecialToken.TypeID))
		}
	}
	return out, nil
}

func specials(ids []int, tokens []string, typeID int) *Encoding {
	e := &Encoding{}
	for i, id := range ids {
		e.add(id, tokens[i], Offset{})
	}
	e.fill(typeID, 1, 1)
	return e
}

// bracketed is BERT's way, [CLS] A [SEP] B [SEP], and RoBERTa's: <s> A </s></s> B </s>, all of type 0, with trimmed offsets.
type bracketed struct {
	cls, sep namedID
	roberta  bool
	trimmer  trimmer
}

func (b *bracketed) added(pair bool) int {
	switch {
	case !pair:
		return 2
	case b.roberta:
		return 4
	}
	return 3
}

func (b *bracketed) process(es []*Encoding, special bool) ([]*Encoding, error) {
	if b.roberta {
		es, _ = b.trimmer.process(es, special)
		for _, e := range es {
			e.setType(0)
		}
	}
	if !special {
		return es, nil
	}
	for i, e := range es {
		typeID := i
		var before []namedID
		switch {
		case i == 0:
			before = []namedID{b.cls}
		case b.roberta:
			before, typeID = []namedID{b.sep}, 0
		}
		es[i] = b.around(e, before, typeID)
		es[i].Overflowing = nil
		for _, o := range e.Overflowing {
			if b.roberta {
				o.setType(0)
			}
			es[i].Overflowing = append(es[i].Overflowing, b.around(o, before, typeID))
		}
	}
	return es, nil
}

func (b *bracketed) around(e *Encoding, before []namedID, typeID int) *Encoding {
	out := &Encoding{}
	for _, t := range before {
		out.join(specials([]int{t.id}, []string{t.token}, typeID))
	}
	plain := *e
	plain.Overflowing = nil
	out.join(&plain)
	out.join(specials([]int{b.sep.id}, []string{b.sep.token}, typeID))
	return out
}

func (c *component) postProcessor(depth int) (postProcessor, error) {
	trim := trimmer{c.TrimOffsets == nil || *c.TrimOffsets, c.prefixSpace()}
	switch c.Type {
	case "Sequence":
		return sequence(c.Processors, depth, (*component).postProcessor, func(ps []postProcessor) postProcessor { return postProcessors(ps) })
	case "ByteLevel":
		return trim, nil
	case "TemplateProcessing":
		t := &template{c.Single, c.Pair, c.SpecialTokens}
		return t, t.check()
	case "BertProcessing", "RobertaProcessing":
		return &bracketed{c.Cls, c.Sep, c.Type == "RobertaProcessing", trim}, nil
	}
	return nil, &Error{Part: "post_processor", Name: c.Type, Problem: "is not known"}
}
