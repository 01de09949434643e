package tui

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"cresset/internal/tui/paint"
	"cresset/smi"
)

func ptr[T any](v T) *T { return &v }

// farm returns a look at so many GPUs, of which the first works: program 100 on GPU 0, 101 on 1, and so on.
func farm(gpus, second int) Look {
	inventory := &smi.Inventory{
		Time: time.Date(2026, 5, 1, 12, 0, second, 0, time.UTC), Driver: "535.183.01", CUDA: "12.2", Source: smi.NVML, Simulated: true,
	}
	look := Look{Inventory: inventory, Identities: map[int]smi.Identity{}}
	for i := range gpus {
		wave := (1 + math.Sin(float64(second)/3)) / 2
		g := smi.GPU{
			Index: i, Name: "NVIDIA GeForce GTX 1070", UUID: fmt.Sprintf("GPU-%d", i), Memory: smi.Memory{Total: 8119 << 20},
			Utilization: ptr(0), Temperature: ptr(35), Power: ptr(8.0), PowerLimit: ptr(151.0), PState: ptr(8), Clock: ptr(210),
		}
		if i == 0 {
			g.Utilization, g.Power, g.Temperature = ptr(int(100*wave)), ptr(8+143*wave), ptr(40+second%40)
			g.PState, g.Clock = ptr(0), ptr(1683)
			g.Memory.Used = uint64(second) << 27
		}
		pid := 100 + i
		g.Processes = []smi.Process{{PID: pid, Type: "C", Name: "python", Memory: ptr(uint64(second+100*i) << 20)}}
		look.Identities[pid] = smi.Identity{User: []string{"ada", "grace"}[i%2], Command: fmt.Sprintf("python train.py --rank %d", i)}
		inventory.GPUs = append(inventory.GPUs, g)
	}
	return look
}

// seen returns a Top of a size that has seen a farm for so many seconds.
func seen(o Options, width, height, gpus, seconds int) *Top {
	t := New(o)
	t.Resize(width, height)
	for second := range seconds {
		t.Take(farm(gpus, second))
	}
	return t
}

// typeKeys types text, in which words in angle brackets are keys with names.
func typeKeys(t *Top, text string) (quit bool) {
	for text != "" {
		key, rest := Key{text[:1], text[:1]}, text[1:]
		if name, after, ok := strings.Cut(strings.TrimPrefix(text, "<"), ">"); ok && text[0] == '<' {
			key, rest = Key{Name: name}, after
		}
		if text = rest; t.Press(key) == Quit {
			return true
		}
	}
	return false
}

func (t *Top) pids() (pids []int) {
	for _, p := range t.programs {
		pids = append(pids, p.process.PID)
	}
	return pids
}

func TestKeys(t *testing.T) {
	for _, tc := range []struct {
		keys string
		want []int // programs in order
		quit bool
	}{
		{"", []int{100, 101, 102, 103}, false},
		{"m", []int{103, 102, 101, 100}, false},
		{"mm", []int{100, 101, 102, 103}, false},
		{"r", []int{103, 102, 101, 100}, false},
		{"pp", []int{103, 102, 101, 100}, false},
		{"u", []int{100, 102, 101, 103}, false},
		{"cr", []int{103, 102, 101, 100}, false},
		{"/grace", []int{101, 103}, false},
		{"/GRACE 3", []int{103}, false},
		{"/q<enter>q", nil, true},
		{"/q", nil, false},
		{"/gracex<backspace><enter>r", []int{103, 101}, false},
		{"/nobody<esc>", []int{100, 101, 102, 103}, false},
		{"/nobody<enter><esc>", []int{100, 101, 102, 103}, false},
		{"/nobody<ctrl+u>ada", []int{100, 102}, false},
		{"?m", []int{100, 101, 102, 103}, false}, // any key leaves the help
		{"?q", nil, true},
		{"q", nil, true},
		{"/<ctrl+c>", nil, true},
		{"xyz\x00", []int{100, 101, 102, 103}, false},
	} {
		top := seen(Options{}, 80, 24, 4, 3)
		quit := typeKeys(top, tc.keys)
		if quit != tc.quit || !quit && !slices.Equal(top.pids(), tc.want) {
			t.Errorf("%q: got %v, quit %v", tc.keys, top.pids(), quit)
		}
	}
}

