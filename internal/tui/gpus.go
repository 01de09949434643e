package tui

import (
	"fmt"
	"strings"

	"cresset/internal/tui/paint"
	"cresset/smi"
)

// Widths of the upper table, in columns.
const (
	utilizationWidth = 4
	temperatureWidth = 5
	maxNameWidth     = 20
	minNameWidth     = 8
	minSparkWidth    = 3
	maxSparkWidth    = 64
)

// gpuLayout says which columns of the upper table there is room for, and how wide they are; 0 is without.
type gpuLayout struct {
	index, name, memory, temperature, power int
	sparks                                  [4]int // of utilization, memory, temperature and power
}

// gpuLayout gives the window's columns away in the order of their worth.
func (t *Top) gpuLayout(lines int) (l gpuLayout, missing []string) {
	l.index, l.memory = len("GPU"), len("MEMORY")
	power, name := len("POWER"), minNameWidth
	for _, g := range t.gpus {
		l.index = max(l.index, len(fmt.Sprint(g.Index)))
		l.memory = max(l.memory, len(memoryText(g.Memory)))
		power = max(power, len(powerText(g.GPU)))
		name = max(name, paint.Width(shortName(g.GPU)))
		if lines > 1 {
			name = max(name, len(pace(g.GPU)))
		}
	}
	rest := t.width - l.index - 2 - utilizationWidth - 2 - l.memory
	take := func(width int, what string) int {
		if rest < width+2 {
			missing = append(missing, what)
			return 0
		}
		rest -= width + 2
		return width
	}
	l.temperature = take(temperatureWidth, "temperature")
	l.power = take(power, "power")
	if l.name = take(min(name, maxNameWidth), "names"); l.name == 0 && rest >= minNameWidth+2 {
		l.name, missing = take(minNameWidth, "names"), missing[:len(missing)-1]
	}
	if !l.addSparks(rest) {
		missing = append(missing, "history")
	}
	return l, missing
}

// addSparks shares the rest of a line among the histories, utilization having twice the others' part. Where the parts are
// too small it has all.
func (l *gpuLayout) addSparks(rest int) bool {
	weights := [4]int{2, 1, min(1, l.temperature), min(1, l.power)}
	parts, drawn := 0, 0
	for _, w := range weights {
		parts += w
		drawn += min(1, w)
	}
	if part := (rest - drawn) / parts; part >= minSparkWidth {
		for i, w := range weights {
			l.sparks[i] = min(maxSparkWidth, w*part)
		}
		l.sparks[0] = min(maxSparkWidth, l.sparks[0]+(rest-drawn)%parts)
		return true
	}
	if rest-1 >= minSparkWidth {
		l.sparks[0] = min(maxSparkWidth, rest-1)
	}
	return l.sparks[0] > 0
}

// gpuHead returns the titles of the upper table.
func (t *Top) gpuHead(l gpuLayout) string {
	cells := []string{t.right("GPU", l.index)}
	if l.name > 0 {
		cells = append(cells, t.left("NAME", l.name))
	}
	for _, c := range []struct {
		title        string
		width, spark int
	}{
		{"UTIL", utilizationWidth, l.sparks[0]}, {"MEMORY", l.memory, l.sparks[1]},
		{"TEMP", l.temperature, l.sparks[2]}, {"POWER", l.power, l.sparks[3]},
	} {
		if c.width > 0 {
			cells = append(cells, t.right(c.title, c.width)+strings.Repeat(" ", c.spark+min(1, c.spark)))
		}
	}
	return t.styles.head.Render(strings.TrimRight(strings.Join(cells, "  "), " "))
}

// cell is a value of a GPU with its history: one text in the first line, another in the second.
type cell struct {
	width, spark  int
	first, second string
	style         paint.Style // of the first line
	history       *history
	colour        paint.Style
}

// gpuLines returns so many lines of a GPU.
func (t *Top) gpuLines(g *gpu, l gpuLayout, lines int) []string {
	const plain = paint.Style("")
	cells := []cell{
		{width: l.index, first: fmt.Sprint(g.Index), style: plain},
		{width: l.name, first: t.left(shortName(g.GPU), l.name), second: t.left(pace(g.GPU), l.name), style: plain},
		{utilizationWidth, l.sparks[0], percentText(g.Utilization), "", plain, &g.past.utilization, t.styles.utilization},
		{l.memory, l.sparks[1], memoryText(g.Memory), memoryPercent(g.Memory), plain, &g.past.memory, t.styles.memory},
		{l.temperature, l.sparks[2], t.temperatureText(g.GPU), "", plain, &g.past.temperature, t.styles.temperature},
		{l.power, l.sparks[3], powerText(g.GPU), "", plain, &g.past.power, t.styles.power},
	}
	if g.lost {
		for i := range cells[1:] {
			cells[1+i].second = ""
		}
		cells[2].first, cells[2].style = "lost", t.styles.wrong
		cells[3].first, cells[4].first, cells[5].first = "", "", ""
	}
	out := make([]string, lines)
	for i, c := range cells {
		if c.width > 0 {
			t.addCell(out, c, i > 0)
		}
	}
	return out
}

// addCell writes a cell to the ends of lines.
func (t *Top) addCell(lines []string, c cell, apart bool) {
	texts := []string{c.first, c.second}
	var drawn []string
	if c.spark > 0 {
		drawn = t.pen.draw(c.history, c.spark, len(lines))
	}
	style := c.style
	for i := range lines {
		if apart {
			lines[i] += "  "
		}
		text := ""
		if i < len(texts) {
			text = texts[i]
		}
		lines[i] += style.Render(t.right(text, c.width))
		style = t.styles.faint
		if drawn != nil {
			lines[i] += " " + c.colour.Render(drawn[i])
		}
	}
}

// shortName leaves out what all names share.
func shortName(g smi.GPU) string {
	name := strings.TrimPrefix(smi.Printable(g.Name), "NVIDIA ")
	return strings.TrimPrefix(name, "GeForce ")
}

// pace tells how fast a GPU runs now.
func pace(g smi.GPU) string {
	var parts []string
	if g.PState != nil {
		parts = append(parts, fmt.Sprintf("P%d", *g.PState))
	}
	if g.Clock != nil {
		parts = append(parts, fmt.Sprintf("%d MHz", *g.Clock))
	}
	return strings.Join(parts, " ")
}

func percentText(n *int) string {
	if n == nil {
		return notAvailable
	}
	return fmt.Sprintf("%d%%", *n)
}

func memoryText(m smi.Memory) string { return size(m.Used) + "/" + size(m.Total) }

// size writes bytes in MiB as M, or in GiB as G.
func size(bytes uint64) string {
	if mib := bytes >> 20; mib < 1000 {
		return fmt.Sprintf("%dM", mib)
	}
	return fmt.Sprintf("%.1fG", float64(bytes)/(1<<30))
}

func memoryPercent(m smi.Memory) string {
	if m.Total == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f%%", 100*float64(m.Used)/float64(m.Total))
}

func (t *Top) temperatureText(g smi.GPU) string {
	switch {
	case g.Temperature == nil:
		return notAvailable
	case t.options.ASCII:
		return fmt.Sprintf("%d C", *g.Temperature)
	}
	return fmt.Sprintf("%d°C", *g.Temperature)
}

func powerText(g smi.GPU) string {
	switch {
	case g.Power == nil:
		return notAvailable
	case g.PowerLimit == nil:
		return fmt.Sprintf("%.0f W", *g.Power)
	}
	return fmt.Sprintf("%.0f/%.0f W", *g.Power, *g.PowerLimit)
}
