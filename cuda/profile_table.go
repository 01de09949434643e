package cuda

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cresset/tensor"
)

// TableOption is an option of Table: SortBy, RowLimit.
type TableOption interface{ tableOption(t *tableOptions) }

// SortBy names the column by which rows fall, under PyTorch's name: cpu_time_total, cuda_time_total, self_cpu_time_total,
// self_cuda_time_total, cpu_time and cuda_time for averages, cuda_memory_usage, self_cuda_memory_usage or count. Another one panics with
// PyTorch's error.
type SortBy string

// RowLimit is how many rows there are at most, 100 unless given; -1 stands for all.
type RowLimit int

type tableOptions struct {
	sortBy string
	limit  int
}

func (s SortBy) tableOption(t *tableOptions)   { t.sortBy = string(s) }
func (n RowLimit) tableOption(t *tableOptions) { t.limit = int(n) }

// sortKeys are the columns by which a table can be sorted.
var sortKeys = map[string]func(e *FunctionEventAvg) int64{
	"self_cpu_time_total":    func(e *FunctionEventAvg) int64 { return int64(e.SelfCPUTimeTotal) },
	"cpu_time_total":         func(e *FunctionEventAvg) int64 { return int64(e.CPUTimeTotal) },
	"cpu_time":               func(e *FunctionEventAvg) int64 { return int64(average(e.CPUTimeTotal, e.Count)) },
	"self_cuda_time_total":   func(e *FunctionEventAvg) int64 { return int64(e.SelfCUDATimeTotal) },
	"cuda_time_total":        func(e *FunctionEventAvg) int64 { return int64(e.CUDATimeTotal) },
	"cuda_time":              func(e *FunctionEventAvg) int64 { return int64(average(e.CUDATimeTotal, e.Count)) },
	"self_cuda_memory_usage": func(e *FunctionEventAvg) int64 { return e.SelfCUDAMemory },
	"cuda_memory_usage":      func(e *FunctionEventAvg) int64 { return e.CUDAMemory },
	"count":                  func(e *FunctionEventAvg) int64 { return int64(e.Count) },
}

// Table returns the sums as PyTorch's key_averages().table does. Below it stands what was dropped, and that times are modelled.
func (a Averages) Table(opts ...TableOption) string {
	o := tableOptions{limit: 100}
	for _, opt := range opts {
		opt.tableOption(&o)
	}
	if len(a.Events) == 0 {
		return a.notes()
	}
	events := slices.Clone(a.Events)
	if o.sortBy != "" {
		key, ok := sortKeys[o.sortBy]
		if !ok {
			panic(&tensor.Error{Op: "table", Kind: tensor.ErrValue, Err: fmt.Errorf("'FunctionEventAvg' object has no attribute '%s'; there are %s",
				o.sortBy, strings.Join(slices.Sorted(maps.Keys(sortKeys)), ", "))})
		}
		slices.SortStableFunc(events, func(x, y FunctionEventAvg) int { return cmp.Compare(key(&y), key(&x)) })
	}
	t := a.layout(events)
	if o.limit >= 0 {
		events = events[:min(o.limit, len(events))]
	}
	return t.text(events) + a.notes()
}

// column is one column: its head, what it shows of a row, its width.
type column struct {
	head  string
	value func(e *FunctionEventAvg) string
	width int
	left  bool // the text stands left
}

// table is the columns that a profile has, and its sums.
type table struct {
	columns   []column
	cpu, cuda time.Duration
	onGPU     bool
}

// The widths of PyTorch's table.
const (
	mostName   = 55
	mostShapes = 80
	mostSource = 75
	usualWidth = 12
)

