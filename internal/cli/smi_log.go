package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cresset/smi"
)

// logWriter writes nvidia-smi -q: names and values with the colons below each other.
type logWriter struct {
	w       io.Writer
	layout  smiLayout
	display []string // sections; all of them where it is empty
}

// sectionNames returns the names for --display.
func sectionNames() (names []string) {
	for _, s := range logSections {
		if s.name != "" {
			names = append(names, s.name)
		}
	}
	return names
}

// readSections reads --display, in which case does not matter.
func readSections(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	var sections []string
	for name := range strings.SplitSeq(text, ",") {
		name = strings.ToUpper(strings.TrimSpace(name))
		if !slices.Contains(sectionNames(), name) {
			return nil, fmt.Errorf("--display must be of %s, not %q", strings.Join(sectionNames(), ", "), name)
		}
		sections = append(sections, name)
	}
	return sections, nil
}

func (l *logWriter) write(inventory *smi.Inventory, attached int) {
	fmt.Fprintf(l.w, "\n==============NVSMI LOG==============\n\n")
	l.line(0, "Timestamp", cTime(inventory.Time))
	l.line(0, "Driver Version", told(inventory.Driver))
	l.line(0, "CUDA Version", told(inventory.CUDA))
	fmt.Fprintln(l.w)
	l.line(0, "Attached GPUs", fmt.Sprint(attached))
	for _, g := range inventory.GPUs {
		fmt.Fprintf(l.w, "GPU %s\n", told(g.BusID))
		l.gpu(g)
		fmt.Fprintln(l.w)
	}
}

// gpu writes the sections that are wanted.
func (l *logWriter) gpu(g smi.GPU) {
	for _, section := range logSections {
		if len(l.display) > 0 && !slices.Contains(l.display, section.name) {
			continue
		}
		for _, row := range section.rows {
			l.row(row, g)
		}
		if section.more != nil {
			section.more(l, g)
		}
	}
}

// row writes a row that this driver has.
func (l *logWriter) row(r logRow, g smi.GPU) {
	driver := l.layout.driver
	switch {
	case driver < r.from, r.until > 0 && driver >= r.until, r.asked && len(l.display) == 0, r.shown != nil && !r.shown(g):
	case r.value == nil:
		fmt.Fprintln(l.w, strings.Repeat("    ", r.level)+r.name)
	default:
		l.line(r.level, r.name, r.value(g))
	}
}

// line writes a name and its value, so many levels deep.
func (l *logWriter) line(level int, name, value string) {
	fmt.Fprintf(l.w, "%-*s: %s\n", l.layout.colon, strings.Repeat("    ", level)+name, value)
}

// parts writes the MIG devices of a GPU.
func (l *logWriter) parts(g smi.GPU) {
	for _, part := range g.Instances {
		fmt.Fprintln(l.w, "    MIG Device")
		l.line(2, "Index", fmt.Sprint(part.Index))
		l.line(2, "GPU Instance ID", fmt.Sprint(part.GPUInstance))
		l.line(2, "Compute Instance ID", fmt.Sprint(part.ComputeInstance))
		fmt.Fprintln(l.w, "        Device Attributes\n            Shared")
		l.line(4, "Multiprocessor count", number(part.Multiprocessors, ""))
		if e := part.Engines; e != nil {
			l.line(4, "Copy Engine count", fmt.Sprint(e.Copy))
			l.line(4, "Encoder count", fmt.Sprint(e.Encoders))
			l.line(4, "Decoder count", fmt.Sprint(e.Decoders))
			l.line(4, "OFA count", fmt.Sprint(e.OpticalFlow))
			l.line(4, "JPG count", fmt.Sprint(e.JPEG))
		}
		fmt.Fprintln(l.w, "        FB Memory Usage")
		l.line(3, "Total", memoryOf(part.Memory, totalOf))
		if l.layout.driver >= 510 && part.Memory != nil {
			l.line(3, "Reserved", reserved(*part.Memory))
		}
		l.line(3, "Used", memoryOf(part.Memory, usedOf))
		l.line(3, "Free", memoryOf(part.Memory, freeOf))
		fmt.Fprintln(l.w, "        BAR1 Memory Usage")
		l.line(3, "Total", memoryOf(part.BAR1, totalOf))
		l.line(3, "Used", memoryOf(part.BAR1, usedOf))
		l.line(3, "Free", memoryOf(part.BAR1, freeOf))
	}
}

// programs writes processes with the colon where every driver since 450 has it, whatever the other lines do.
func (l *logWriter) programs(g smi.GPU) {
	if len(g.Processes) == 0 {
		l.line(1, "Processes", "None")
		return
	}
	fmt.Fprintln(l.w, "    Processes")
	narrow := *l
	narrow.layout.colon = min(l.layout.colon, 42)
	for _, p := range g.Processes {
		if l.layout.instances {
			narrow.line(2, "GPU instance ID", number(p.GPUInstance, ""))
			narrow.line(2, "Compute instance ID", number(p.ComputeInstance, ""))
		}
		narrow.line(2, "Process ID", fmt.Sprint(p.PID))
		narrow.line(3, "Type", p.Type)
		narrow.line(3, "Name", programName(p))
		narrow.line(3, "Used GPU Memory", memoryOf(held(p), usedOf))
	}
}

// held is what a process holds, where that is told.
func held(p smi.Process) *smi.Memory {
	if p.Memory == nil {
		return nil
	}
	return &smi.Memory{Used: *p.Memory}
}