// TestPaste: no key is pressed in what is pasted, and only so much of it is a filter.
func TestPaste(t *testing.T) {
	top := seen(Options{}, 80, 24, 4, 1)
	if top.Press(Key{"paste", "q"}) == Quit {
		t.Error("a paste quits")
	}
	typeKeys(top, "/")
	top.Press(Key{"paste", strings.Repeat("x\x1b", 500)})
	if len(top.filter) > maxFilter || strings.Contains(top.filter, "\x1b") {
		t.Errorf("got the filter %q", top.filter)
	}
}

func TestScroll(t *testing.T) {
	for _, tc := range []struct {
		keys string
		want int
	}{
		{"", 0}, {"k", 0}, {"j", 1}, {"jj<up>", 1}, {"<end>", 13}, {"<end>j", 13}, {"<pgdown>", 2}, {"<end><pgup>", 11}, {"<end><home>", 0},
		{"<end>/ada", 5},
	} {
		top := seen(Options{}, 80, 24, 16, 1)
		if typeKeys(top, tc.keys); top.scroll != tc.want {
			t.Errorf("%q: got %d, want %d", tc.keys, top.scroll, tc.want)
		}
	}
}

// TestGPUPages: GPUs that a small window has no room for are a key away.
func TestGPUPages(t *testing.T) {
	for _, tc := range []struct {
		keys string
		want string // indexes in view
	}{
		{"", "0 1 2 3 4"}, {"<tab>", "3 4 5 6 7"}, {"<tab><tab>", "0 1 2 3 4"}, {"<shift+tab>", "3 4 5 6 7"}, {"<shift+tab><shift+tab>", "0 1 2 3 4"},
	} {
		top := seen(Options{}, 40, 12, 8, 1)
		typeKeys(top, tc.keys)
		var got []string
		for line := range strings.Lines(top.View()) {
			if fields := strings.Fields(line); strings.HasPrefix(line, "  ") && strings.Contains(line, "7.9G") {
				got = append(got, fields[0])
			}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%q: got %v, want %s in\n%s", tc.keys, got, tc.want, top.View())
		}
	}
}

// TestReserved: who keeps a GPU is in view before it uses it.
func TestReserved(t *testing.T) {
	look := farm(3, 1)
	look.Inventory.GPUs[0].ReservedBy = &smi.Holder{PID: 100, Name: "python"}
	look.Inventory.GPUs[1].ReservedBy = &smi.Holder{PID: 70, Name: "sleep"}
	look.Inventory.GPUs[2].ReservedBy = &smi.Holder{}
	look.Identities[70] = smi.Identity{User: "ada", Command: "sleep 100"}
	top := New(Options{})
	top.Resize(80, 24)
	top.Take(look)
	golden(t, "80x24-reserved", top.View())
	typeKeys(top, "/reserved<enter>")
	if got := top.pids(); !slices.Equal(got, []int{70, 0}) {
		t.Errorf("reserved: got %v", got)
	}
	look.Inventory.GPUs = look.Inventory.GPUs[:1]
	top.Take(look)
	if got := top.pids(); len(got) != 0 {
		t.Errorf("of lost GPUs: got %v", got)
	}
}

func TestPause(t *testing.T) {
	top := seen(Options{}, 80, 24, 1, 5)
	typeKeys(top, " ")
	before := top.View()
	top.Take(farm(1, 40))
	if top.View() != before || !strings.Contains(before, "paused") {
		t.Errorf("a look changes the view that is paused, from\n%s\nto\n%s", before, top.View())
	}
	typeKeys(top, " ")
	top.Take(farm(1, 41))
	if strings.Contains(top.View(), "paused") || !strings.Contains(top.View(), "12:00:41") {
		t.Errorf("got\n%s", top.View())
	}
}

