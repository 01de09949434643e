package onig

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func matches(re *Regexp, text string) ([]string, error) {
	var s Scanner
	s.Reset(re, text)
	found := []string{}
	for {
		lo, hi, ok, err := s.Next()
		if err != nil || !ok {
			return found, err
		}
		found = append(found, text[lo:hi])
	}
}

// TestMatches has what Oniguruma 6.9 finds, by the Replace and Split of tokenizers 0.23.
func TestMatches(t *testing.T) {
	const gpt2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	for _, tc := range []struct {
		pattern, text string
		want          []string
	}{
		{gpt2, "I've  12 cats!\n\n ok", []string{"I", "'ve", " ", " 12", " cats", "!", "\n\n", " ok"}},
		{gpt2, "a   ", []string{"a", "   "}},
		{`(?i:'s|'ll)`, "'S 'LL 'ſ 's", []string{"'S", "'LL", "'ſ", "'s"}},
		{`\p{N}{1,3}`, "1234567", []string{"123", "456", "7"}},
		{`a*`, "baac", []string{"", "aa", ""}},
		{`a+?`, "aaa", []string{"a", "a", "a"}},
		{`a+?b`, "aaab", []string{"aaab"}},
		{`a++a`, "aaa", nil},
		{`(?>a|ab)c`, "abc ac", []string{"ac"}},
		{`(?:ab|a)(?:bc|c)`, "abc", []string{"abc"}},
		{`(?<=a)b`, "ab cb", []string{"b"}},
		{`(?<!a)b`, "ab cb", []string{"b"}},
		{`(?=ab)a`, "ab ac", []string{"a"}},
		{`[^\d\s]+`, "a1 b", []string{"a", "b"}},
		{`[a-c&&[^b]]+`, "abcca", []string{"a", "cca"}},
		{`[]a]+`, "]a", []string{"]a"}},
		{`[\w&&[^a]]`, "ab", []string{"b"}},
		{`^a`, "a\na", []string{"a", "a"}},
		{`a$`, "a\na", []string{"a", "a"}},
		{`\Aa|a\z`, "aaa", []string{"a", "a"}},
		{`\bfoo\b`, "foo food foo", []string{"foo", "foo"}},
		{`x{2}`, "xxxxx", []string{"xx", "xx"}},
		{`x{,2}y`, "xxxy", []string{"xxy"}},
		{`(?:xy){2,3}`, "xyxyxyxy", []string{"xyxyxy"}},
		{`a{b`, "a{b", []string{"a{b"}},
		{`[一-龥]+`, "a你好b", []string{"你好"}},
		{`\x{4f60}|\u597d|\x41`, "你好A", []string{"你", "好", "A"}},
		{`\p{^L}`, "a1", []string{"1"}},
		{`(?m).`, "\n", []string{"\n"}},
		{`.`, "\n", nil},
		{`(?x) a b # comment`, "ab", []string{"ab"}},
		{`[[:digit:]x]+`, "a1x", []string{"1x"}},
		{`\.\*`, "a.*", []string{".*"}},
	} {
		re, err := Compile(tc.pattern)
		if err != nil {
			t.Errorf("%s: %v", tc.pattern, err)
			continue
		}
		got, err := matches(re, tc.text)
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%s in %q: got %q, want %q, %v", tc.pattern, tc.text, got, tc.want, err)
		}
	}
}

func TestWhatIsNotKnownIsNamed(t *testing.T) {
	for pattern, problem := range map[string]string{
		`(a`:                      "a ( without )",
		`a)`:                      "a ) without (",
		`[a`:                      "a [ without ]",
		`*a`:                      "a repetition of nothing",
		`\1`:                      "an unknown escape",
		`\k<x>`:                   "an unknown escape",
		`(?<x>a)`:                 "an unknown kind of group",
		`\p{Klingon}`:             "an unknown property Klingon",
		`(?<=a+)b`:                "looking behind by a length that varies",
		`(a*)*`:                   "a repetition without limit of what may be empty",
		`a{5,2}`:                  "a repetition out of range",
		`\`:                       "a backslash without a character",
		"\xff":                    "invalid UTF-8",
		`(?:a{999}){99999}`:       "a repetition out of range",
		`(?:(?:a{9}b){999}){999}`: "a pattern that is too large",
		strings.Repeat("(", 200):  "too many groups within groups",
	} {
		_, err := Compile(pattern)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Problem, problem) {
			t.Errorf("Compile(%.40q): got %v, want %q", pattern, err, problem)
		}
	}
}

func TestMatchesThatNeverEndAreGivenUp(t *testing.T) {
	re, err := Compile(`(?:a|a)+b|x*y`)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{strings.Repeat("a", 60), strings.Repeat("x", 1<<16)} {
		if _, err := matches(re, text); !errors.Is(err, ErrSteps) {
			t.Errorf("%.3s: got %v, want ErrSteps", text, err)
		}
	}
}

// FuzzCompile wants no panic and matches that cover the text in order, for any pattern and text.
func FuzzCompile(f *testing.F) {
	for _, p := range []string{`'s|'t| ?\p{L}+|\s+(?!\S)|\s+`, `(?i:[sdmt]|ll)[^\r\n]?+a{1,3}`, `(?<=a)b|^c$`, `[a-z&&[^m-p]]*?x`, `(?>a|b)\b`} {
		f.Add(p, "a b's\n\xff c")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := Compile(pattern)
		if err != nil {
			return
		}
		var s Scanner
		s.Reset(re, text)
		s.m.steps = min(s.m.steps, 20_000)
		for last := 0; ; {
			lo, hi, ok, err := s.Next()
			if err != nil || !ok {
				return
			}
			if lo < last || hi < lo || hi > len(text) {
				t.Fatalf("%q in %q: %d to %d behind %d", pattern, text, lo, hi, last)
			}
			last = hi
		}
	})
}
