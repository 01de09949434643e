package tui

import (
	"strings"

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

// Press obeys a key.
func (t *Top) Press(key Key) Action {
	switch {
	case key.Name == "ctrl+c":
		t.interrupted = true
		return Quit
	case key.Name == "ctrl+z":
		return Suspend
	case t.typing:
		t.edit(key)
		return Stay
	case t.help:
		t.help = false
		if key.Name == "q" {
			return Quit
		}
		return Stay
	}
	for _, s := range sorts {
		if key.Name == s.key {
			t.order(s.by)
			return Stay
		}
	}
	switch key.Name {
	case "q":
		return Quit
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
		t.move(key.Name)
	}
	return Stay
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
func (t *Top) edit(key Key) {
	switch key.Name {
	case "enter":
		t.typing = false
	case "esc":
		t.typing, t.filter = false, ""
	case "backspace":
		if runes := []rune(t.filter); len(runes) > 0 {
			t.filter = string(runes[:len(runes)-1])
		}
	case "ctrl+u":
		t.filter = ""
	default:
		typed := []rune(t.filter + smi.Printable(key.Text))
		t.filter = strings.TrimLeft(string(typed[:min(len(typed), maxFilter)]), " ")
	}
	t.list()
}
