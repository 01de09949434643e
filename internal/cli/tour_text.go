package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"cresset/internal/cli/flags"
	"cresset/internal/tour"
	"cresset/internal/tui/paint"
)

// look is how the tour's text looks: colors where the terminal has them and NO_COLOR is not set, and its width.
type look struct {
	width                                int
	title, quiet, keyword, text, comment paint.Style
}

const (
	pageWidth  = 80  // of what is no terminal
	widestPage = 100 // lines of text that are longer are hard to read
	margin     = 5   // before what is said about a step
)

func lookOf(w io.Writer) look {
	p := paint.On(w)
	l := look{
		width: pageWidth, title: p.Style(paint.Bold), quiet: p.Style(paint.Faint),
		keyword: p.Style(paint.Cyan), text: p.Style(paint.Green), comment: p.Style(paint.Faint),
	}
	if n := columns(w); n > 0 {
		l.width = min(n, widestPage)
	}
	return l
}

// welcome says what the whole tour is.
func (l look) welcome(w io.Writer) error {
	text := "Five notes on GPU computing with PyTorch, 000 to 004, are what cresset was founded on. Here is each of their calls in Go: " +
		"the line that it mirrors, the code, and what that code printed just now. What they say, line by line, stands in docs/seeds.md."
	_, err := fmt.Fprintf(w, "%s\n\n%s\n\n\n", l.title.Render("A tour of GPU computing"), strings.Join(flags.Fold(text, min(l.width, pageWidth)), "\n"))
	return err
}

// step writes a step: what it is, its code, what that printed, and what to know today.
func (l look) step(w io.Writer, chapter string, p part, o tour.Outcome) error {
	var b strings.Builder
	if p.opens {
		heading := fmt.Sprintf("%d  %s", p.chapter, chapter)
		fmt.Fprintf(&b, "%s\n%s\n\n", l.title.Render(heading), l.quiet.Render(strings.Repeat("─", utf8.RuneCountInString(heading))))
	}
	fmt.Fprintf(&b, "%s\n", l.title.Render(fmt.Sprintf("%-4s %s", p.place(), p.Title)))
	l.row(&b, "note", notes(p.Note))
	l.row(&b, "mirrors", p.Mirrors)
	l.row(&b, "needs", needs(p.Needs, o))
	b.WriteString("\n")
	for line := range strings.SplitSeq(l.code(p), "\n") {
		b.WriteString(strings.TrimRight(l.quiet.Render("   │")+" "+line, " ") + "\n")
	}
	b.WriteString("\n")
	if o.Output != "" {
		b.WriteString(l.wrapped(o.Output))
	}
	if o.Err != nil {
		b.WriteString(l.wrapped(o.Err.Error()))
	}
	b.WriteString("\n")
	if p.Today != "" {
		l.row(&b, "today", p.Today)
		b.WriteString("\n")
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// notes writes "001:70-75 001:80 003:12" as "001 lines 70-75, 80; 003 line 12".
func notes(list string) string {
	var order []string
	lines := map[string][]string{}
	for place := range strings.FieldsSeq(list) {
		note, at, _ := strings.Cut(place, ":")
		if lines[note] == nil {
			order = append(order, note)
		}
		lines[note] = append(lines[note], at)
	}
	for i, note := range order {
		word := "lines"
		if len(lines[note]) == 1 && !strings.Contains(lines[note][0], "-") {
			word = "line"
		}
		order[i] = fmt.Sprintf("%s %s %s", note, word, strings.Join(lines[note], ", "))
	}
	return strings.Join(order, "; ")
}

// needs says what a step needs, and where it got it.
func needs(s tour.Setting, o tour.Outcome) string {
	switch {
	case len(o.Variables) > 0:
		return s.Words + "; simulated: " + strings.Join(o.Variables, " ")
	case o.Simulated:
		return s.Words + "; simulated"
	}
	return s.Words
}

// row writes a line about a step, or several.
func (l look) row(b *strings.Builder, name, value string) {
	const column = 9
	lines := flags.Fold(value, l.width-margin-column)
	for i, line := range lines {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "%*s%s\n", margin, "", l.quiet.Render(fmt.Sprintf("%-*s%s", column, name, line)))
	}
}

// code writes a step's code.
func (l look) code(p part) string {
	code := strings.ReplaceAll(p.Code(), "\t", "    ")
	if p.Do == nil {
		return l.quiet.Render("$ ") + code
	}
	return l.highlight(code)
}

// wrapped breaks the lines of an output that the page is too narrow for, and leaves out empty ones at its end.
func (l look) wrapped(output string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(output, "\n"), "\n") {
		if strings.HasPrefix(line, "|") || strings.HasPrefix(line, "+") { // tables break badly
			b.WriteString(line + "\n")
			continue
		}
		text := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(text)]
		for _, part := range flags.Fold(text, l.width-len(indent)) {
			b.WriteString(indent + part + "\n")
		}
	}
	return b.String()
}
