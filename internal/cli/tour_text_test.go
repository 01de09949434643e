package cli

import (
	"io"
	"regexp"
	"testing"

	"cresset/internal/tour"
	"cresset/internal/tui/paint"
)

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
