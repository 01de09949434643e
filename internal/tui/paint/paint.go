// Package paint makes the command's styles. They use the 16 colours that terminals have names for, so that nobody has to ask
// a terminal what it can show.
package paint

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Style is how text looks: SGR parameters of ECMA-48, such as "1;31" for bold and red. Without any, text stays as it is.
type Style string

// What styles are made of.
const (
	Bold    Style = "1"
	Faint   Style = "2"
	Red     Style = "31"
	Green   Style = "32"
	Yellow  Style = "33"
	Magenta Style = "35"
	Cyan    Style = "36"
)

// Render returns text in the style. What is blank stays as it is, for nothing of it would be seen.
func (s Style) Render(text string) string {
	if s == "" || strings.TrimSpace(text) == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%sm%s\x1b[0m", string(s), text)
}

// Palette is what text is written with: with styles, or without.
type Palette bool

// Style joins styles, in a palette that has any.
func (p Palette) Style(parts ...Style) (joined Style) {
	for _, part := range parts {
		switch {
		case !bool(p):
		case joined == "":
			joined = part
		default:
			joined += ";" + part
		}
	}
	return joined
}

// On returns the palette of a writer: without styles where it is no terminal or one without colours. NO_COLOR, CLICOLOR and
// CLICOLOR_FORCE say otherwise, as no-color.org and bixense.com/clicolors tell.
func On(w io.Writer) Palette {
	force := os.Getenv("CLICOLOR_FORCE")
	forced := force != "" && force != "0"
	switch {
	case os.Getenv("NO_COLOR") != "", os.Getenv("CLICOLOR") == "0" && !forced:
		return false
	case forced:
		return true
	}
	f, ok := w.(*os.File)
	return Palette(ok && os.Getenv("CI") == "" && Sequences(f) && hasColours())
}

// Width returns how many columns of a terminal a line takes. Its only escape sequences are those of styles.
func Width(line string) (columns int) {
	for {
		text, rest, styled := strings.Cut(line, "\x1b[")
		for _, r := range text {
			columns += runeWidth(r)
		}
		if !styled {
			return columns
		}
		_, line, _ = strings.Cut(rest, "m")
	}
}

// runeWidth returns 2 for what East Asian scripts and pictures take, and 0 for what joins the character before it.
func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 2
	}
	return 1
}
