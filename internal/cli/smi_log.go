package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cresset/smi"
)

// logWriter writes nvidia-smi -q: names and values with the colons below each
// other.
type logWriter struct {
	w       io.Writer
	layout  smiLayout
	display []string // sections; all of them where it is empty
}

// logSections has the names for --display, and what they show of a GPU.
var logSections = []string{"MEMORY", "UTILIZATION", "ECC", "TEMPERATURE", "POWER", "CLOCK", "COMPUTE", "PIDS", "PERFORMANCE"}

// readSections reads --display, in which case does not matter.
func readSections(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	var sections []string
	for name := range strings.SplitSeq(text, ",") {
		name = strings.ToUpper(strings.TrimSpace(name))
		if !slices.Contains(logSections, name) {
			return nil, fmt.Errorf("--display must be of %s, not %q", strings.Join(logSections, ", "), name)
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

// line writes a name and its value, so many levels deep.
func (l *logWriter) line(level int, name, value string) {
	fmt.Fprintf(l.w, "%-*s: %s\n", l.layout.colon, strings.Repeat("    ", level)+name, value)
}

func (l *logWriter) head(level int, name string) {
	fmt.Fprintln(l.w, strings.Repeat("    ", level)+name)
}

// wants reports whether a section is to be shown.
func (l *logWriter) wants(section string) bool {
	return len(l.display) == 0 || slices.Contains(l.display, section)
}

// gpu writes the sections in nvidia-smi's order.
func (l *logWriter) gpu(g smi.GPU) {
	if len(l.display) == 0 {
		l.identity(g)
	}
	for _, s := range []struct {
		name  string
		write func(smi.GPU)
	}{
		{"PERFORMANCE", l.performance}, {"MEMORY", l.memory}, {"COMPUTE", l.compute}, {"UTILIZATION", l.utilization},
		{"ECC", l.ecc}, {"TEMPERATURE", l.temperature}, {"POWER", l.power}, {"CLOCK", l.clocks}, {"PIDS", l.programs},
	} {
		if l.wants(s.name) {
			s.write(g)
		}
	}
}

func (l *logWriter) identity(g smi.GPU) {
	l.line(1, "Product Name", told(g.Name))
	l.line(1, "Display Active", enabled(g.Display))
	l.line(1, "Persistence Mode", enabled(g.Persistence))
	if l.layout.mig {
		l.head(1, "MIG Mode")
		l.line(2, "Current", enabled(g.MIG))
	}
	l.line(1, "Serial Number", told(g.Serial))
	l.line(1, "GPU UUID", told(g.UUID))
	l.head(1, "PCI")
	l.line(2, "Bus Id", told(g.BusID))
	l.line(1, "Fan Speed", number(g.Fan, " %"))
}

func (l *logWriter) performance(g smi.GPU) { l.line(1, "Performance State", pstate(g)) }

func (l *logWriter) memory(g smi.GPU) {
	l.head(1, "FB Memory Usage")
	l.line(2, "Total", logMiB(g.Memory.Total))
	if l.layout.reserved {
		reserved := notAvailable
		if g.Memory.Reserved != nil {
			reserved = logMiB(*g.Memory.Reserved)
		}
		l.line(2, "Reserved", reserved)
	}
	l.line(2, "Used", logMiB(g.Memory.Used))
	l.line(2, "Free", logMiB(g.Memory.Free))
	l.head(1, "BAR1 Memory Usage")
	if b := g.BAR1; b != nil {
		l.line(2, "Total", logMiB(b.Total))
		l.line(2, "Used", logMiB(b.Used))
		l.line(2, "Free", logMiB(b.Free))
	} else {
		l.absent("Total", "Used", "Free")
	}
	if l.layout.since >= 535 {
		l.head(1, "Conf Compute Protected Memory Usage")
		l.absent("Total", "Used", "Free")
	}
}

func (l *logWriter) absent(names ...string) {
	for _, name := range names {
		l.line(2, name, notAvailable)
	}
}

func (l *logWriter) compute(g smi.GPU) { l.line(1, "Compute Mode", told(g.ComputeMode)) }

func (l *logWriter) utilization(g smi.GPU) {
	l.head(1, "Utilization")
	gpu := "Gpu"
	if l.layout.since >= 570 {
		gpu = "GPU"
	}
	l.line(2, gpu, number(g.Utilization, " %"))
	l.line(2, "Memory", number(g.MemoryBusy, " %"))
	l.absent("Encoder", "Decoder")
	if l.layout.since >= 535 {
		l.absent("JPEG", "OFA")
	}
}

func (l *logWriter) ecc(g smi.GPU) {
	name := "Ecc Mode"
	if l.layout.since >= 535 {
		name = "ECC Mode"
	}
	l.head(1, name)
	l.line(2, "Current", enabled(g.ECC))
}

func (l *logWriter) temperature(g smi.GPU) {
	l.head(1, "Temperature")
	l.line(2, "GPU Current Temp", number(g.Temperature, " C"))
}

func (l *logWriter) power(g smi.GPU) {
	head, draw, limit := "Power Readings", "Power Draw", "Power Limit"
	if l.layout.since >= 535 {
		head, limit = "GPU Power Readings", "Current Power Limit"
	}
	if l.layout.since >= 570 {
		draw = "Average Power Draw"
	}
	l.head(1, head)
	l.line(2, draw, logWatts(g.Power))
	l.line(2, limit, logWatts(g.PowerLimit))
}

func (l *logWriter) clocks(g smi.GPU) {
	l.head(1, "Clocks")
	l.line(2, "SM", number(g.Clock, " MHz"))
	l.line(2, "Memory", number(g.MemoryClock, " MHz"))
}

// programs writes processes with the colon where every driver since 450 has it,
// whatever the other lines do.
func (l *logWriter) programs(g smi.GPU) {
	if len(g.Processes) == 0 {
		l.line(1, "Processes", "None")
		return
	}
	l.head(1, "Processes")
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
		memory := notAvailable
		if p.Memory != nil {
			memory = logMiB(*p.Memory)
		}
		narrow.line(3, "Used GPU Memory", memory)
	}
}

func logMiB(bytes uint64) string { return fmt.Sprintf("%d MiB", bytes>>20) }

func logWatts(w *float64) string {
	if w == nil {
		return notAvailable
	}
	return fmt.Sprintf("%.2f W", *w)
}