// TestLost: a GPU that falls off the bus stays in view, with the index that it had; the index of another may change.
func TestLost(t *testing.T) {
	top := seen(Options{}, 80, 24, 3, 5)
	look := farm(3, 6)
	look.Inventory.GPUs = slices.Delete(look.Inventory.GPUs, 1, 2)
	look.Err = fmt.Errorf("GPU 1: nvmlDeviceGetMemoryInfo: %w", smi.ErrLost)
	top.Take(look)
	view := top.View()
	if n := strings.Count(view, "lost"); n != 1 || strings.Contains(view, "rank 1") || !strings.Contains(view, "GPU 1: nvmlDevice") {
		t.Errorf("got\n%s", view)
	}
	top.Take(Look{Err: smi.ErrNoDriver})
	if view := top.View(); strings.Count(view, "lost") != 3 || !strings.Contains(view, "no program") {
		t.Errorf("without a driver:\n%s", view)
	}
	top.Take(farm(3, 8))
	if view := top.View(); strings.Contains(view, "lost") || len(top.gpus) != 3 {
		t.Errorf("found again:\n%s", view)
	}
}

// TestAbsent: what is not told is N/A, not zero.
func TestAbsent(t *testing.T) {
	top := New(Options{})
	top.Resize(80, 24)
	top.Take(Look{Inventory: &smi.Inventory{Source: smi.Driver, GPUs: []smi.GPU{
		{Name: "Tesla T4", Memory: smi.Memory{Total: 1 << 34}, Processes: []smi.Process{{PID: 7, Type: "C"}}},
	}}})
	if n := strings.Count(top.View(), notAvailable); n != 5 || !strings.Contains(top.View(), notFound) {
		t.Errorf("%d times N/A in\n%s", n, top.View())
	}
}

// TestHostile: no text from outside reaches the terminal as anything but text, and none breaks a line.
func TestHostile(t *testing.T) {
	const evil = "\x1b]0;x\x07\x1b[2J\r\n\t\u202e\u009b31m世界\xff"
	look := farm(1, 3)
	look.Inventory.Driver, look.Inventory.CUDA = evil, evil
	look.Inventory.GPUs[0].Name = evil
	look.Inventory.GPUs[0].Processes = []smi.Process{{PID: 100, Type: "C", Name: evil}, {PID: 5, Type: "C", Name: evil}}
	look.Identities[100] = smi.Identity{User: evil, Command: strings.Repeat(evil, 50)}
	for _, err := range []error{nil, fmt.Errorf("a %s", evil)} {
		look.Err = err
		for _, size := range [][2]int{{80, 24}, {40, 10}, {31, 5}, {200, 50}} {
			top := New(Options{})
			top.Resize(size[0], size[1])
			top.Take(look)
			checkFrame(t, top.View(), size[0], size[1])
		}
	}
}

// checkFrame wants a picture of printable characters that fits a window.
func checkFrame(t *testing.T, view string, width, height int) {
	t.Helper()
	lines := strings.Split(view, "\n")
	if len(lines) > height {
		t.Errorf("%dx%d: %d lines", width, height, len(lines))
	}
	for _, line := range lines {
		if w := paint.Width(line); w > width || smi.Printable(line) != line {
			t.Errorf("%dx%d: %d columns: %q", width, height, w, line)
		}
	}
}

// TestEverySize: whatever the window, the picture fits it.
func TestEverySize(t *testing.T) {
	for _, gpus := range []int{0, 1, 4, 16} {
		for _, keys := range []string{"", "?", "/ada", "m<end>", "<tab>", "<tab><tab><shift+tab>"} {
			top := seen(Options{Every: time.Second}, 80, 24, gpus, 2)
			typeKeys(top, keys)
			for width := 1; width < 130; width += 7 {
				for height := 1; height < 40; height += 4 {
					top.Resize(width, height)
					checkFrame(t, top.View(), width, height)
				}
			}
		}
	}
}

// TestMemoryIsFlat looks 10,000 times at processes that come and go.
func TestMemoryIsFlat(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	top := seen(Options{}, 80, 24, 8, 1)
	start := uint64(0)
	for n := range 10_000 {
		look := farm(8, n%60)
		for i := range look.Inventory.GPUs {
			look.Inventory.GPUs[i].Processes[0].PID = 8*n + i
		}
		top.Take(look)
		if n%100 == 0 {
			_ = top.View()
		}
		if n == 1000 {
			start = heap()
		}
	}
	if end := heap(); end > start+1<<18 {
		t.Errorf("from %d to %d bytes", start, end)
	}
	runtime.KeepAlive(top)
}

func BenchmarkFrame(b *testing.B) {
	top := seen(Options{}, 200, 50, 8, 200)
	look := farm(8, 7)
	for b.Loop() {
		top.Take(look)
		_ = top.View()
	}
}
