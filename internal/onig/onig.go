// Package onig matches regular expressions as Oniguruma does in Ruby's syntax, which is what files of tokenizers are written for: the
// first alternative that leads to a match wins, and \s+(?!\S) looks ahead, which Go's regexp cannot.
//
// It knows characters, classes, categories and scripts of Unicode, groups, alternatives, greedy, lazy and possessive repetition, the
// anchors, (?i) and (?m), and looking ahead and behind. It has no captures, references back, calls or conditions; Compile refuses them
// by name. A match that takes too many steps is an error, so that no pattern and no text can hold a program up.
package onig

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// ErrSteps says that a match was given up.
var ErrSteps = errors.New("onig: the pattern takes too many steps on this text")

// An Error says what a pattern holds that Compile does not know.
type Error struct {
	Pattern string
	At      int    // the byte of Pattern
	Problem string // what was found there
}

func (e *Error) Error() string {
	return fmt.Sprintf("onig: %s at byte %d of %q", e.Problem, e.At, e.Pattern)
}

// Regexp is a compiled pattern. Goroutines may share it.
type Regexp struct {
	prog []inst
	// first says for each first byte whether a match can begin with it, where empty matches are impossible.
	first *[256]bool
}

// Compile reads a pattern.
func Compile(pattern string) (*Regexp, error) {
	p := &parser{pattern: pattern}
	tree, err := p.parse()
	if err != nil {
		return nil, err
	}
	c := &compiler{pattern: pattern}
	c.emit(tree)
	c.add(inst{op: opMatch})
	if c.err != nil {
		return nil, c.err
	}
	c.possess()
	re := &Regexp{prog: c.prog}
	if starts := firsts(tree); !starts.empty {
		re.first = &starts.bytes
	}
	return re, nil
}

// A Scanner finds the matches of a pattern in one text, one after the other.
type Scanner struct {
	re    *Regexp
	m     machine
	next  int // where the search goes on
	ended int // where the last match ended, -1 before the first
}

// Reset makes s look for the matches of re in text.
func (s *Scanner) Reset(re *Regexp, text string) {
	s.re, s.next, s.ended = re, 0, -1
	s.m.text, s.m.prog = text, re.prog
	s.m.steps = stepsPerText + stepsPerByte*len(text)
}

// Next returns where the next match lies. An empty one right behind the one before is passed over.
func (s *Scanner) Next() (start, end int, ok bool, err error) {
	for s.next <= len(s.m.text) {
		start, end, err := s.search(s.next)
		if err != nil || start < 0 {
			return 0, 0, false, err
		}
		if start == end && end == s.ended {
			_, w := utf8.DecodeRuneInString(s.m.text[end:])
			s.next = end + max(w, 1)
			continue
		}
		s.next, s.ended = end, end
		return start, end, true, nil
	}
	return 0, 0, false, nil
}

// search returns the first match from at on, or -1.
func (s *Scanner) search(at int) (start, end int, err error) {
	text := s.m.text
	for at <= len(text) {
		if first := s.re.first; first != nil {
			for at < len(text) && !first[text[at]] {
				at++
			}
			if at == len(text) {
				return -1, -1, nil
			}
			if !utf8.RuneStart(text[at]) && s.inRune(at) {
				at++
				continue
			}
		}
		end := s.m.run(0, at)
		if s.m.steps < 0 {
			return 0, 0, ErrSteps
		}
		if end >= 0 {
			return at, end, nil
		}
		_, w := utf8.DecodeRuneInString(text[at:])
		at += max(w, 1)
	}
	return -1, -1, nil
}

// inRune reports whether the byte at belongs to a character that begins before it.
func (s *Scanner) inRune(at int) bool {
	for back := 1; back < utf8.UTFMax && at-back >= 0; back++ {
		if utf8.RuneStart(s.m.text[at-back]) {
			_, w := utf8.DecodeRuneInString(s.m.text[at-back:])
			return w > back
		}
	}
	return false
}
