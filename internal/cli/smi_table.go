package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"cresset/smi"
)

// writeSMITable writes nvidia-smi's default output.
func writeSMITable(w io.Writer, l smiLayout, inventory *smi.Inventory) {
	lines := []string{cTime(inventory.Time) + strings.Repeat(" ", 7), l.across("-", "+")}
	lines = append(lines, fmt.Sprintf(l.title, told(inventory.Driver), told(inventory.Driver), told(inventory.CUDA)))
	lines = append(lines, l.ruled[:1]+l.columns("-")+l.ruled[1:])
	lines = append(lines, l.heads...)
	lines = append(lines, "|"+l.columns("=")+"|")
	for _, g := range inventory.GPUs {
		lines = append(lines, l.gpu(g)...)
	}
	lines = append(lines, strings.Repeat(" ", l.gap))
	lines = append(lines, l.migTable(inventory.GPUs)...)
	lines = append(lines, l.across("-", "+"))
	lines = append(lines, l.processes...)
	lines = append(lines, l.across("=", "|"))
	rows := l.programRows(inventory.GPUs)
	if len(rows) == 0 {
		rows = []string{fmt.Sprintf("|%-*s|", l.width(), "  No running processes found")}
	}
	lines = append(append(lines, rows...), l.across("-", "+"))
	fmt.Fprintln(w, strings.Join(lines, "\n"))
}

// cTime writes a time as C's ctime does.
func cTime(t time.Time) string { return t.Format(time.ANSIC) }

// width counts the characters between the outer bars.
func (l smiLayout) width() int { return l.widths[0] + l.widths[1] + l.widths[2] + 2 }

// across is a line without columns.
func (l smiLayout) across(line, end string) string {
	return end + strings.Repeat(line, l.width()) + end
}

// columns is a line with columns, but for its ends.
func (l smiLayout) columns(line string) string {
	var parts []string
	for _, width := range l.widths {
		parts = append(parts, strings.Repeat(line, width))
	}
	return strings.Join(parts, "+")
}

// gpu returns the rows of a GPU and the line below it.
func (l smiLayout) gpu(g smi.GPU) []string {
	lines := []string{
		fmt.Sprintf(l.rows[0], g.Index, cutEnd(smi.Printable(g.Name), l.names), onOff(g.Persistence), g.BusID, onOff(g.Display), eccErrors(g)),
		fmt.Sprintf(l.rows[1], number(g.Fan, "%"), number(g.Temperature, "C"), pstate(g), watts(g.Power), watts(g.PowerLimit),
			l.memory(g.Memory), number(g.Utilization, "%"), shortMode(g.ComputeMode)),
	}
	if l.mig {
		lines = append(lines, fmt.Sprintf("|%*s|%*s| %20s |", l.widths[0], "", l.widths[1], "", enabled(g.MIG)))
	}
	return append(lines, "+"+l.columns("-")+"+")
}

// memory is the cell of used and total memory. Where the column is too narrow for a GPU that came later, the blanks before
// it give way.
func (l smiLayout) memory(m smi.Memory) string {
	return fmt.Sprintf("%*s", l.widths[1]-1, fmt.Sprintf("%s / %*s", mib(m.Used), l.widths[1]/2-3, mib(m.Total)))
}

func (l smiLayout) programRows(gpus []smi.GPU) (rows []string) {
	for _, g := range gpus {
		for _, p := range g.Processes {
			memory := "N/A     "
			if p.Memory != nil {
				memory = mib(*p.Memory)
			}
			name := cutStart(programName(p), l.programs)
			cell := fmt.Sprintf("%*s", l.memoryWidth, memory)
			if l.instances {
				rows = append(rows, fmt.Sprintf(l.process, g.Index, number(p.GPUInstance, ""), number(p.ComputeInstance, ""), p.PID, p.Type, name, cell))
				continue
			}
			rows = append(rows, fmt.Sprintf(l.process, g.Index, p.PID, p.Type, name, cell+" "))
		}
	}
	return rows
}

// programName returns a name that a terminal shows and does not obey. A program that has ended meanwhile has none.
func programName(p smi.Process) string {
	if p.Name == "" {
		return "[Not Found]"
	}
	return smi.Printable(p.Name)
}

const dots = "..."

// cutEnd shortens a text to width characters by its end.
func cutEnd(text string, width int) string {
	if r := []rune(text); len(r) > width {
		return string(r[:width-len(dots)]) + dots
	}
	return text
}

// cutStart shortens a text to width characters by its start: the end of a path tells more.
func cutStart(text string, width int) string {
	if r := []rune(text); len(r) > width {
		return dots + string(r[len(r)-width+len(dots):])
	}
	return text
}

const notAvailable = "N/A"

// told returns text, or N/A in its place.
func told(text string) string {
	if text == "" {
		return notAvailable
	}
	return smi.Printable(text)
}

// written formats what a GPU may not report.
func written[T any](value *T, format string) string {
	if value == nil {
		return notAvailable
	}
	return fmt.Sprintf(format, *value)
}

// word writes a state that a GPU may not report.
func word(on *bool, yes, no string) string {
	switch {
	case on == nil:
		return notAvailable
	case *on:
		return yes
	}
	return no
}

func onOff(on *bool) string   { return word(on, "On", "Off") }
func enabled(on *bool) string { return word(on, "Enabled", "Disabled") }
func yesNo(on *bool) string   { return word(on, "Yes", "No") }

func number(n *int, unit string) string { return written(n, "%d"+strings.ReplaceAll(unit, "%", "%%")) }

func pstate(g smi.GPU) string { return written(g.PState, "P%d") }

// watts cuts the digits behind the point, as nvidia-smi does: 23.83 W are 23W.
func watts(w *float64) string {
	if w == nil {
		return notAvailable
	}
	return fmt.Sprintf("%dW", int(*w))
}

func mib(bytes uint64) string { return fmt.Sprintf("%dMiB", bytes>>20) }

// eccErrors counts the errors that were not corrected, where correction is on. The devices of a partitioned GPU count their
// own.
func eccErrors(g smi.GPU) string {
	switch {
	case g.ECC == nil, !*g.ECC, g.MIG != nil && *g.MIG:
		return onOff(g.ECC)
	}
	return written(g.ECCErrors, "%d")
}

// shortMode writes compute modes as the table has room for.
func shortMode(mode string) string {
	switch mode {
	case "":
		return notAvailable
	case smi.ExclusiveProcess:
		return "E. Process"
	case smi.ExclusiveThread:
		return "E. Thread"
	}
	return mode
}
