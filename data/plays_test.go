package data

import (
	"strings"
	"testing"
)

func TestPlays(t *testing.T) {
	text := Plays()
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	if !strings.HasPrefix(text, "GLOUCESTER:\nNow is the winter of our discontent\n") || len(text) != 421989 || len(seen) != 62 {
		t.Errorf("%d characters, %d different ones, from %q on", len(text), len(seen), text[:40])
	}
}
