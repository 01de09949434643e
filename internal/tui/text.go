package tui

import (
	"strings"

	"cresset/internal/tui/paint"
)

// styles are quiet: four colours of the terminal's own for what is drawn, one for what is wrong, and faint for what does not
// change.
type styles struct {
	title, head, faint, wrong, key          paint.Style
	utilization, memory, temperature, power paint.Style
}

func newStyles(p paint.Palette) styles {
	return styles{
		title: p.Style(paint.Bold), head: p.Style(paint.Faint), faint: p.Style(paint.Faint),
		wrong: p.Style(paint.Bold, paint.Red), key: p.Style(paint.Bold),
		utilization: p.Style(paint.Cyan), memory: p.Style(paint.Green), temperature: p.Style(paint.Yellow), power: p.Style(paint.Magenta),
	}
}

// fit cuts a text to width columns, and says so by its last one where it is cut.
func fit(text string, width int, ascii bool) string {
	if paint.Width(text) <= width {
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
		if left -= paint.Width(string(r)); left < 0 {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + mark
}

// left fills a text up to width columns, or cuts it.
func (t *Top) left(text string, width int) string {
	text = fit(text, width, t.options.ASCII)
	return text + strings.Repeat(" ", max(0, width-paint.Width(text)))
}

// right fills a text up to width columns from the left, or cuts it.
func (t *Top) right(text string, width int) string {
	text = fit(text, width, t.options.ASCII)
	return strings.Repeat(" ", max(0, width-paint.Width(text))) + text
}

// apart writes two texts at the ends of a line; the right one gives way.
func (t *Top) apart(left, right string) string {
	gap := t.width - paint.Width(left) - paint.Width(right)
	if gap < 2 {
		return left
	}
	return left + strings.Repeat(" ", gap) + right
}
