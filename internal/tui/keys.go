package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"cresset/smi"
)

// keyHelp is what the keys do, the most useful first.
var keyHelp = []struct{ key, does string }{
	{"q", "quit"},
	{"/", "show only programs whose line has these words"},
	{"g", "sort by GPU; each sort key reverses at its second press"},
	{"m", "sort by memory, the most first"},
	{"p", "sort by process number"},
	{"u", "sort by user"},
	{"c", "sort by command"},
	{"r", "reverse the order"},
	{"space", "hold this view, or go on"},
	{"k, j", "scroll the programs; arrows, pages, home and end do too"},
	{"tab", "show the next GPUs where there is no room for all"},
}

// press obeys a key, or several that were typed at once.
func (t *Top) press(key tea.KeyMsg) tea.Cmd {
	if key.Type == tea.KeyRunes && len(key.Runes) > 1 && !key.Paste {
		for _, r := range key.Runes {
			if cmd := t.press(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}); cmd != nil {
				return cmd
			}
		}
		return nil
	}
	switch {
	case key.Type == tea.KeyCtrlC:
		t.interrupted = true
		return tea.Quit
	case key.Type == tea.KeyCtrlZ:
		return tea.Suspend
	case t.typing:
		t.edit(key)
		return nil
	case t.help:
		t.help = false
		if key.String() == "q" {
			return tea.Quit
		}
		return nil
	}
	name := key.String()
	for _, s := range sorts {
		if name == s.key {
			t.order(s.by)
			return nil
		}
	}
	switch name {
	case "q":
		return tea.Quit
	case "?", "h":
		t.help = true
	case "/":
		t.typing = true
	case "esc":
		t.filter = ""
		t.list()
	case "r":
		t.reversed = !t.reversed
		t.list()
	case " ":
		t.paused = !t.paused
	case "tab":
		t.turn(1)
	case "shift+tab":
		t.turn(-1)
	default:
		t.move(name)
	}
	return nil
}

// order sorts by a column; the same column again turns the order around.
func (t *Top) order(by Sort) {
	t.reversed = t.sort == by && !t.reversed
	t.sort = by
	t.list()
}

// move scrolls the programs. View keeps the place within what there is.
func (t *Top) move(key string) {
	page := max(1, t.programLines()-1)
	switch key {
	case "up", "k":
		t.scroll--
	case "down", "j":
		t.scroll++
	case "pgup":
		t.scroll -= page
	case "pgdown":
		t.scroll += page
	case "home":
		t.scroll = 0
	case "end":
		t.scroll = len(t.programs)
	}
	t.settle()
}

// turn shows the next GPUs, or those before; after the last come the first.
func (t *Top) turn(pages int) {
	room := t.plan().gpus
	last := max(0, len(t.gpus)-room)
	first := min(t.firstGPU, last)
	switch {
	case pages > 0 && first == last:
		t.firstGPU = 0
	case pages < 0 && first == 0:
		t.firstGPU = last
	default:
		t.firstGPU = max(0, min(last, first+pages*room))
	}
}

// settle keeps the place of the programs within what there is.
func (t *Top) settle() {
	t.scroll = max(0, min(t.scroll, len(t.programs)-t.programLines()))
}

const maxFilter = 60 // characters; a line that is pasted can be long

// edit changes the filter as it is typed.
func (t *Top) edit(key tea.KeyMsg) {
	switch key.Type {
	case tea.KeyEnter:
		t.typing = false
	case tea.KeyEsc:
		t.typing, t.filter = false, ""
	case tea.KeyBackspace:
		if runes := []rune(t.filter); len(runes) > 0 {
			t.filter = string(runes[:len(runes)-1])
		}
	case tea.KeyCtrlU:
		t.filter = ""
	case tea.KeyRunes, tea.KeySpace:
		typed := []rune(t.filter + smi.Printable(string(key.Runes)))
		t.filter = strings.TrimLeft(string(typed[:min(len(typed), maxFilter)]), " ")
	}
	t.list()
}
