// Command termshot draws what a program prints as an SVG picture of a terminal, for the documentation:
//
//	go run ./internal/kgen/termshot cresset train > docs/train.svg
//
// runs go run ./cmd/cresset train and draws its output under that command line.
package main

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"strings"
)

const (
	charWidth  = 8.4
	lineHeight = 18.0
	margin     = 16.0
)

func main() {
	if len(os.Args) < 2 || os.Args[1] != "cresset" {
		fmt.Fprintln(os.Stderr, "usage: termshot cresset ARGS...")
		os.Exit(2)
	}
	args := append([]string{"run", "./cmd/cresset"}, os.Args[2:]...)
	output, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, output)
		os.Exit(1)
	}
	lines := append([]string{"$ go " + strings.Join(args, " ")}, strings.Split(strings.TrimRight(string(output), "\n"), "\n")...)
	fmt.Print(draw(lines))
}

// draw returns the picture of a terminal that shows the lines.
func draw(lines []string) string {
	columns := 0
	for _, l := range lines {
		columns = max(columns, len([]rune(l)))
	}
	width, height := 2*margin+float64(columns)*charWidth, 2*margin+float64(len(lines))*lineHeight
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="#d8dee9">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#1f2430"/>`+"\n")
	for i, l := range lines {
		y := margin + float64(i)*lineHeight
		text := strings.Map(func(r rune) rune {
			if isBraille(r) {
				return ' '
			}
			return r
		}, l)
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" xml:space="preserve" textLength="%.1f">%s</text>`+"\n",
			margin, y+14, float64(len([]rune(text)))*charWidth, html.EscapeString(text))
		for x, r := range []rune(l) {
			dots(&b, margin+float64(x)*charWidth, y, r)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func isBraille(r rune) bool { return r >= 0x2800 && r <= 0x28ff }

// brailleDots places the bits of a braille character, as column and row.
var brailleDots = [8][2]float64{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}}

// dots draws a braille character dot by dot, which looks the same in every font.
func dots(b *strings.Builder, x, y float64, r rune) {
	if !isBraille(r) {
		return
	}
	for i, at := range brailleDots {
		if (r-0x2800)&(1<<i) != 0 {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="1.4" fill="#88c0d0"/>`+"\n", x+2.1+4.2*at[0], y+2.2+4.5*at[1])
		}
	}
}
