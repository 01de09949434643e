package cli

import (
	"fmt"
	"slices"

	"cresset/smi"
)

// logRow is a line of nvidia-smi -q about a GPU: a name and its value, or a heading. Which drivers have it is taken from
// captures of every generation, which the tests name.
type logRow struct {
	level int
	name  string
	value func(smi.GPU) string // nil: a heading

	from, until int                // the drivers that have it; 0: all
	shown       func(smi.GPU) bool // nil: for every GPU
	asked       bool               // only where --display names its section
}

// logSection is rows under a name of --display; without one they are in the whole log alone.
type logSection struct {
	name string
	rows []logRow
	more func(*logWriter, smi.GPU) // writes what is not of the GPU as a whole; may be nil
}

// The functions below are not inlined, for each row of the tables would compile them anew.

//go:noinline
func heading(level int, name string) []logRow { return []logRow{{level: level, name: name}} }

//go:noinline
func line(level int, name string, value func(smi.GPU) string) []logRow {
	return []logRow{{level: level, name: name, value: value}}
}

// unknown are rows that nvidia-smi fills and this program does not ask for.
func unknown(level int, names ...string) (rows []logRow) {
	for _, name := range names {
		rows = append(rows, line(level, name, func(smi.GPU) string { return notAvailable })...)
	}
	return rows
}

// since are rows that came with a driver.
//
//go:noinline
func since(driver int, rows ...[]logRow) []logRow {
	return each(rows, func(r *logRow) { r.from = max(r.from, driver) })
}

// before are rows that left with a driver.
//
//go:noinline
func before(driver int, rows ...[]logRow) []logRow {
	return each(rows, func(r *logRow) { r.until = driver })
}

// where are rows for some GPUs.
//
//go:noinline
func where(shown func(smi.GPU) bool, rows ...[]logRow) []logRow {
	return each(rows, func(r *logRow) { r.shown = shown })
}

// onRequest are rows that the whole log leaves out.
//
//go:noinline
func onRequest(rows ...[]logRow) []logRow {
	return each(rows, func(r *logRow) { r.asked = true })
}

// each joins rows and changes every one of them.
func each(rows [][]logRow, change func(*logRow)) []logRow {
	all := slices.Concat(rows...)
	for i := range all {
		change(&all[i])
	}
	return all
}

// detail returns a value that is in a GPU's details. It is not inlined, nor is gpuField, since each row would compile the closure anew.
//
//go:noinline
func detail(value func(*smi.Details) string) func(smi.GPU) string {
	return func(g smi.GPU) string {
		if g.Details == nil {
			return notAvailable
		}
		return value(g.Details)
	}
}

// partOf is detail for a value of a part of the details that a GPU may not have.
func partOf[T any](of func(*smi.Details) *T, value func(*T) string) func(smi.GPU) string {
	return detail(func(d *smi.Details) string {
		if of(d) == nil {
			return notAvailable
		}
		return value(of(d))
	})
}

// figure is detail for a number with a unit.
func figure(unit string, value func(*smi.Details) *int) func(smi.GPU) string {
	return detail(func(d *smi.Details) string { return number(value(d), unit) })
}

func logWatts(w *float64) string { return written(w, "%.2f W") }

// limitOf is detail for a limit of power.
func limitOf(value func(smi.PowerLimits) *float64) func(smi.GPU) string {
	return detail(func(d *smi.Details) string { return logWatts(value(d.Power)) })
}

func hexOf(n *uint32) string { return written(n, "0x%08X") }

func logMiB(bytes uint64) string { return fmt.Sprintf("%d MiB", bytes>>20) }

// memoryOf is a part of memory that may not be told.
func memoryOf(m *smi.Memory, part func(smi.Memory) uint64) string {
	if m == nil {
		return notAvailable
	}
	return logMiB(part(*m))
}

// active says whether a bit is set.
func active(bit uint64) func(smi.GPU) string {
	return partOf(func(d *smi.Details) *uint64 { return d.ClockReasons }, func(reasons *uint64) string {
		set := *reasons&bit != 0
		return word(&set, "Active", "Not Active")
	})
}
