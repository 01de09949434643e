package sim

import (
	"math"
	"testing"

	"cresset/internal/driver"
	"cresset/internal/hardware"
)

func (b *bench) elapsed(start, end driver.Event) float64 {
	b.Helper()
	ms, r := b.api.EventElapsedTime(b.ctx, start, end)
	b.ok(r)
	return float64(ms)
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-6*math.Abs(want) }

// TestModelledClock: times follow from the description alone.
func TestModelledClock(t *testing.T) {
	b := start(t, "t4", 1) // 320 GB/s, 4070.4 G lane-instructions/s, 12 GB/s to the host
	s := b.stream(driver.StreamNonBlocking)
	work := b.kernel("work")
	data := make([]byte, 12_000_000)
	p := b.alloc(uint64(len(data)))
	for _, tc := range []struct {
		name string
		run  func() driver.Result
		want float64 // milliseconds
	}{
		{"nothing", func() driver.Result { return driver.Success }, 0},
		{"small kernel", func() driver.Result { return b.launch(work, s, 0, 0) }, 0.004},
		{"memory-bound kernel", func() driver.Result { return b.launch(work, s, 320e6, 4070400) }, 1.004},
		{"compute-bound kernel", func() driver.Result { return b.launch(work, s, 320, 4070400e3) }, 1.004},
		{"copy in", func() driver.Result { return b.api.MemcpyHtoDAsync(b.ctx, p, data, s) }, 1.008},
		{"copy out", func() driver.Result { return b.api.MemcpyDtoHAsync(b.ctx, data, p, s) }, 1.008},
		{"set", func() driver.Result { return b.api.MemsetD8Async(b.ctx, p, 0, 3_200_000, s) }, 0.014},
		{"copy within", func() driver.Result { return b.api.MemcpyDtoDAsync(b.ctx, p, p+6_400_000, 3_200_000, s) }, 0.028},
	} {
		start, end := b.event(0), b.event(0)
		b.ok(b.api.EventRecord(b.ctx, start, s))
		b.ok(tc.run())
		b.ok(b.api.EventRecord(b.ctx, end, s))
		b.ok(b.api.EventSynchronize(b.ctx, end))
		if got := b.elapsed(start, end); !near(got, tc.want) {
			t.Errorf("%s: got %v ms, want %v", tc.name, got, tc.want)
		}
		if got := b.elapsed(end, start); !near(got, -tc.want) {
			t.Errorf("%s backwards: got %v ms, want %v", tc.name, got, -tc.want)
		}
	}
}

// TestTimelines: streams overlap, and a wait joins their times.
func TestTimelines(t *testing.T) {
	b := start(t, "t4", 1)
	short, long := b.stream(driver.StreamNonBlocking), b.stream(driver.StreamNonBlocking)
	work := b.kernel("work")
	begin, mid, end, joined := b.event(0), b.event(0), b.event(0), b.event(0)
	b.ok(b.api.EventRecord(b.ctx, begin, short))
	b.ok(b.launch(work, short, 0, 0))
	b.ok(b.api.EventRecord(b.ctx, mid, short))
	b.ok(b.launch(work, long, 320e6, 0))
	b.ok(b.api.EventRecord(b.ctx, end, long))
	b.ok(b.api.StreamWaitEvent(b.ctx, short, end, 0))
	b.ok(b.launch(work, short, 0, 0))
	b.ok(b.api.EventRecord(b.ctx, joined, short))
	b.ok(b.api.CtxSynchronize(b.ctx))
	for _, tc := range []struct {
		name string
		to   driver.Event
		want float64
	}{{"short", mid, 0.004}, {"long", end, 1.004}, {"joined", joined, 1.008}} {
		if got := b.elapsed(begin, tc.to); !near(got, tc.want) {
			t.Errorf("%s: got %v ms, want %v", tc.name, got, tc.want)
		}
	}
}

func TestPeerTime(t *testing.T) {
	m, err := hardware.Preset("a100", 2)
	if err != nil {
		t.Fatal(err)
	}
	b := startMachine(t, m, Options{})
	other := b.retain(1)
	const n = 25_000_000
	from := b.alloc(n)
	to, r := b.api.MemAlloc(other, n)
	b.ok(r)
	copyTime := func() float64 {
		start, end := b.event(0), b.event(0)
		b.ok(b.api.EventRecord(b.ctx, start, 0))
		b.ok(b.api.MemcpyPeerAsync(b.ctx, to, other, from, b.ctx, n, 0))
		b.ok(b.api.EventRecord(b.ctx, end, 0))
		b.ok(b.api.EventSynchronize(b.ctx, end))
		return b.elapsed(start, end)
	}
	if got := copyTime(); !near(got, 2*0.008+2*1) {
		t.Errorf("through the host: got %v ms", got)
	}
	b.ok(b.api.CtxEnablePeerAccess(b.ctx, other, 0))
	if got := copyTime(); !near(got, 0.008+25./300) {
		t.Errorf("directly: got %v ms", got)
	}
}

func TestElapsedMistakes(t *testing.T) {
	b := start(t, "t4", 1)
	recorded, untimed, fresh := b.event(0), b.event(driver.EventDisableTiming), b.event(0)
	b.ok(b.api.EventRecord(b.ctx, recorded, 0))
	b.ok(b.api.EventRecord(b.ctx, untimed, 0))
	b.ok(b.api.CtxSynchronize(b.ctx))
	for name, e := range map[string]driver.Event{"untimed": untimed, "fresh": fresh, "unknown": 5} {
		if _, r := b.api.EventElapsedTime(b.ctx, recorded, e); r != driver.ErrInvalidHandle {
			t.Errorf("%s: got %v", name, r)
		}
	}
	b.ok(b.launch(b.kernel("wait"), 0))
	b.ok(b.api.EventRecord(b.ctx, fresh, 0))
	if _, r := b.api.EventElapsedTime(b.ctx, recorded, fresh); r != driver.ErrNotReady {
		t.Errorf("not ready: got %v", r)
	}
	close(b.gate)
	b.ok(b.api.CtxSynchronize(b.ctx))
}

// TestTensorCoresAreFaster: the same product takes less time by tensor cores than by the multiprocessors' ordinary units.
func TestTensorCoresAreFaster(t *testing.T) {
	for preset, want := range map[string]float64{"a100": 16, "h200": 16, "t4": 8} { // products of halves in the time of one float32
		b := start(t, preset, 1)
		g := b.devices[0].gpu
		const n = 1 << 40
		simt := kernelTime(g, Work{LaneInstructions: n}) - launchCost
		half, tf32 := kernelTime(g, Work{Tensor16: n})-launchCost, kernelTime(g, Work{Tensor32: n})-launchCost
		if ratio := simt / half; ratio < want*0.9 || ratio > want*1.2 {
			t.Errorf("%s: products of halves are %.1f times as fast, want %g", preset, ratio, want)
		}
		if tf32 != 2*half {
			t.Errorf("%s: tf32 takes %g, halves %g", preset, tf32, half)
		}
	}
}
