package tui

import (
	"fmt"
	"strings"

	"cresset/internal/tui/paint"
	"cresset/smi"
)

// Sizes of the smallest window that has room for anything.
const (
	minWidth  = 30
	minHeight = 4
)

// View returns the picture: the lines of the window, none longer than it is wide.
func (t *Top) View() string {
	if t.width < minWidth || t.height != 0 && t.height < minHeight {
		return fit(fmt.Sprintf("wants %dx%d, has %dx%d", minWidth, minHeight, t.width, t.height), t.width, t.options.ASCII)
	}
	if t.help {
		return t.helpPage()
	}
	p := t.plan()
	layout, missing := t.gpuLayout(p.lines)
	lines := []string{t.header()}
	if p.gaps == 2 {
		lines = append(lines, "")
	}
	lines = append(lines, t.gpuHead(layout))
	first := max(0, min(t.firstGPU, len(t.gpus)-p.gpus))
	for _, g := range t.gpus[first : first+p.gpus] {
		lines = append(lines, t.gpuLines(g, layout, p.lines)...)
	}
	if hidden := len(t.gpus) - p.gpus; hidden > 0 {
		missing = append([]string{plural(hidden, "GPU") + " (tab)"}, missing...)
	}
	if p.gaps > 0 {
		lines = append(lines, "")
	}
	if p.programs > 0 {
		table, narrowed := t.programTable(p.programs)
		lines, missing = append(lines, table...), append(missing, narrowed...)
	} else if len(t.programs) > 0 {
		missing = append(missing, plural(len(t.programs), "program"))
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	if t.height == 0 {
		return strings.Join(lines, "\n")
	}
	for len(lines) < t.height-1 {
		lines = append(lines, "")
	}
	return strings.Join(append(lines, t.foot(missing)), "\n")
}

// Frame returns a picture of a width and of as many lines as it takes, without keys.
func (t *Top) Frame(width int) string {
	t.width, t.height = width, 0
	return t.View()
}

// plan shares the lines of the window.
type plan struct {
	gpus     int
	lines    int // of each GPU
	gaps     int // the first before the programs, the second below the header
	programs int // lines without the head; 0: no table
}

const (
	fewPrograms  = 4  // lines that the programs keep in a small window, their head included
	maxGPULines  = 4  // which make histories high
	tallMinWidth = 64 // from which on a second line has more to tell
)

func (t *Top) plan() plan {
	all, wide := len(t.gpus), t.width >= tallMinWidth
	if t.height == 0 {
		p := plan{all, 1, 2, max(1, len(t.programs))}
		if wide {
			p.lines = 2
		}
		return p
	}
	rest := t.height - 3 // header, head of the GPUs, foot
	keep := min(fewPrograms, 1+max(1, len(t.programs)))
	p := plan{gpus: min(all, rest), lines: 1}
	if rest > keep {
		p.gpus = min(all, rest-keep)
	}
	rest -= p.gpus
	for wide && all > 0 && p.gpus == all && p.lines < maxGPULines && rest-all >= 2+max(fewPrograms, t.height/3) {
		rest -= all
		p.lines++
	}
	p.gaps = max(0, min(2, rest-keep))
	p.programs = max(0, rest-p.gaps-1)
	return p
}

// programLines returns how many programs are in view.
func (t *Top) programLines() int { return t.plan().programs }

// header tells what machine this is, and when it was looked at.
func (t *Top) header() string {
	dot := " · "
	if t.options.ASCII {
		dot = ", "
	}
	title := t.styles.title.Render("cresset top") + "  "
	room := t.width - paint.Width(title)
	if t.look.Err != nil {
		return title + t.styles.wrong.Render(fit(smi.Printable(t.look.Err.Error()), room, t.options.ASCII))
	}
	if t.look.Inventory == nil {
		return title
	}
	when, style := t.look.Inventory.Time.Format("15:04:05"), t.styles.faint
	if t.paused {
		when, style = "paused", t.styles.wrong
	}
	room -= len(when) + 2
	facts := ""
	for _, f := range t.facts() {
		if facts != "" {
			f = dot + f
		}
		if room < paint.Width(facts+f) {
			break
		}
		facts += f
	}
	return title + t.styles.faint.Render(t.left(facts, room)) + "  " + style.Render(when)
}

// facts are what the header tells as far as there is room, the most useful first.
func (t *Top) facts() []string {
	inventory := t.look.Inventory
	facts := []string{plural(len(inventory.GPUs), "GPU")}
	if inventory.Simulated {
		facts = append(facts, "simulated")
	}
	if inventory.Driver != "" {
		facts = append(facts, "driver "+smi.Printable(inventory.Driver))
	}
	if inventory.CUDA != "" {
		facts = append(facts, "CUDA "+smi.Printable(inventory.CUDA))
	}
	if t.options.Every > 0 {
		facts = append(facts, "every "+t.options.Every.String())
	}
	return facts
}

// foot has what is missing, and as many keys as there is room for.
func (t *Top) foot(missing []string) string {
	if t.typing {
		prompt := t.styles.key.Render("/") + fit(t.filter, t.width-2, t.options.ASCII) + "_"
		return t.apart(prompt, t.styles.faint.Render("enter keeps, esc clears"))
	}
	line := ""
	add := func(text string) bool {
		if line != "" {
			text = "  " + text
		}
		if paint.Width(line)+paint.Width(text) > t.width {
			return false
		}
		line += text
		return true
	}
	keys := func(key, does string) bool {
		return add(t.styles.key.Render(key) + " " + t.styles.faint.Render(does))
	}
	keys("?", "help")
	if len(missing) > 0 {
		add(t.styles.wrong.Render(fit("no room: "+strings.Join(missing, ", "), t.width-paint.Width(line)-2, t.options.ASCII)))
	}
	order := string(t.sort)
	if t.reversed {
		order += " reversed"
	}
	for _, k := range []struct{ key, does string }{
		{"q", "quit"}, {"/", "filter"}, {"gmpuc", "sort: " + order}, {"r", "reverse"}, {"space", "pause"},
	} {
		if !keys(k.key, k.does) {
			break
		}
	}
	return line
}

// helpPage tells what the keys do.
func (t *Top) helpPage() string {
	lines := []string{t.styles.title.Render("cresset top") + "  " + t.styles.faint.Render("any key goes back")}
	if t.height == 0 || t.height > len(keyHelp)+2 {
		lines = append(lines, "")
	}
	for _, k := range keyHelp {
		lines = append(lines, t.styles.key.Render(t.right(k.key, 8))+"  "+fit(k.does, t.width-10, t.options.ASCII))
	}
	if t.height > 0 && len(lines) > t.height {
		lines = lines[:t.height]
	}
	return strings.Join(lines, "\n")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
