package cuda_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// count returns how often events of that name were recorded.
func count(p *cuda.Profile, name string) int {
	for _, e := range p.KeyAverages().Events {
		if e.Key == name {
			return e.Count
		}
	}
	return 0
}

func TestProfilesStartAndStop(t *testing.T) {
	p, other := cuda.NewProfile(), cuda.NewProfile()
	wrong := func(name string, err error, want string) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	const running, stopped = "Profiler is already enabled.", "Can't disable profiler when it's not running"
	wrong("Stop before Start", p.Stop(), stopped)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	wrong("a second Start", p.Start(), running)
	wrong("Start of another", other.Start(), running)
	wrong("Run within", other.Run(func() { t.Error("it runs") }), running)
	wrong("Stop of another", other.Stop(), stopped)
	tensor.Ones(4).Neg()
	if got := count(p, "neg"); got != 1 {
		t.Errorf("%d ops while it records, want 1", got)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	tensor.Ones(4).Neg()
	wrong("a second Stop", p.Stop(), stopped)
	if got := count(p, "neg"); got != 1 {
		t.Errorf("%d ops after Stop, want 1", got)
	}
	if err := p.Run(func() { tensor.Ones(4).Exp() }); err != nil || count(p, "neg") != 0 || count(p, "exp") != 1 {
		t.Errorf("again: %v, %v", err, p.KeyAverages().Events)
	}
}

// TestProfilesLeaveOut: what is computed while collection is switched off is in no step, nor in the time of one.
func TestProfilesLeaveOut(t *testing.T) {
	p := cuda.NewProfile(cuda.Schedule{Active: 2, Repeat: 1})
	p.ToggleCollectionDynamic(true) // of a profile that does not run: nothing
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	x := tensor.Ones(4)
	x.Neg()
	p.ToggleCollectionDynamic(false)
	x.Exp()
	p.ToggleCollectionDynamic(true)
	p.Step()
	x.Neg()
	p.ToggleCollectionDynamic(false)
	p.Step() // the cycle ends
	p.ToggleCollectionDynamic(true)
	x.Exp()
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"neg": 2, "exp": 0, "ProfilerStep#0": 1, "ProfilerStep#1": 1} {
		if got := count(p, name); got != want {
			t.Errorf("%d of %s, want %d", got, name, want)
		}
	}
}

func TestProfileEndsWithAPanic(t *testing.T) {
	p := cuda.NewProfile()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
		}()
		p.Run(func() {
			defer cuda.RecordFunction("region")()
			tensor.Ones(2, 3).MM(tensor.Ones(2, 3))
		})
	}()
	if err := p.Stop(); err == nil || count(p, "region") != 1 {
		t.Errorf("Stop: %v, events %v", err, p.KeyAverages().Events)
	}
}

// TestProfileOfTheHost has regions within regions, on several goroutines.
func TestProfileOfTheHost(t *testing.T) {
	p := cuda.NewProfile()
	err := p.Run(func() {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				end := cuda.RecordFunction("outer")
				inner := cuda.RecordFunction("inner")
				tensor.Ones(4).Neg()
				inner()
				end()
			})
		}
		all.Wait()
	})
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]cuda.FunctionEventAvg{}
	for _, e := range p.KeyAverages().Events {
		at[e.Key] = e
	}
	outer, inner, neg := at["outer"], at["inner"], at["neg"]
	if outer.Count != 4 || inner.Count != 4 || neg.Count != 4 || outer.CPUTimeTotal != outer.SelfCPUTimeTotal+inner.CPUTimeTotal ||
		inner.CPUTimeTotal != inner.SelfCPUTimeTotal+neg.CPUTimeTotal+at["fill_"].CPUTimeTotal {
		t.Errorf("got %+v", at)
	}
	if table := p.KeyAverages().Table(); strings.Contains(table, "CUDA") {
		t.Errorf("without a GPU:\n%s", table)
	}
}

