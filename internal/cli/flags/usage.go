package flags

import (
	"fmt"
	"reflect"
	"strings"
)

const (
	pageWidth  = 80
	widestName = 29 // of a flag whose help begins in the same line
)

// Usage writes the help of a program: what it is, and its commands.
func Usage(program, description string, commands []Command) string {
	var rows [][2]string
	for _, c := range commands {
		if c.Help != "" {
			rows = append(rows, [2]string{c.Name, c.Help})
		}
	}
	return fmt.Sprintf("Usage: %s <command>\n\n%s\nFlags:\n  -h, --help    Show this help, or with a command that command's.\n\nCommands:\n%s\nRun \"%s <command> --help\" for more information on a command.\n",
		program, paragraphs(description), columns(rows), program)
}

// Usage writes the help of a command: what it does, what its method Help tells, its arguments and flags, and what its method
// More tells.
func (c *Command) Usage(program string) string {
	var arguments, flags [][2]string
	usage := ""
	flags = append(flags, [2]string{"-h, --help", "Show this help."})
	for _, f := range c.fields() {
		switch row := [2]string{f.form(), f.tag.Get("help")}; {
		case f.arg:
			arguments = append(arguments, row)
			usage += " " + row[0]
		case !f.has("hidden"):
			flags = append(flags, row)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s %s%s [flags]\n\n%s", program, c.Name, usage, paragraphs(c.Help))
	if h, ok := c.Into.(interface{ Help() string }); ok {
		b.WriteString("\n" + paragraphs(h.Help()))
	}
	if arguments != nil {
		b.WriteString("\nArguments:\n" + columns(arguments))
	}
	b.WriteString("\nFlags:\n" + columns(flags))
	if h, ok := c.Into.(interface{ More() string }); ok {
		b.WriteString("\n" + paragraphs(h.More()))
	}
	return b.String()
}

// form writes how a flag or argument is given.
func (f *field) form() string {
	if f.arg {
		form := "<" + f.name + ">"
		if f.value.Kind() == reflect.Slice {
			form += " ..."
		}
		if f.has("optional") {
			form = "[" + form + "]"
		}
		return form
	}
	short, name, value := "    ", f.name, f.tag.Get("placeholder")
	if letter := f.tag.Get("short"); letter != "" {
		short = "-" + letter + ", "
	}
	if f.has("negatable") {
		name = "[no-]" + name
	}
	if value == "" && !f.isBool() {
		value = f.tag.Get("default")
	}
	if value != "" {
		value = "=" + value
	}
	return short + "--" + name + value
}

// columns writes names beside texts.
func columns(rows [][2]string) string {
	width := 0
	for _, r := range rows {
		if len(r[0]) <= widestName {
			width = max(width, len(r[0]))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		name := r[0]
		if len(name) > width {
			fmt.Fprintf(&b, "  %s\n", name)
			name = ""
		}
		for _, line := range Fold(r[1], pageWidth-width-6) {
			fmt.Fprintf(&b, "  %-*s    %s\n", width, name, line)
			name = ""
		}
	}
	return b.String()
}

// paragraphs folds a text. Lines that begin with a blank stay as they are.
func paragraphs(text string) string {
	var b strings.Builder
	for i, p := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		lines := []string{p}
		if !strings.HasPrefix(p, " ") {
			lines = Fold(strings.Join(strings.Fields(p), " "), pageWidth)
		}
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	return b.String()
}

// Fold breaks a text at blanks into lines of at most width characters; words that are longer stay whole.
func Fold(text string, width int) (lines []string) {
	line := []rune(text)
	for len(line) > width {
		head := string(line[:width+1])
		cut := len([]rune(head[:max(strings.LastIndexByte(head, ' '), 0)]))
		if strings.TrimSpace(string(line[:cut])) == "" { // a long word, perhaps after an indentation
			next := strings.IndexByte(string(line[width:]), ' ')
			if next < 0 {
				break
			}
			cut = width + len([]rune(string(line[width:])[:next]))
		}
		lines = append(lines, string(line[:cut]))
		line = []rune(strings.TrimLeft(string(line[cut:]), " "))
	}
	return append(lines, string(line))
}
