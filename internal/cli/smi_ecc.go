package cli

import (
	"fmt"
	"slices"

	"cresset/smi"
)

// logECC has two forms: GPUs before Turing count by bits of an error and by parts of the GPU, later ones by kinds of memory.
var logECC = slices.Concat(
	before(535, heading(1, "Ecc Mode")),
	since(535, heading(1, "ECC Mode")),
	line(2, "Current", func(g smi.GPU) string { return enabled(g.ECC) }),
	line(2, "Pending", detail(func(d *smi.Details) string { return enabled(d.ECCPending) })),
	heading(1, "ECC Errors"),
	byMemory(false),
	byMemory(true),
	since(550, where(countsByMemory,
		heading(2, "Aggregate Uncorrectable SRAM Sources"),
		unknown(3, "SRAM L2", "SRAM SM", "SRAM Microcontroller", "SRAM PCIE", "SRAM Other"))),
	since(580, where(countsByMemory, unknown(2, "Channel Repair Pending", "TPC Repair Pending", "Unrepairable Memory"))),
)

// byMemory are the counters since the driver was loaded, or of all time.
func byMemory(aggregate bool) []logRow {
	span := "Volatile"
	if aggregate {
		span = "Aggregate"
	}
	rows := slices.Concat(
		heading(2, span),
		where(countsByPart, byPart("Single Bit            ", false, aggregate), byPart("Double Bit            ", true, aggregate)),
		since(450, where(countsByMemory, line(3, "SRAM Correctable", errorsAt("sram", false, aggregate)))),
		since(450, before(550, where(countsByMemory, line(3, "SRAM Uncorrectable", errorsAt("sram", true, aggregate))))),
		since(550, where(countsByMemory, unknown(3, "SRAM Uncorrectable Parity", "SRAM Uncorrectable SEC-DED"))),
		since(450, where(countsByMemory,
			line(3, "DRAM Correctable", errorsAt("dram", false, aggregate)),
			line(3, "DRAM Uncorrectable", errorsAt("dram", true, aggregate)))),
	)
	if aggregate {
		rows = append(rows, since(550, where(countsByMemory, unknown(3, "SRAM Threshold Exceeded")))...)
	}
	// Drivers before 450 count every GPU's errors by its parts.
	return slices.Concat(rows, before(450, where(countsByMemory,
		byPart("Single Bit            ", false, aggregate), byPart("Double Bit            ", true, aggregate))))
}

// byPart is a block of counters; the blanks behind its name are nvidia-smi's.
func byPart(name string, uncorrected, aggregate bool) []logRow {
	rows := heading(3, name)
	for _, part := range []struct{ name, place string }{
		{"Device Memory", "dram"}, {"Register File", "registers"}, {"L1 Cache", "l1"}, {"L2 Cache", "l2"},
		{"Texture Memory", "texture"}, {"Texture Shared", "texture_shared"}, {"CBU", "cbu"}, {"Total", "total"},
	} {
		rows = append(rows, line(4, part.name, errorsAt(part.place, uncorrected, aggregate))...)
	}
	return rows
}

// countsByPart reports whether a GPU is older than Turing.
func countsByPart(g smi.GPU) bool {
	var major, minor int
	n, _ := fmt.Sscanf(g.Capability, "%d.%d", &major, &minor)
	return n == 2 && (major < 7 || major == 7 && minor < 5)
}

func countsByMemory(g smi.GPU) bool { return !countsByPart(g) }

func errorsAt(place string, uncorrected, aggregate bool) func(smi.GPU) string {
	return detail(func(d *smi.Details) string { return written(countAt(d, place, uncorrected, aggregate), "%d") })
}

// countAt returns how many errors there were at a place, nil where that is not told.
func countAt(d *smi.Details, place string, uncorrected, aggregate bool) *uint64 {
	for _, c := range d.Counts {
		switch {
		case c.Place != place || c.Aggregate != aggregate:
		case uncorrected:
			return c.Uncorrected
		default:
			return c.Corrected
		}
	}
	return nil
}

var logRetired = slices.Concat(
	heading(1, "Retired Pages"),
	line(2, "Single Bit ECC", retired(func(r *smi.Retired) string { return fmt.Sprint(r.SingleBit) })),
	line(2, "Double Bit ECC", retired(func(r *smi.Retired) string { return fmt.Sprint(r.DoubleBit) })),
	before(450, line(2, "Pending", retired(func(r *smi.Retired) string { return yesNo(r.Pending) }))),
	since(450, line(2, "Pending Page Blacklist", retired(func(r *smi.Retired) string { return yesNo(r.Pending) }))),
)

func retired(value func(*smi.Retired) string) func(smi.GPU) string {
	return partOf(func(d *smi.Details) *smi.Retired { return d.Retired }, value)
}

func remaps(g smi.GPU) bool { return g.Details != nil && g.Details.Remapped != nil }

// logRemapped is one line for GPUs that retire pages instead.
var logRemapped = since(450,
	where(func(g smi.GPU) bool { return !remaps(g) }, unknown(1, "Remapped Rows")),
	where(remaps,
		heading(1, "Remapped Rows"),
		line(2, "Correctable Error", func(g smi.GPU) string { return fmt.Sprint(g.Details.Remapped.Corrected) }),
		line(2, "Uncorrectable Error", func(g smi.GPU) string { return fmt.Sprint(g.Details.Remapped.Uncorrected) }),
		line(2, "Pending", func(g smi.GPU) string { return yesNo(&g.Details.Remapped.Pending) }),
		line(2, "Remapping Failure Occurred", func(g smi.GPU) string { return yesNo(&g.Details.Remapped.Failed) }),
		heading(2, "Bank Remap Availability Histogram"), unknown(3, "Max", "High", "Partial", "Low", "None")),
)
