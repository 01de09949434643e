package uniclass

import (
	"cmp"
	"slices"
	"sort"
	"unicode"
)

// Range is the code points from Lo to Hi, both included.
type Range struct{ Lo, Hi rune }

// Set is a set of code points that does not change.
type Set struct {
	basic  [0x10000 / 64]uint64 // a bit for each code point of the Basic Multilingual Plane
	ranges []Range              // in order, neither touching nor overlapping
}

// New returns the set of all code points of ranges, which may overlap.
func New(ranges ...Range) *Set {
	s := &Set{ranges: merged(ranges)}
	for _, r := range s.ranges {
		for c := r.Lo; c <= min(r.Hi, 0xffff); c++ {
			s.basic[c/64] |= 1 << (c % 64)
		}
	}
	return s
}

func merged(ranges []Range) []Range {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b Range) int { return cmp.Compare(a.Lo, b.Lo) })
	var out []Range
	for _, r := range ranges {
		if n := len(out); n > 0 && r.Lo <= out[n-1].Hi+1 {
			out[n-1].Hi = max(out[n-1].Hi, r.Hi)
			continue
		}
		out = append(out, r)
	}
	return out
}

// Has reports whether r is in s.
func (s *Set) Has(r rune) bool {
	if uint32(r) < 0x10000 {
		return s.basic[r/64]>>(r%64)&1 != 0
	}
	i := sort.Search(len(s.ranges), func(i int) bool { return s.ranges[i].Hi >= r })
	return i < len(s.ranges) && s.ranges[i].Lo <= r
}

// HasBeyondASCII reports whether s holds a code point from 0x80 on.
func (s *Set) HasBeyondASCII() bool {
	n := len(s.ranges)
	return n > 0 && s.ranges[n-1].Hi >= 0x80
}

// Ranges returns the ranges of s in order. The caller must not change them.
func (s *Set) Ranges() []Range { return s.ranges }

// Not returns the code points that are not in s.
func (s *Set) Not() *Set {
	var out []Range
	next := rune(0)
	for _, r := range s.ranges {
		if r.Lo > next {
			out = append(out, Range{next, r.Lo - 1})
		}
		next = r.Hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, Range{next, unicode.MaxRune})
	}
	return New(out...)
}

// Or returns the code points that are in s or t.
func (s *Set) Or(t *Set) *Set { return New(slices.Concat(s.ranges, t.ranges)...) }

// And returns the code points that are in both s and t.
func (s *Set) And(t *Set) *Set { return s.Not().Or(t.Not()).Not() }

// Folded returns s with every code point that differs from one of s by case alone.
func (s *Set) Folded() *Set {
	out := slices.Clone(s.ranges)
	for _, r := range s.ranges {
		if r.Hi-r.Lo > 0x3000 { // a class as wide as that holds both cases of its letters
			continue
		}
		for c := r.Lo; c <= r.Hi; c++ {
			for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
				out = append(out, Range{f, f})
			}
		}
	}
	return New(out...)
}
