// Package tui is the terminal view of the GPUs behind cresset top. Top holds what is shown and knows nothing of terminals;
// Run shows it on one.
package tui

import (
	"slices"
	"time"

	"cresset/internal/tui/paint"
	"cresset/smi"
)

// Look is the state of the machine at one time.
type Look struct {
	Inventory  *smi.Inventory       // nil where nothing could be read
	Err        error                // why GPUs are missing from it
	Identities map[int]smi.Identity // by process number
}

// Options say how a Top looks.
type Options struct {
	Palette paint.Palette // what styles the terminal has
	ASCII   bool          // draw with ASCII alone
	Sort    Sort
	Every   time.Duration // between two looks, as the header tells it
}

// Top is the view: it changes by looks, keys and the size of the window alone. Its memory does not grow with the number of
// looks.
type Top struct {
	options Options
	pen     pen
	styles  styles

	width, height int // height 0: as many lines as it takes
	look          Look
	gpus          []*gpu // every GPU that was ever seen, by index
	interrupted   bool   // by Ctrl-C

	paused    bool
	help      bool
	typing    bool // of the filter
	filter    string
	sort      Sort
	reversed  bool
	scroll    int       // first program in view
	firstGPU  int       // in view
	programs  []program // that pass the filter, sorted
	unmatched int       // programs that do not
}

// gpu is a GPU with its past.
type gpu struct {
	smi.GPU
	lost bool // the last look did not find it
	past histories
}

// New returns a Top that has seen nothing yet, for a terminal of 80 columns and as many lines as it takes.
func New(o Options) *Top {
	t := &Top{options: o, pen: braille, styles: newStyles(o.Palette), width: 80, sort: o.Sort}
	if t.sort == "" {
		t.sort = ByGPU
	}
	if o.ASCII {
		t.pen = ascii
	}
	return t
}

// Resize changes the size of the window.
func (t *Top) Resize(width, height int) { t.width, t.height = width, height }

// Interrupted reports whether Ctrl-C ended the view.
func (t *Top) Interrupted() bool { return t.interrupted }

// Take brings the GPUs up to date, unless the view is paused. A GPU that a look does not find is lost, and stays in view.
func (t *Top) Take(look Look) {
	if t.paused {
		return
	}
	t.look = look
	for _, g := range t.gpus {
		g.lost = true
	}
	if look.Inventory != nil {
		for _, seen := range look.Inventory.GPUs {
			g := t.gpu(seen)
			g.GPU, g.lost = seen, false
		}
	}
	slices.SortStableFunc(t.gpus, func(a, b *gpu) int { return a.Index - b.Index })
	for _, g := range t.gpus {
		g.remember()
	}
	t.list()
}

// gpu returns a GPU that may have been seen before. Its index can change when another one is lost, its UUID cannot; not
// every GPU tells one.
func (t *Top) gpu(seen smi.GPU) *gpu {
	for _, g := range t.gpus {
		if g.UUID == seen.UUID && (g.UUID != "" || g.Index == seen.Index) {
			return g
		}
	}
	g := &gpu{}
	t.gpus = append(t.gpus, g)
	return g
}

// remember adds the present to the past.
func (g *gpu) remember() {
	if g.lost {
		g.Processes, g.ReservedBy = nil, nil
		for _, h := range []*history{&g.past.utilization, &g.past.memory, &g.past.temperature, &g.past.power} {
			h.add(absent)
		}
		return
	}
	percent, celsius := 100, hot
	used, total := float64(g.Memory.Used), float64(g.Memory.Total)
	g.past.utilization.add(share(g.Utilization, &percent))
	g.past.memory.add(share(&used, &total))
	g.past.temperature.add(share(g.Temperature, &celsius))
	g.past.power.add(share(g.Power, g.PowerLimit))
}
