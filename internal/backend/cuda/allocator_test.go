package cuda

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"cresset/internal/driver"
	"cresset/internal/mem"
	"cresset/internal/race"
)

// fakeSource is a GPU of capacity bytes whose events pass when the test says so.
type fakeSource struct {
	capacity, used int64
	next           uint64
	segments       map[uint64]int64
	issued, done   event
	recorded       int
	waited         int
	failing        error
	others         []Program
}

func (f *fakeSource) malloc(bytes int64) (uint64, error) {
	if f.used+bytes > f.capacity {
		return 0, driver.ErrOutOfMemory.Err("cuMemAlloc_v2")
	}
	f.used += bytes
	f.next += 1 << 40
	f.segments[f.next] = bytes
	return f.next, nil
}

func (f *fakeSource) free(ptr uint64) error {
	f.used -= f.segments[ptr]
	delete(f.segments, ptr)
	return nil
}

func (f *fakeSource) programs() []Program { return f.others }

func (f *fakeSource) info() (free, total int64, err error) {
	return f.capacity - f.used, f.capacity, nil
}

func (f *fakeSource) record(stream) (event, error) {
	f.issued++
	f.recorded++
	return f.issued, nil
}

func (f *fakeSource) passed(e event) (bool, error) { return e <= f.done, f.failing }

func (f *fakeSource) wait(e event) error {
	f.done = max(f.done, e)
	f.waited++
	return nil
}

func (f *fakeSource) forget(event) { f.recorded-- }

func testAllocator(capacity int64) (*allocator, *fakeSource) {
	src := &fakeSource{capacity: capacity, segments: map[uint64]int64{}}
	return newAllocator(src, 0, defaultConfig()), src
}

