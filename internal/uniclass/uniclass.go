// Package uniclass holds classes of characters as the libraries know them with which tokenizers were made, and sets of code points.
//
// Those libraries carry Unicode tables of different years, and a tokenizer that splits at "punctuation" means that of its library. So
// the classes stand in classes.txt instead of being asked from Go's tables, which change with Go: the categories and word characters of
// Oniguruma (Unicode 16), words, numbers and lower case of Rust (Unicode 16 and 17), BERT's punctuation and control characters
// (Unicode 8) and the characters that normalization forms knew in Unicode 9.
package uniclass

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

//go:embed classes.txt
var table string

var classes = sync.OnceValue(func() map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(table) {
		name, ranges, _ := strings.Cut(strings.TrimSpace(line), " ")
		lines[name] = ranges
	}
	return lines
})

var (
	made   = map[string]*Set{}
	madeMu sync.Mutex
)

// Of returns the class of that name: one of classes.txt, else a category, a script or a property of Unicode as Go has it; nil where there is none.
func Of(name string) *Set {
	madeMu.Lock()
	defer madeMu.Unlock()
	if s, ok := made[name]; ok {
		return s
	}
	s := load(name)
	made[name] = s
	return s
}

func load(name string) *Set {
	if ranges, ok := classes()[name]; ok {
		return New(parse(ranges)...)
	}
	t, ok := unicode.Categories[name]
	if !ok {
		t, ok = unicode.Scripts[name]
	}
	if !ok {
		t, ok = unicode.Properties[name]
	}
	if !ok {
		return nil
	}
	var ranges []Range
	for _, r := range t.R16 {
		ranges = appendStrided(ranges, rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		ranges = appendStrided(ranges, rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return New(ranges...)
}

func appendStrided(ranges []Range, lo, hi, stride rune) []Range {
	if stride == 1 {
		return append(ranges, Range{lo, hi})
	}
	for r := lo; r <= hi; r += stride {
		ranges = append(ranges, Range{r, r})
	}
	return ranges
}

// parse reads ranges, each the distance of its first code point from the last one before and, after a plus, how many follow.
func parse(s string) []Range {
	var ranges []Range
	var last rune
	for field := range strings.FieldsSeq(s) {
		from, more, _ := strings.Cut(field, "+")
		lo := last + hex(from)
		last = lo + hex(more)
		ranges = append(ranges, Range{lo, last})
	}
	return ranges
}

func hex(s string) rune {
	n, _ := strconv.ParseUint(s, 16, 21) // "" is 0; classes_test.go reads every line
	return rune(n)
}

// lowers are letters whose small form Rust's tables know and Go's do not yet.
var lowers = map[rune]rune{
	0x1c89: 0x1c8a, 0xa7cb: 0x264, 0xa7cc: 0xa7cd, 0xa7ce: 0xa7cf, 0xa7d2: 0xa7d3, 0xa7d4: 0xa7d5, 0xa7da: 0xa7db,
	0xa7dc: 0x19b, 0x10d50: 0x10d70, 0x10d51: 0x10d71, 0x10d52: 0x10d72, 0x10d53: 0x10d73, 0x10d54: 0x10d74, 0x10d55: 0x10d75,
	0x10d56: 0x10d76, 0x10d57: 0x10d77, 0x10d58: 0x10d78, 0x10d59: 0x10d79, 0x10d5a: 0x10d7a, 0x10d5b: 0x10d7b, 0x10d5c: 0x10d7c,
	0x10d5d: 0x10d7d, 0x10d5e: 0x10d7e, 0x10d5f: 0x10d7f, 0x10d60: 0x10d80, 0x10d61: 0x10d81, 0x10d62: 0x10d82, 0x10d63: 0x10d83,
	0x10d64: 0x10d84, 0x10d65: 0x10d85, 0x16ea0: 0x16ebb, 0x16ea1: 0x16ebc, 0x16ea2: 0x16ebd, 0x16ea3: 0x16ebe, 0x16ea4: 0x16ebf,
	0x16ea5: 0x16ec0, 0x16ea6: 0x16ec1, 0x16ea7: 0x16ec2, 0x16ea8: 0x16ec3, 0x16ea9: 0x16ec4, 0x16eaa: 0x16ec5, 0x16eab: 0x16ec6,
	0x16eac: 0x16ec7, 0x16ead: 0x16ec8, 0x16eae: 0x16ec9, 0x16eaf: 0x16eca, 0x16eb0: 0x16ecb, 0x16eb1: 0x16ecc, 0x16eb2: 0x16ecd,
	0x16eb3: 0x16ece, 0x16eb4: 0x16ecf, 0x16eb5: 0x16ed0, 0x16eb6: 0x16ed1, 0x16eb7: 0x16ed2, 0x16eb8: 0x16ed3,
}

// Lower returns the small form of r, which has one code point for all but İ: that is i and a dot above.
func Lower(r rune) rune {
	if r < 0x1c89 {
		return unicode.ToLower(r)
	}
	if l, ok := lowers[r]; ok {
		return l
	}
	return unicode.ToLower(r)
}
