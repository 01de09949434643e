package tokenizer

import (
	"encoding/json"
	"strings"
	"sync"
	"unicode/utf8"

	"cresset/internal/onig"
)

// pattern cuts a text into parts that match and parts that do not.
type pattern interface {
	// find calls part for each, in order; none is empty but a match of an expression.
	find(text string, part func(lo, hi int, match bool)) error
}

// patternSpec is a pattern as files write it: {"String": " "} or {"Regex": " +"}.
type patternSpec struct{ String, Regex *string }

func (s *patternSpec) UnmarshalJSON(data []byte) error {
	var plain string // as old files have it
	if err := json.Unmarshal(data, &plain); err == nil {
		s.String = &plain
		return nil
	}
	type fields patternSpec
	return json.Unmarshal(data, (*fields)(s))
}

func (s *patternSpec) compile() (pattern, error) {
	switch {
	case s != nil && s.String != nil:
		return literal(*s.String), nil
	case s != nil && s.Regex != nil:
		return newExpression(*s.Regex)
	}
	return nil, &Error{Part: "pattern", Problem: "is missing"}
}

// literal is a string that matches itself.
type literal string

func (l literal) find(text string, part func(lo, hi int, match bool)) error {
	last := 0
	for l != "" {
		i := strings.Index(text[last:], string(l))
		if i < 0 {
			break
		}
		if i > 0 {
			part(last, last+i, false)
		}
		part(last+i, last+i+len(l), true)
		last += i + len(l)
	}
	if last < len(text) {
		part(last, len(text), false)
	}
	return nil
}

// runes matches each character for which it is true.
type runes func(rune) bool

func (f runes) find(text string, part func(lo, hi int, match bool)) error {
	last := 0
	for i, r := range text {
		if !f(r) {
			continue
		}
		if last < i {
			part(last, i, false)
		}
		last = i + utf8.RuneLen(r)
		part(i, last, true)
	}
	if last < len(text) {
		part(last, len(text), false)
	}
	return nil
}

// expression is a regular expression of Oniguruma.
type expression struct {
	re    *onig.Regexp
	spare sync.Pool // *onig.Scanner
}

func newExpression(source string) (*expression, error) {
	re, err := onig.Compile(source)
	if err != nil {
		return nil, &Error{Part: "pattern", Name: source, Problem: err.Error(), cause: err}
	}
	return &expression{re: re, spare: sync.Pool{New: func() any { return new(onig.Scanner) }}}, nil
}

func (e *expression) find(text string, part func(lo, hi int, match bool)) error {
	s := e.spare.Get().(*onig.Scanner)
	defer func() {
		s.Reset(e.re, "") // lets go of text
		e.spare.Put(s)
	}()
	s.Reset(e.re, text)
	last := 0
	for text != "" {
		lo, hi, ok, err := s.Next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if last < lo {
			part(last, lo, false)
		}
		part(lo, hi, true)
		last = hi
	}
	if last < len(text) {
		part(last, len(text), false)
	}
	return nil
}

// inverted matches what its pattern does not.
type inverted struct{ pattern }

func (p inverted) find(text string, part func(lo, hi int, match bool)) error {
	return p.pattern.find(text, func(lo, hi int, match bool) { part(lo, hi, !match) })
}
