//go:build !windows

package paint

import "testing"

// TestHasColours: names as terminals give them.
func TestHasColours(t *testing.T) {
	t.Setenv("COLORTERM", "")
	for name, want := range map[string]bool{
		"": false, "dumb": false, "vt100": false, "xterm-mono": false, "xterm": true, "linux": true, "xterm-256color": true, "screen-256color": true,
		"rxvt-color": true, "ansi": true, "xterm-kitty": true,
	} {
		if t.Setenv("TERM", name); hasColours() != want {
			t.Errorf("%q: got %v", name, !want)
		}
	}
	t.Setenv("TERM", "foot")
	if t.Setenv("COLORTERM", "truecolor"); !hasColours() {
		t.Error("COLORTERM is not asked")
	}
}
