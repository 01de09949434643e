package uniclass

import (
	"testing"
	"unicode"
)

func TestClasses(t *testing.T) {
	for _, tc := range []struct {
		class   string
		in, out []rune
	}{
		{"L", []rune{'a', 'é', '你', 0x13460}, []rune{'1', ' ', 0x301, 0x10ffff}}, // U+13460 came with Unicode 16
		{"N", []rune{'1', '½', '²', 0x1ccf0}, []rune{'a', '-'}},
		{"word", []rune{'a', '_', 0x301, '１', 0x24b6}, []rune{' ', '-'}},
		{"bert_punctuation", []rune{'!', '。', '“'}, []rune{'a', ' ', 0x2e52}}, // U+2E52 came after Unicode 8
		{"bert_control", []rune{0, 7, 0x200d, 0xfffd}, []rune{'\t', '\n', ' ', 'a'}},
		{"unicode9", []rune{'a', 0x301, 0xac00}, []rune{0x11938, 0x32ff}},
		{"Greek", []rune{'α'}, []rune{'a'}},
		{"White_Space", []rune{' ', 0x85, 0x3000}, []rune{0x200b}},
	} {
		s := Of(tc.class)
		if s == nil {
			t.Fatalf("no class %s", tc.class)
		}
		for _, r := range tc.in {
			if !s.Has(r) {
				t.Errorf("%s lacks %U", tc.class, r)
			}
		}
		for _, r := range tc.out {
			if s.Has(r) {
				t.Errorf("%s has %U", tc.class, r)
			}
		}
	}
	if Of("Klingon") != nil {
		t.Error("a class that there is not")
	}
}

// TestTableIsInOrder reads every line of the table: ranges in order, none of them touching, all code points.
func TestTableIsInOrder(t *testing.T) {
	for name, line := range classes() {
		last := rune(-2)
		for i, r := range parse(line) {
			if r.Lo <= last+1 && i > 0 || r.Hi < r.Lo || r.Hi > unicode.MaxRune {
				t.Errorf("%s: range %d is %U to %U behind %U", name, i, r.Lo, r.Hi, last)
			}
			last = r.Hi
		}
	}
	if n := len(classes()); n != 20 {
		t.Errorf("%d classes, want 20", n)
	}
}

func TestSetsAreSets(t *testing.T) {
	a, b := New(Range{'a', 'f'}, Range{'c', 'h'}, Range{0x10000, 0x10010}), New(Range{'e', 'z'})
	not, or, and := a.Not(), a.Or(b), a.And(b)
	for r := rune(0); r < 0x10020; r++ {
		inA, inB := a.Has(r), b.Has(r)
		if not.Has(r) == inA || or.Has(r) != (inA || inB) || and.Has(r) != (inA && inB) {
			t.Fatalf("%U", r)
		}
	}
	if f := New(Range{'k', 'k'}).Folded(); !f.Has('K') || !f.Has(0x212a) || f.Has('l') { // the sign of kelvin
		t.Error("k folded", f.Ranges())
	}
}

func TestLower(t *testing.T) {
	for r, want := range map[rune]rune{'A': 'a', 'É': 'é', 'Σ': 'σ', 'a': 'a', 0x1c89: 0x1c8a, 0x10d50: 0x10d70, 0x1e900: 0x1e922} {
		if got := Lower(r); got != want {
			t.Errorf("Lower(%U) = %U, want %U", r, got, want)
		}
	}
}
