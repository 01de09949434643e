//go:build !windows

package paint

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/term"
)

// Sequences reports whether a file is a terminal, which obeys escape sequences.
func Sequences(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// coloured are terminals with colours whose names do not say so.
var coloured = []string{"alacritty", "contour", "linux", "rio", "wezterm", "xterm", "xterm-ghostty", "xterm-kitty"}

// hasColours reports whether the terminal that TERM and COLORTERM name has colours.
func hasColours() bool {
	name := os.Getenv("TERM")
	return slices.Contains([]string{"24bit", "truecolor", "yes", "true"}, strings.ToLower(os.Getenv("COLORTERM"))) ||
		strings.Contains(name, "color") || strings.Contains(name, "ansi") || slices.Contains(coloured, name)
}
