package cuda

import (
	"fmt"
	"strings"
)

// Summary returns the counts as PyTorch's memory_summary lays them out; an abbreviated one leaves the pools out.
func (s Stats) Summary(device int, abbreviated bool) string {
	t := &summary{abbreviated: abbreviated}
	t.line(strings.Repeat("=", summaryWidth))
	t.line(fmt.Sprintf("%18sPyTorch CUDA memory summary, device ID %-18d", "", device))
	t.rule()
	t.line(fmt.Sprintf("%12sCUDA OOMs: %-12d | %7scudaMalloc retries: %-8d  ", "", s.OOMs, "", s.Retries))
	t.line(strings.Repeat("=", summaryWidth))
	t.line("        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ")
	t.metric("Allocated memory", &s.AllocatedBytes, sizeText)
	t.metric("Active memory", &s.ActiveBytes, sizeText)
	t.metric("Requested memory", &s.RequestedBytes, sizeText)
	t.metric("GPU reserved memory", &s.ReservedBytes, sizeText)
	t.metric("Non-releasable memory", &s.InactiveSplitBytes, sizeText)
	t.metric("Allocations", &s.Allocation, countText)
	t.metric("Active allocs", &s.Active, countText)
	t.metric("GPU reserved segments", &s.Segment, countText)
	t.metric("Non-releasable allocs", &s.InactiveSplit, countText)
	t.rule()
	t.row("Oversize allocations", &s.OversizeAllocations, &s.OversizeAllocations, countText)
	t.rule()
	t.row("Oversize GPU segments", &s.OversizeSegments, &s.OversizeSegments, countText)
	t.line(strings.Repeat("=", summaryWidth))
	return t.String()
}

const summaryWidth = 75 // between the outer bars

type summary struct {
	strings.Builder
	abbreviated bool
}

func (t *summary) line(text string) { fmt.Fprintf(t, "|%s|\n", text) }

func (t *summary) rule() { t.line(strings.Repeat("-", summaryWidth)) }

// amount writes n in the unit that suits reference.
type amount func(n, reference int64) string

func (t *summary) metric(name string, s *PoolStat, text amount) {
	t.rule()
	t.row(name, &s[All], &s[All], text)
	if !t.abbreviated {
		t.row("      from large pool", &s[Large], &s[All], text)
		t.row("      from small pool", &s[Small], &s[All], text)
	}
}

func (t *summary) row(name string, s, reference *Stat, text amount) {
	t.line(fmt.Sprintf(" %-21s | %s | %s | %s | %s ", name, text(s.Current, reference.Current), text(s.Peak, reference.Peak),
		text(s.Allocated, reference.Allocated), text(s.Freed, reference.Freed)))
}

func sizeText(n, reference int64) string {
	return scaled(n, reference, 1024, 768*1024, "%6d %s", []string{"B  ", "KiB", "MiB", "GiB", "TiB", "PiB"})
}

func countText(n, reference int64) string {
	return scaled(n, reference, 1000, 750*1000, "%7d %s ", []string{" ", "K", "M"})
}

// scaled goes one unit up for as long as reference, in the present unit, reaches limit.
func scaled(n, reference, step int64, limit float64, format string, units []string) string {
	unit := 0
	for r := float64(reference); unit+1 < len(units) && r >= limit; r /= float64(step) {
		unit++
		n /= step
	}
	return fmt.Sprintf(format, n, units[unit])
}