// layout decides which columns there are.
func (a Averages) layout(events []FunctionEventAvg) *table {
	t := new(table)
	name, shapes, source := 0, 0, 0
	for i := range events {
		e := &events[i]
		t.cpu += e.SelfCPUTimeTotal
		if e.OnGPU {
			t.cuda, t.onGPU = t.cuda+e.SelfCUDATimeTotal, true
		}
		name, shapes, source = max(name, len(e.Key)), max(shapes, len(e.InputShapes)), max(source, len(sourceOf(e)))
	}
	t.columns = []column{{head: "Name", width: min(name+4, mostName), value: func(e *FunctionEventAvg) string { return cut(e.Key) }}}
	duration := func(head string, value func(e *FunctionEventAvg) time.Duration) {
		t.add(head, func(e *FunctionEventAvg) string { return timeText(value(e)) })
	}
	share := func(head string, of time.Duration, value func(e *FunctionEventAvg) time.Duration) {
		t.add(head, func(e *FunctionEventAvg) string { return shareText(value(e), of) })
	}
	share("Self CPU %", t.cpu, func(e *FunctionEventAvg) time.Duration { return e.SelfCPUTimeTotal })
	duration("Self CPU", func(e *FunctionEventAvg) time.Duration { return e.SelfCPUTimeTotal })
	share("CPU total %", t.cpu, func(e *FunctionEventAvg) time.Duration { return e.CPUTimeTotal })
	duration("CPU total", func(e *FunctionEventAvg) time.Duration { return e.CPUTimeTotal })
	duration("CPU time avg", func(e *FunctionEventAvg) time.Duration { return average(e.CPUTimeTotal, e.Count) })
	if t.onGPU {
		duration("Self CUDA", func(e *FunctionEventAvg) time.Duration { return e.SelfCUDATimeTotal })
		share("Self CUDA %", t.cuda, func(e *FunctionEventAvg) time.Duration { return e.SelfCUDATimeTotal })
		duration("CUDA total", func(e *FunctionEventAvg) time.Duration { return e.CUDATimeTotal })
		duration("CUDA time avg", func(e *FunctionEventAvg) time.Duration { return average(e.CUDATimeTotal, e.Count) })
	}
	if a.memory {
		t.add("CUDA Mem", func(e *FunctionEventAvg) string { return memoryText(e.CUDAMemory) })
		t.add("Self CUDA Mem", func(e *FunctionEventAvg) string { return memoryText(e.SelfCUDAMemory) })
	}
	t.add("# of Calls", func(e *FunctionEventAvg) string { return fmt.Sprint(e.Count) })
	if shapes > 0 {
		width := min(shapes+4, mostShapes)
		t.columns = append(t.columns, column{head: "Input Shapes", width: width, value: func(e *FunctionEventAvg) string { return e.InputShapes[:min(width, len(e.InputShapes))] }})
	}
	if source > 0 {
		t.columns = append(t.columns, column{head: "Source Location", width: min(source+4, mostSource), left: true, value: sourceOf})
	}
	return t
}

func (t *table) add(head string, value func(e *FunctionEventAvg) string) {
	t.columns = append(t.columns, column{head: head, value: value, width: max(usualWidth, len(head))})
}

// sourceOf returns the line of the program, "" where lines are not told apart.
func sourceOf(e *FunctionEventAvg) string {
	if e.Site.Line == 0 {
		return ""
	}
	return e.Site.String()
}

// text lays the rows out.
func (t *table) text(events []FunctionEventAvg) string {
	var b strings.Builder
	rule := func() {
		for _, c := range t.columns {
			b.WriteString(strings.Repeat("-", c.width) + "  ")
		}
		b.WriteByte('\n')
	}
	row := func(cell func(c *column) string) {
		for i := range t.columns {
			c := &t.columns[i]
			if c.left {
				fmt.Fprintf(&b, "%-*s  ", c.width, cell(c))
			} else {
				fmt.Fprintf(&b, "%*s  ", c.width, cell(c))
			}
		}
		b.WriteByte('\n')
	}
	rule()
	row(func(c *column) string { return c.head })
	rule()
	for i := range events {
		row(func(c *column) string { return c.value(&events[i]) })
	}
	rule()
	fmt.Fprintf(&b, "Self CPU time total: %s\n", timeText(t.cpu))
	if t.onGPU {
		fmt.Fprintf(&b, "Self CUDA time total: %s\n", timeText(t.cuda))
	}
	return b.String()
}

// notes says what the table does not show.
func (a Averages) notes() string {
	var b strings.Builder
	untimed := 0
	for i := range a.Events {
		untimed += a.Events[i].untimed
	}
	if a.modelled {
		b.WriteString("CUDA times are those of a simulated GPU's modelled clock.\n")
	}
	if untimed > 0 {
		fmt.Fprintf(&b, "%d events of GPUs have no time: the driver told none.\n", untimed)
	}
	if a.dropped > 0 {
		fmt.Fprintf(&b, "%d events were dropped: the profile was full. cuda.MaxEvents makes it larger.\n", a.dropped)
	}
	return b.String()
}

// average rounds to nanoseconds.
func average(total time.Duration, n int) time.Duration {
	return (total + time.Duration(n)/2) / time.Duration(n)
}

func timeText(d time.Duration) string {
	us := float64(d) / 1e3
	switch {
	case us >= 1e6:
		return fmt.Sprintf("%.3fs", us/1e6)
	case us >= 1e3:
		return fmt.Sprintf("%.3fms", us/1e3)
	}
	return fmt.Sprintf("%.3fus", us)
}

func shareText(d, of time.Duration) string {
	if of == 0 {
		return "NaN"
	}
	return fmt.Sprintf("%.2f%%", 100*float64(d)/float64(of))
}

func memoryText(n int64) string {
	switch size := max(n, -n); {
	case size >= 1<<30:
		return fmt.Sprintf("%.2f GB", float64(n)/(1<<30))
	case size >= 1<<20:
		return fmt.Sprintf("%.2f MB", float64(n)/(1<<20))
	case size >= 1<<10:
		return fmt.Sprintf("%.2f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// cut shortens a name that is too long.
func cut(name string) string {
	if len(name) < mostName-3 {
		return name
	}
	return name[:mostName-3] + "..."
}
