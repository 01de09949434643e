package cli

import (
	"io"
	"regexp"
	"slices"
	"testing"

	"cresset/internal/tour"
	"cresset/internal/tui/paint"
)

func TestFold(t *testing.T) {
	tests := []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two", 7, []string{"one two"}},
		{"one two", 6, []string{"one", "two"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"one  two", 5, []string{"one ", "two"}},
		{"a longerword", 4, []string{"a", "longerword"}},
		{"longerword b", 4, []string{"longerword", "b"}},
		{"longerword", 4, []string{"longerword"}},
		{"é è ê", 3, []string{"é è", "ê"}},
	}
	for _, test := range tests {
		if got := fold(test.text, test.width); !slices.Equal(got, test.want) {
			t.Errorf("fold(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

// TestHighlightKeepsTheCode wants what a step shows to be its code but for colors.
func TestHighlightKeepsTheCode(t *testing.T) {
	color := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	plain := lookOf(io.Discard)
	bright := plain
	bright.keyword, bright.text = paint.Cyan, paint.Green
	for _, c := range tour.Chapters() {
		for _, s := range c.Steps {
			code := s.Code()
			if got := plain.highlight(code); got != code {
				t.Errorf("%s is shown without colors as\n%s", s.Name(), got)
			}
			if got := color.ReplaceAllString(bright.highlight(code), ""); s.Do != nil && got != code {
				t.Errorf("%s is shown as\n%s", s.Name(), got)
			}
		}
	}
	if got, want := bright.highlight(`return "x" // y`), "\x1b[36mreturn\x1b[0m \x1b[32m\"x\"\x1b[0m // y"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNotes(t *testing.T) {
	for list, want := range map[string]string{
		"000:1":                   "000 line 1",
		"001:4-33":                "001 lines 4-33",
		"001:4-33 003:12 001:116": "001 lines 4-33, 116; 003 line 12",
	} {
		if got := notes(list); got != want {
			t.Errorf("notes(%q) = %q, want %q", list, got, want)
		}
	}
}
