package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// smiLayout is the form of nvidia-smi's output in one generation of drivers. Each is taken from captures of that generation,
// which the tests name.
type smiLayout struct {
	since  int    // first driver of the generation
	driver int    // the one whose log is written: of the generation or later
	widths [3]int // of the columns, between their bars

	title string    // driver, driver, CUDA version
	ruled string    // ends of the line below the title
	heads []string  // of the GPUs' columns
	names int       // characters of a GPU's name
	rows  [2]string // name and flags; state
	mig   bool      // whether a third row tells of MIG
	gap   int       // blanks in the line between the tables
	parts *migLayout

	processes   []string // heads of the table of processes
	process     string   // a row of it
	programs    int      // characters of a program's name
	instances   bool     // whether it has columns for MIG's instances
	memoryWidth int

	colon  int    // column of the colon in logs
	absent string // in CSV, for what a GPU does not report
}

// The columns of three eras.
var (
	narrowColumns = [3]int{31, 22, 22}
	wideColumns   = [3]int{41, 22, 22}
	widestColumns = [3]int{41, 24, 22}
)

const (
	narrowTitle = "| NVIDIA-SMI %-12s Driver Version: %-12s CUDA Version: %-9s|"
	wideTitle   = "| NVIDIA-SMI %-22s Driver Version: %-12s CUDA Version: %-9s|"
	widestTitle = "| NVIDIA-SMI %-22s Driver Version: %-14s CUDA Version: %-9s|"

	narrowName  = "|%4d  %-18s  %-3s  | %16s %3s | %20s |"
	wideName    = "|%4d  %-27s    %-3s | %16s %3s | %20s |"
	widestName  = "|%4d  %-27s    %-3s |   %16s %3s | %20s |"
	narrowState = "|%4s%6s%6s%7s / %4s |%s |%8s%13s |"
	wideState   = "|%4s%6s%6s%17s / %4s |%s |%8s%13s |"
	widestState = "|%4s%6s%6s%16s / %5s |%s |%8s%13s |"

	plainProcess   = "|%5d%10d%7s   %-42s%s|"
	narrowProcess  = "|%5d%6s%5s%10d%7s   %-28s%s |"
	wideProcess    = "|%5d%6s%5s%10d%7s   %-38s%s |"
	currentProcess = "|%5d%6s%5s%16d%7s   %-32s%s |"
)

var (
	narrowHeads = []string{
		"| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |",
		"| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |",
	}
	narrowMIGHeads = append(slices.Clone(narrowHeads),
		"|                               |                      |               MIG M. |")
	wideHeads = []string{
		"| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |",
		"| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |",
		"|                                         |                      |               MIG M. |",
	}
	widestHeads = []string{
		"| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
		"| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
		"|                                         |                        |               MIG M. |",
	}
	plainProcessHeads = []string{
		"| Processes:                                                       GPU Memory |",
		"|  GPU       PID   Type   Process name                             Usage      |",
	}
	narrowProcessHeads = []string{
		"| Processes:                                                                  |",
		"|  GPU   GI   CI        PID   Type   Process name                  GPU Memory |",
		"|        ID   ID                                                   Usage      |",
	}
	wideProcessHeads = []string{
		"| Processes:                                                                            |",
		"|  GPU   GI   CI        PID   Type   Process name                            GPU Memory |",
		"|        ID   ID                                                             Usage      |",
	}
	widestProcessHeads = []string{
		"| Processes:                                                                              |",
		"|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |",
		"|        ID   ID                                                               Usage      |",
	}
	currentProcessHeads = []string{
		"| Processes:                                                                              |",
		"|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |",
		"|        ID   ID                                                               Usage      |",
	}
)

// smiLayouts has the generations, the oldest first: each is the one before it but for what changed.
var smiLayouts = generations()

func generations() (all []smiLayout) {
	l := smiLayout{
		since: 418, widths: narrowColumns, title: narrowTitle, ruled: "|+", heads: narrowHeads, names: 18,
		rows: [2]string{narrowName, narrowState}, gap: 79,
		processes: plainProcessHeads, process: plainProcess, programs: 42, memoryWidth: 9,
		colon: 36, absent: "[Not Supported]",
	}
	all = append(all, l)

	l.since, l.heads, l.mig, l.parts = 450, narrowMIGHeads, true, &narrowParts
	l.processes, l.process, l.programs, l.instances, l.memoryWidth = narrowProcessHeads, narrowProcess, 28, true, 12
	l.colon, l.absent = 42, "[N/A]"
	all = append(all, l)

	l.since = 510
	all = append(all, l)

	l.since, l.widths, l.title, l.heads, l.names, l.gap = 535, wideColumns, wideTitle, wideHeads, 27, 89
	l.rows, l.parts = [2]string{wideName, wideState}, &wideParts
	l.processes, l.process, l.programs = wideProcessHeads, wideProcess, 38
	all = append(all, l)

	l.since, l.widths, l.title, l.heads = 550, widestColumns, widestTitle, widestHeads
	l.rows, l.parts = [2]string{widestName, widestState}, &widestParts
	l.processes, l.memoryWidth = widestProcessHeads, 14
	all = append(all, l)

	l.since, l.processes, l.process, l.programs = 570, currentProcessHeads, currentProcess, 32
	all = append(all, l)

	l.since, l.ruled, l.gap, l.colon = 580, "++", 0, 55
	return append(all, l)
}

// currentLayout is that of the newest drivers.
func currentLayout() smiLayout { return smiLayouts[len(smiLayouts)-1].itself() }

// itself is a layout as its first driver writes it.
func (l smiLayout) itself() smiLayout {
	l.driver = l.since
	return l
}

// layoutOf returns the layout of a driver's generation; the current one where the version is not known.
func layoutOf(driver string) smiLayout {
	major, _, _ := strings.Cut(driver, ".")
	generation, err := strconv.Atoi(major)
	if err != nil {
		return currentLayout()
	}
	found := smiLayouts[0]
	for _, l := range smiLayouts {
		if l.since <= generation {
			found = l
		}
	}
	found.driver = generation
	return found
}

// chooseLayout reads --layout: a generation, or driver for the driver's own. Without it, tables have the current layout and
// logs the driver's, as scripts expect.
func chooseLayout(flag, driver string, log bool) (smiLayout, error) {
	switch {
	case flag == "driver", flag == "" && log:
		return layoutOf(driver), nil
	case flag == "", flag == "current":
		return currentLayout(), nil
	}
	for _, l := range smiLayouts {
		if strconv.Itoa(l.since) == flag {
			return l.itself(), nil
		}
	}
	return smiLayout{}, fmt.Errorf("--layout must be current, driver or one of %s, not %q", layoutNames(), flag)
}

func layoutNames() string {
	var names []string
	for _, l := range smiLayouts {
		names = append(names, strconv.Itoa(l.since))
	}
	return strings.Join(names, ", ")
}