func mustAlloc(t *testing.T, a *allocator, bytes int, s stream) *Buffer {
	t.Helper()
	b, err := a.alloc(bytes, s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSizesFollowPyTorch(t *testing.T) {
	tests := []struct {
		bytes              int
		allocated, segment int64
	}{
		{0, 0, 0},
		{12, 512, 2097152},
		{512, 512, 2097152},
		{513, 1024, 2097152},
		{1048576, 1048576, 2097152},
		{1048577, 1049088, 20971520},
		{1572864, 1572864, 20971520},
		{10485760, 10485760, 10485760},
		{10485761, 10486272, 12582912},
	}
	for _, tt := range tests {
		a, _ := testAllocator(1 << 40)
		b := mustAlloc(t, a, tt.bytes, compute)
		s := a.snapshot()
		if got := s.AllocatedBytes[All].Current; got != tt.allocated {
			t.Errorf("%d: allocated %d, want %d", tt.bytes, got, tt.allocated)
		}
		if got := s.ReservedBytes[All].Current; got != tt.segment {
			t.Errorf("%d: reserved %d, want %d", tt.bytes, got, tt.segment)
		}
		if got := b.Size(); got != tt.bytes {
			t.Errorf("%d: size %d", tt.bytes, got)
		}
		a.release(b)
	}
}

func TestBestFitIsWithinAStream(t *testing.T) {
	a, _ := testAllocator(1 << 40)
	const mib = 1 << 20
	big := mustAlloc(t, a, 30*mib, compute)
	small := mustAlloc(t, a, 12*mib, compute)
	other := mustAlloc(t, a, 11*mib, copyIn)
	at := small.ptr
	a.release(big)
	a.release(small)
	a.release(other)
	if got := mustAlloc(t, a, 11*mib+1, compute); got.ptr != at {
		t.Errorf("got the block at %#x, want the smallest that fits, at %#x", got.ptr, at)
	}
	if got := a.snapshot().AllocatedBytes[All].Current; got != 12*mib {
		t.Errorf("a block that is not split counts %d bytes, want all of its %d", got, 12*mib)
	}
}

func TestBlocksSplitAndMerge(t *testing.T) {
	a, src := testAllocator(1 << 40)
	x := mustAlloc(t, a, 1000, compute)
	y := mustAlloc(t, a, 1000, compute)
	z := mustAlloc(t, a, 1000, compute)
	if y.ptr != x.ptr+1024 || z.ptr != y.ptr+1024 {
		t.Errorf("blocks at %#x, %#x, %#x are not neighbours", x.ptr, y.ptr, z.ptr)
	}
	steps := []struct {
		name                     string
		do                       func()
		allocated, split, splits int64
	}{
		{"three", func() {}, 3 * 1024, smallSegment - 3*1024, 1},
		{"hole", func() { a.release(y) }, 2 * 1024, smallSegment - 2*1024, 2},
		{"two holes meet", func() { a.release(x) }, 1024, smallSegment - 1024, 2},
		{"whole", func() { a.release(z) }, 0, 0, 0},
	}
	for _, s := range steps {
		s.do()
		got := a.snapshot()
		if got.AllocatedBytes[All].Current != s.allocated || got.InactiveSplitBytes[All].Current != s.split || got.InactiveSplit[All].Current != s.splits {
			t.Errorf("%s: %d bytes allocated, %d idle in %d parts, want %d, %d, %d", s.name, got.AllocatedBytes[All].Current,
				got.InactiveSplitBytes[All].Current, got.InactiveSplit[All].Current, s.allocated, s.split, s.splits)
		}
	}
	if err := a.emptyCache(); err != nil || src.used != 0 {
		t.Errorf("after emptyCache %d bytes are used, error %v", src.used, err)
	}
}

func TestAnotherStreamDelaysReuse(t *testing.T) {
	a, src := testAllocator(1 << 40)
	b := mustAlloc(t, a, 100, compute)
	at := b.ptr
	a.used(b, compute) // its own stream needs no event
	a.used(b, copyOut)
	a.release(b)
	if got := a.snapshot(); got.ActiveBytes[All].Current != 512 || got.AllocatedBytes[All].Current != 0 {
		t.Errorf("active %d, allocated %d", got.ActiveBytes[All].Current, got.AllocatedBytes[All].Current)
	}
	if c := mustAlloc(t, a, 100, compute); c.ptr == at {
		t.Error("the memory was handed out while a stream used it")
	}
	src.done = src.issued
	if c := mustAlloc(t, a, 100, compute); c.ptr != at {
		t.Error("the memory did not come back when the stream was done")
	}
	if src.recorded != 0 {
		t.Errorf("%d events are left", src.recorded)
	}
}

func TestOutOfMemory(t *testing.T) {
	const mib = 1 << 20
	a, src := testAllocator(64 * mib)
	cached := mustAlloc(t, a, 40*mib, compute)
	a.release(cached)
	kept := mustAlloc(t, a, 50*mib, compute) // the cached segment goes back first
	if got := a.snapshot(); got.Retries != 1 || got.OOMs != 0 {
		t.Errorf("retries %d, out of memory %d", got.Retries, got.OOMs)
	}
	_, err := a.alloc(1500000, compute)
	want := "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 64.00 MiB of which 14.00 MiB is free. " +
		"Of the allocated memory 50.00 MiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated. " +
		"If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  " +
		"See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if !errors.Is(err, mem.ErrOutOfMemory) {
		t.Error("errors.Is does not know it as out of memory")
	}
	if got := a.snapshot().OOMs; got != 1 {
		t.Errorf("%d times out of memory, want 1", got)
	}
	src.others = []Program{{PID: 1234, Bytes: 5 << 30}, {PID: 99, Bytes: 19107 * mib, Own: true}}
	_, err = a.alloc(1500000, compute)
	want = "14.00 MiB is free. Process 1234 has 5.00 GiB memory in use. Including non-PyTorch memory, this process has 18.66 GiB memory in use. Of the allocated"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
	a.release(kept)
	if _, err := a.alloc(60*mib, compute); err != nil {
		t.Errorf("after out of memory: %v", err)
	}
	if _, err := a.alloc(1<<60, compute); err == nil || err.Error() != "CUDA out of memory. Tried to allocate more than 1EB memory." {
		t.Errorf("1 EiB: %v", err)
	}
}

func TestDroppedBuffersAreFoundBeforeOutOfMemory(t *testing.T) {
	const mib = 1 << 20
	a, _ := testAllocator(30 * mib)
	for range 10 {
		mustAlloc(t, a, 20*mib, compute)
	}
	if got := a.snapshot().OOMs; got != 0 {
		t.Errorf("%d times out of memory", got)
	}
}

func TestMemoryFraction(t *testing.T) {
	const mib = 1 << 20
	a, _ := testAllocator(100 * mib)
	if err := a.setFraction(0.5); err != nil {
		t.Fatal(err)
	}
	x := mustAlloc(t, a, 40*mib, compute)
	_, err := a.alloc(20*mib, compute)
	var oom *OutOfMemoryError
	if !errors.As(err, &oom) || oom.Allowed != 50*mib || oom.Free != 60*mib {
		t.Errorf("got %+v", oom)
	}
	a.release(x)
	mustAlloc(t, a, 20*mib, compute)
	for _, f := range []float64{2, -0.5} {
		if err := a.setFraction(f); err == nil {
			t.Errorf("fraction %v was accepted", f)
		}
	}
}

func TestForgottenTensorsStaySmall(t *testing.T) {
	a, _ := testAllocator(1 << 40)
	n := 1_000_000
	if testing.Short() || race.Enabled {
		n = 50_000
	}
	for range n {
		mustAlloc(t, a, 4096, compute)
	}
	if got := a.snapshot().ReservedBytes[All].Peak; got > 64<<20 {
		t.Errorf("peaked at %d MiB", got>>20)
	}
}

func TestDoubleFreePanics(t *testing.T) {
	a, _ := testAllocator(1 << 40)
	b := mustAlloc(t, a, 4096, compute)
	a.release(b)
	defer func() {
		if _, ok := recover().(*DoubleFreeError); !ok {
			t.Error("no DoubleFreeError")
		}
	}()
	a.release(b)
}

// TestRandomHistoriesKeepTheBooks compares the statistics with what is there after random requests.
func TestRandomHistoriesKeepTheBooks(t *testing.T) {
	a, src := testAllocator(1 << 40)
	r := rand.New(rand.NewPCG(1, 2))
	var held []*Buffer
	for range 5000 {
		if len(held) > 0 && r.IntN(100) < 48 {
			i := r.IntN(len(held))
			if r.IntN(4) == 0 {
				a.used(held[i], copyOut)
			}
			a.release(held[i])
			held[i] = held[len(held)-1]
			held = held[:len(held)-1]
		} else {
			held = append(held, mustAlloc(t, a, 1+r.IntN(1<<uint(r.IntN(25))), stream(r.IntN(int(streams)))))
		}
		src.done = event(r.IntN(int(src.issued) + 1))
	}
	seen := map[uint64]uint64{}
	for _, h := range held {
		seen[h.ptr] = h.ptr + uint64(h.bytes)
	}
	for p, end := range seen {
		for q := range seen {
			if p < q && q < end {
				t.Fatalf("buffers at %#x and %#x overlap", p, q)
			}
		}
	}
	for _, h := range held {
		a.release(h)
	}
	if err := a.emptyCache(); err != nil {
		t.Fatal(err)
	}
	s := a.snapshot()
	s.each(func(s *Stat) {
		if s.Current != 0 || s.Allocated != s.Freed {
			t.Errorf("a count ends at %+v", *s)
		}
	})
	if src.used != 0 || len(src.segments) != 0 {
		t.Errorf("%d bytes are not given back", src.used)
	}
	runtime.KeepAlive(held)
}

func TestOversizeBlocksStayWhole(t *testing.T) {
	const mib = 1 << 20
	a, _ := testAllocator(1 << 40)
	a.config.maxSplit = 50 * mib
	big := mustAlloc(t, a, 100*mib, compute)
	at := big.ptr
	a.release(big)
	if b := mustAlloc(t, a, 30*mib, compute); b.ptr == at {
		t.Error("a small request took an oversize block")
	}
	if b := mustAlloc(t, a, 90*mib, compute); b.ptr != at {
		t.Error("an oversize request did not take the block")
	}
	if got := a.snapshot().OversizeSegments.Current; got != 1 {
		t.Errorf("%d oversize segments, want 1", got)
	}
}

func BenchmarkAlloc(b *testing.B) {
	a, _ := testAllocator(1 << 40)
	b.ReportAllocs()
	for b.Loop() {
		x, err := a.alloc(4096, compute)
		if err != nil {
			b.Fatal(err)
		}
		a.release(x)
	}
}
