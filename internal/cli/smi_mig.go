package cli

import (
	"fmt"
	"slices"
	"strings"

	"cresset/smi"
)

// migLayout is the form of the table of MIG devices in one generation of drivers. The rows of all of them are alike but for
// the column of memory.
type migLayout struct {
	memory int // width of its column
	blanks int // behind a device's memory
	heads  []string
}

const barBlanks = 2 // behind what it has of the window on the bus, where blanks are more than one

var (
	narrowParts = migLayout{22, 1, []string{
		"| GPU  GI  CI  MIG |         Memory-Usage |        Vol|         Shared        |",
		"|      ID  ID  Dev |           BAR1-Usage | SM     Unc| CE  ENC  DEC  OFA  JPG|",
		"|                  |                      |        ECC|                       |",
	}}
	wideParts = migLayout{32, 2, []string{
		"| GPU  GI  CI  MIG |                   Memory-Usage |        Vol|      Shared           |",
		"|      ID  ID  Dev |                     BAR1-Usage | SM     Unc| CE ENC DEC OFA JPG    |",
		"|                  |                                |        ECC|                       |",
	}}
	widestParts = migLayout{34, 4, []string{
		"| GPU  GI  CI  MIG |                     Memory-Usage |        Vol|        Shared         |",
		"|      ID  ID  Dev |                       BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |",
		"|                  |                                  |        ECC|                       |",
	}}
)

// line is one without text.
func (m *migLayout) line(fill, end string) string {
	var columns []string
	for _, width := range []int{18, m.memory, 11, 23} {
		columns = append(columns, strings.Repeat(fill, width))
	}
	return end + strings.Join(columns, "+") + end
}

// migTable returns the lines of MIG devices, none where no GPU is in that mode.
func (l smiLayout) migTable(gpus []smi.GPU) []string {
	if l.parts == nil || !slices.ContainsFunc(gpus, func(g smi.GPU) bool { return g.MIG != nil && *g.MIG }) {
		return nil
	}
	ruled := l.parts.line("-", "+")
	lines := []string{l.across("-", "+"), fmt.Sprintf("|%-*s|", l.width(), " MIG devices:"), ruled}
	lines = append(append(lines, l.parts.heads...), l.parts.line("=", "|"))
	found := false
	for _, g := range gpus {
		for _, part := range g.Instances {
			lines = append(append(lines, l.parts.rows(g, part)...), ruled)
			found = true
		}
	}
	if !found {
		lines = append(lines, fmt.Sprintf("|%-*s|", l.width(), "  No MIG devices found"), l.across("-", "+"))
	}
	return append(lines, strings.Repeat(" ", l.gap))
}

func (m *migLayout) rows(g smi.GPU, part smi.Instance) []string {
	errors := "0" // that were not corrected; a GPU whose errors are corrected counts its own
	if g.ECC == nil || !*g.ECC {
		errors = notAvailable
	}
	var e smi.Engines
	if part.Engines != nil {
		e = *part.Engines
	}
	return []string{
		fmt.Sprintf("|%3d  %3d %3d %3d  |%s|%3s%7s |%3d%4d%5d%5d%5d |", g.Index, part.GPUInstance, part.ComputeInstance, part.Index,
			m.cell(part.Memory, m.blanks), number(part.Multiprocessors, ""), errors, e.Copy, e.Encoders, e.Decoders, e.OpticalFlow, e.JPEG),
		fmt.Sprintf("|%18s|%s|%11s|%23s|", "", m.cell(part.BAR1, min(m.blanks, barBlanks)), "", ""),
	}
}

func (m *migLayout) cell(memory *smi.Memory, blanks int) string {
	text := notAvailable
	if memory != nil {
		text = fmt.Sprintf("%s / %8s", mib(memory.Used), mib(memory.Total))
	}
	return fmt.Sprintf("%*s%*s", m.memory-blanks, text, blanks, "")
}