func TestScheduleOfAProfile(t *testing.T) {
	for _, c := range []struct {
		schedule cuda.Schedule
		want     string // the steps of each cycle
	}{
		{cuda.Schedule{Active: 2}, "[01][23][45][67][8]"},
		{cuda.Schedule{Active: 1}, "[0][1][2][3][4][5][6][7][8]"},
		{cuda.Schedule{Wait: 1, Warmup: 1, Active: 2}, "[23][67]"},
		{cuda.Schedule{Warmup: 2, Active: 1, Repeat: 1}, "[2]"},
		{cuda.Schedule{Wait: 1, Active: 3, SkipFirst: 2}, "[345][78]"},
		{cuda.Schedule{Wait: 100, Active: 1}, ""},
		{cuda.Schedule{}, ""},
	} {
		got := ""
		p := cuda.NewProfile(c.schedule, cuda.OnTraceReady(func(p *cuda.Profile) {
			got += "["
			for _, e := range p.KeyAverages().Events {
				if step, ok := strings.CutPrefix(e.Key, "ProfilerStep#"); ok {
					got += step
				}
			}
			got += "]"
		}))
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		for i := range 9 {
			tensor.Ones(4).Neg()
			if i < 8 {
				p.Step()
			}
		}
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%+v: got %s, want %s", c.schedule, got, c.want)
		}
	}
}

func TestFullProfileSaysSo(t *testing.T) {
	p := cuda.NewProfile(cuda.MaxEvents(3))
	err := p.Run(func() {
		x := tensor.Ones(4) // one event
		for range 5 {
			x.Neg()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if table := p.KeyAverages().Table(); count(p, "neg") != 2 || !strings.HasSuffix(table, "3 events were dropped: the profile was full. cuda.MaxEvents makes it larger.\n") {
		t.Errorf("got\n%s", table)
	}
}

func TestTableIsSortedByTheColumn(t *testing.T) {
	p := cuda.NewProfile()
	if err := p.Run(func() { tensor.Ones(4).Neg().Neg().Neg().Exp().Exp() }); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, line := range strings.Split(p.KeyAverages().Table(cuda.SortBy("count"), cuda.RowLimit(2)), "\n") {
		if name := strings.Fields(line); len(name) > 5 && name[0] != "Name" && name[0][0] != '-' {
			names = append(names, name[0])
		}
	}
	if want := []string{"neg", "exp"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	err := tensor.Try(func() { p.KeyAverages().Table(cuda.SortBy("price")) })
	if err == nil || !strings.HasPrefix(err.Error(), "'FunctionEventAvg' object has no attribute 'price'") {
		t.Errorf("got %v", err)
	}
}

// TestProfileOfMemory counts what ops allocate and what goes back, and the memory in use.
func TestProfileOfMemory(t *testing.T) {
	devicetest.Use(t, "h100:1")
	on := tensor.On(device.CUDA(0))
	kept := on.Ones(1000)
	p := profiled(t, func() {
		defer cuda.RecordFunction("region")()
		on.Empty(1000).Release() // 4,096 bytes there and back
		kept = kept.Neg()
	}, cuda.ProfileMemory(true))
	for _, e := range p.KeyAverages().Events {
		if e.Key == "region" && (e.CUDAMemory != 4096 || e.SelfCUDAMemory != 4096) {
			t.Errorf("got %+v, want 4096 bytes", e)
		}
	}
	if table := p.KeyAverages().Table(); !strings.Contains(table, "4.00 KB        4.00 KB             1") {
		t.Errorf("got\n%s", table)
	}
	var b strings.Builder
	if err := p.WriteChromeTrace(&b); err != nil {
		t.Fatal(err)
	}
	const memory = `"Bytes":-4096,"Device Id":0,"Device Type":1,"Total Allocated":4096,"Total Reserved":2097152}`
	if !strings.Contains(b.String(), memory) {
		t.Errorf("no %s in\n%s", memory, b.String())
	}
	_ = kept.Item
}

// TestCopiesInAProfile has copies by each stream, between GPUs and within one.
func TestCopiesInAProfile(t *testing.T) {
	devicetest.Use(t, "h100:2")
	gpu := device.CUDA(0)
	p := profiled(t, func() {
		x := tensor.Ones(64).PinMemory().To(gpu, tensor.NonBlocking(true))
		x.To(device.CPU, tensor.NonBlocking(true))
		cuda.Synchronize(0)
		x.CUDA(1).CPU()
		tensor.Ones(1 << 19).To(gpu)
	})
	got := map[string]int{}
	for _, e := range p.KeyAverages().Events {
		if e.OnGPU {
			got[e.Key] = e.Count
		}
	}
	want := map[string]int{
		"Memcpy HtoD (Pinned -> Device)": 1, "Memcpy DtoH (Device -> Pinned)": 1, "Memcpy PtoP (Device -> Device)": 1,
		"Memcpy DtoH (Device -> Pageable)": 1, "Memcpy HtoD (Pageable -> Device)": 1,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if count(p, "cudaDeviceSynchronize") != 1 || count(p, "copy_") != 5 {
		t.Errorf("got %+v", p.KeyAverages().Events)
	}
}
