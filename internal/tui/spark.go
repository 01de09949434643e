package tui

import (
	"math"
	"strings"
)

// pen draws histories with what the terminal's character set has.
type pen struct {
	columns int      // values side by side in a character
	levels  int      // heights that a value has in a character
	glyphs  []string // by the heights of a character's values, the left one first
}

// braille has dots of 2x4. The rows of glyphs are by the height of the left value, their columns by that of the right one.
var braille = pen{columns: 2, levels: 4, glyphs: []string{
	" ", "⢀", "⢠", "⢰", "⢸",
	"⡀", "⣀", "⣠", "⣰", "⣸",
	"⡄", "⣄", "⣤", "⣴", "⣼",
	"⡆", "⣆", "⣦", "⣶", "⣾",
	"⡇", "⣇", "⣧", "⣷", "⣿",
}}

// ascii is for terminals that show no other characters.
var ascii = pen{columns: 1, levels: 5, glyphs: []string{" ", ".", ":", "-", "=", "#"}}

// draw returns lines with the latest values of a history, the newest at the right. A value that was told has at least one
// dot, so that zero differs from absent.
func (p pen) draw(h *history, width, lines int) []string {
	drawn := make([]strings.Builder, lines)
	for x := range width {
		for y := range lines {
			below := (lines - 1 - y) * p.levels
			glyph := 0
			for c := range p.columns {
				ago := (width-x)*p.columns - 1 - c
				glyph = glyph*(p.levels+1) + min(p.levels, max(0, p.height(h.last(ago), lines)-below))
			}
			drawn[y].WriteString(p.glyphs[glyph])
		}
	}
	out := make([]string, lines)
	for y := range drawn {
		out[y] = drawn[y].String()
	}
	return out
}

// height returns how high a value stands in so many lines.
func (p pen) height(v float64, lines int) int {
	if math.IsNaN(v) {
		return 0
	}
	return max(1, int(math.Round(v*float64(lines*p.levels))))
}
