// Package paint makes the command's styles. They use the colours that the terminal
// has names for, so that nobody has to ask it whether its background is dark.
package paint

import (
	"io"

	"github.com/charmbracelet/lipgloss"
)

// Renderer returns what styles are made with for a writer: without colours where it
// is no terminal, or NO_COLOR is set.
func Renderer(w io.Writer) *lipgloss.Renderer { return settle(lipgloss.NewRenderer(w)) }

// shared settles the renderer that lipgloss shares. bubbletea asks it for the
// background while the program starts: that would send a question to the terminal,
// and wait up to five seconds for an answer, in every command. This package is
// initialised first, for it needs lipgloss alone and its path sorts before
// bubbletea's: so the specification of Go orders packages.
var shared = settle(lipgloss.DefaultRenderer())

func settle(r *lipgloss.Renderer) *lipgloss.Renderer {
	r.SetHasDarkBackground(true)
	return r
}
