package tui

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// styles are quiet: four colours of the terminal's own for what is drawn, one for
// what is wrong, and faint for what does not change.
type styles struct {
	title, head, faint, wrong, key          lipgloss.Style
	utilization, memory, temperature, power lipgloss.Style
}

func newStyles(r *lipgloss.Renderer) styles {
	colour := func(number string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(number)) }
	return styles{
		title: r.NewStyle().Bold(true), head: r.NewStyle().Faint(true), faint: r.NewStyle().Faint(true),
		wrong: colour("1").Bold(true), key: r.NewStyle().Bold(true),
		utilization: colour("6"), memory: colour("2"), temperature: colour("3"), power: colour("5"),
	}
}

// render styles a text unless it is blank: what is not seen is not worth sending.
func render(style lipgloss.Style, text string) string {
	if strings.TrimSpace(text) == "" {
		return text
	}
	return style.Render(text)
}

// fit cuts a text to width columns, and says so by its last one where it is cut.
func fit(text string, width int, ascii bool) string {
	if lipgloss.Width(text) <= width {
		return text
	}
	mark := "…"
	if ascii {
		mark = "~"
	}
	if width < 1 {
		return ""
	}
	var b strings.Builder
	left := width - 1
	for _, r := range text {
		if left -= lipgloss.Width(string(r)); left < 0 {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + mark
}

// left fills a text up to width columns, or cuts it.
func (t *Top) left(text string, width int) string {
	text = fit(text, width, t.options.ASCII)
	return text + strings.Repeat(" ", max(0, width-lipgloss.Width(text)))
}

// right fills a text up to width columns from the left, or cuts it.
func (t *Top) right(text string, width int) string {
	text = fit(text, width, t.options.ASCII)
	return strings.Repeat(" ", max(0, width-lipgloss.Width(text))) + text
}

// apart writes two texts at the ends of a line; the right one gives way.
func (t *Top) apart(left, right string) string {
	gap := t.width - lipgloss.Width(left) - lipgloss.Width(right)
	if gap < 2 {
		return left
	}
	return left + strings.Repeat(" ", gap) + right
}
