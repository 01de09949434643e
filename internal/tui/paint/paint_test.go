package paint

import (
	"io"
	"testing"

	"github.com/charmbracelet/lipgloss"
)

func TestRenderer(t *testing.T) {
	if got := Renderer(io.Discard).NewStyle().Bold(true).Foreground(lipgloss.Color("1")).Render("x"); got != "x" {
		t.Errorf("got %q where there is no terminal", got)
	}
	if shared != lipgloss.DefaultRenderer() {
		t.Error("bubbletea asks another renderer")
	}
}
