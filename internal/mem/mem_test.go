package mem

import (
	"bytes"
	"errors"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"cresset/internal/race"
)

func mustAlloc(t testing.TB, bytes int) *Block {
	t.Helper()
	b, err := Alloc(bytes)
	if err != nil {
		t.Fatalf("Alloc(%d): %v", bytes, err)
	}
	return b
}

func TestBlocksAreAlignedAndLargeEnough(t *testing.T) {
	for _, n := range []int{0, 1, 3, 64, 65, 100, 192, 257, 1000, 2500, 4096, 5000, 33_000, 100_001, 1 << 20, 5 << 20} {
		for range 3 {
			b := mustAlloc(t, n)
			defer b.Free()
			if b.Size() != n || len(b.Bytes()) != n || cap(b.Bytes()) != n {
				t.Errorf("Alloc(%d): size %d, len %d, cap %d", n, b.Size(), len(b.Bytes()), cap(b.Bytes()))
			}
			if off := uintptr(b.Pointer()) % Alignment; off != 0 {
				t.Errorf("Alloc(%d) lies %d bytes past a multiple of %d", n, off, Alignment)
			}
		}
	}
}

func TestFreedBlockComesBackFirst(t *testing.T) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		a, b := mustAlloc(t, n), mustAlloc(t, n)
		pa, pb := a.Pointer(), b.Pointer()
		a.Free()
		b.Free()
		c, d := mustAlloc(t, n-1), mustAlloc(t, n)
		if c.Pointer() != pb || d.Pointer() != pa {
			t.Errorf("%d bytes: freed %p then %p, got %p then %p", n, pa, pb, c.Pointer(), d.Pointer())
		}
		c.Free()
		d.Free()
	}
}

func TestSlice(t *testing.T) {
	b := mustAlloc(t, 10)
	defer b.Free()
	if got := len(Slice[float32](b)); got != 2 {
		t.Errorf("10 bytes hold %d float32s, want 2", got)
	}
	Slice[uint16](b)[4] = 0x1234
	if got := uint16(b.Bytes()[8]) | uint16(b.Bytes()[9])<<8; got != 0x1234 && got != 0x3412 {
		t.Errorf("bytes hold %#x", got)
	}
	empty := mustAlloc(t, 0)
	defer empty.Free()
	if got := len(Slice[int64](empty)); got != 0 {
		t.Errorf("an empty block holds %d int64s", got)
	}
}

func TestWrapSharesMemory(t *testing.T) {
	s := []float64{1, 2, 3}
	b := Wrap(s)
	if b.Size() != 24 {
		t.Errorf("size = %d, want 24", b.Size())
	}
	Slice[float64](b)[1] = 7
	if s[1] != 7 {
		t.Errorf("s = %v after a write through the block", s)
	}
	before := ReadStats()
	b.Disown()
	b.Free()
	if got := ReadStats(); got != before {
		t.Errorf("freeing a wrapped block changed the counts from %+v to %+v", before, got)
	}
	if e := Wrap([]int32(nil)); e.Size() != 0 || len(e.Bytes()) != 0 {
		t.Errorf("a wrapped nil slice has %d bytes", e.Size())
	}
}

func TestDisownedMemoryIsNeverHandedOutAgain(t *testing.T) {
	const n = 7 << 20
	before := ReadStats()
	b := mustAlloc(t, n)
	view := b.Bytes()
	view[0] = 42
	b.Disown()
	b.Disown()
	if got := ReadStats().Allocated; got != before.Allocated {
		t.Errorf("allocated %d after disowning, %d before", got, before.Allocated)
	}
	b.Free()
	b = nil
	Collect()
	for range 4 {
		c := mustAlloc(t, n)
		if c.Pointer() == unsafe.Pointer(&view[0]) {
			t.Fatal("the memory was handed out again")
		}
		defer c.Free()
	}
	if view[0] != 42 {
		t.Errorf("view[0] = %d, want 42", view[0])
	}
}

func TestDoubleFreePanics(t *testing.T) {
	disowned := func(n int) *Block { b := mustAlloc(t, n); b.Disown(); return b }
	for name, b := range map[string]*Block{
		"small": mustAlloc(t, 100), "large": mustAlloc(t, 100_000), "wrapped": Wrap(make([]int8, 5)), "disowned": disowned(200),
	} {
		n := b.Size()
		b.Free()
		func() {
			defer func() {
				if got, want := recover(), (DoubleFree{n}); got != want {
					t.Errorf("%s: panic %v, want %v", name, got, want)
				}
			}()
			b.Free()
		}()
	}
}

func TestDroppedBlocksComeBack(t *testing.T) {
	if race.Enabled {
		t.Skip("with -race a dropped block is left to the collector")
	}
	const n = 3 << 20
	addresses := map[uintptr]bool{}
	before := ReadStats().Allocated
	func() {
		var held [4]*Block // together, or a collection hands the first one out again
		for i := range held {
			held[i] = mustAlloc(t, n)
			held[i].Bytes()[0] = 1
			addresses[uintptr(held[i].Pointer())] = true
		}
		runtime.KeepAlive(&held)
	}()
	Collect()
	if got := ReadStats().Allocated; got > before {
		t.Errorf("%d bytes are still handed out after all blocks were dropped", got-before)
	}
	for range 4 {
		b := mustAlloc(t, n)
		if !addresses[uintptr(b.Pointer())] {
			t.Error("a block is new, not one of those that were dropped")
		}
		defer b.Free()
	}
}

func TestHeldBlocksStay(t *testing.T) {
	b := mustAlloc(t, 1<<20)
	for i := range b.Bytes() {
		b.Bytes()[i] = byte(i)
	}
	Collect()
	c := mustAlloc(t, 1<<20)
	clear(c.Bytes())
	for i, got := range b.Bytes() {
		if got != byte(i) {
			t.Fatalf("byte %d is %d, want %d", i, got, byte(i))
		}
	}
	b.Free()
	c.Free()
}

// trimAll leaves all idle memory to the collector.
func trimAll() {
	host.collect(true)
	host.mu.Lock()
	defer host.mu.Unlock()
	host.trim(0)
}

// TestDroppingLoopsStayFlat lets go of far more than it may hold, in one size and in many.
func TestDroppingLoopsStayFlat(t *testing.T) {
	for _, tc := range []struct {
		name  string
		bytes func(i int) int
	}{
		{"4 MiB", func(int) int { return 4 << 20 }},
		{"varying", func(i int) int { return 1<<20 + i*7919%(6<<20) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			trimAll()
			host.peak = host.live
			var most uint64
			rounds := 1000
			if race.Enabled {
				rounds = 100 // each block is new then, and zeroing it is slow
			}
			for i := range rounds {
				mustAlloc(t, tc.bytes(i)).Bytes()[0] = 1
				if i%50 == 0 {
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					most = max(most, m.HeapInuse)
				}
			}
			s := ReadStats()
			if s.Peak > 64<<20 || s.Reserved > 128<<20 || most > 192<<20 {
				t.Errorf("peak %d MiB, reserved %d MiB, heap %d MiB", s.Peak>>20, s.Reserved>>20, most>>20)
			}
		})
	}
}

func TestShrinkingProgramGivesMemoryBack(t *testing.T) {
	var blocks []*Block
	for range 40 {
		blocks = append(blocks, mustAlloc(t, 8<<20))
	}
	for _, b := range blocks {
		b.Free()
	}
	blocks = nil
	if got := ReadStats(); got.Reserved-got.Allocated < 300<<20 {
		t.Errorf("%d MiB are kept at once after the peak, want the peak", (got.Reserved-got.Allocated)>>20)
	}
	for range 20 {
		host.collected() // as after a collection of the process
	}
	if got := ReadStats(); got.Reserved-got.Allocated > keepIdle {
		t.Errorf("%d MiB are still kept after 20 collections", (got.Reserved-got.Allocated)>>20)
	}
}

func TestTrackedBlocksAreForgottenWhenFreed(t *testing.T) {
	trimAll()
	inUse := func() int { return len(host.tracked.slots) - len(host.tracked.free) }
	before := inUse()
	for i := range 500 {
		b := mustAlloc(t, 8192+i*512)
		if i%2 == 0 {
			b.Disown()
		} else {
			b.Free()
		}
	}
	trimAll()
	if got := inUse(); got > before {
		t.Errorf("%d entries, %d before", got, before)
	}
	if n := len(host.tracked.slots); n > before+600 {
		t.Errorf("the table has grown to %d slots", n)
	}
}

func TestRefusals(t *testing.T) {
	for _, n := range []int{-1, -1 << 62, 1 << 50, 1 << 62, int(^uint(0) >> 1)} {
		_, err := Alloc(n)
		var e *Error
		if !errors.As(err, &e) || e.Bytes != n || !errors.Is(err, ErrOutOfMemory) {
			t.Errorf("Alloc(%d): %v", n, err)
		}
	}
	_, err := Alloc(4_000_000_000_000_000)
	want := "[enforce fail at alloc_cpu.cpp:118] err == 0. DefaultCPUAllocator: can't allocate memory: " +
		"you tried to allocate 4000000000000000 bytes. Error code 12 (Cannot allocate memory)"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestSetFault(t *testing.T) {
	defer SetFault(nil)
	calls := 0
	SetFault(func(bytes int) error {
		if calls++; calls == 2 {
			return &Error{Bytes: bytes}
		}
		return nil
	})
	mustAlloc(t, 10).Free()
	if _, err := Alloc(20); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("second allocation: %v", err)
	}
	mustAlloc(t, 30).Free()
	SetFault(nil)
	mustAlloc(t, 40).Free()
	if calls != 3 {
		t.Errorf("the hook was called %d times, want 3", calls)
	}
}

func TestGoroutinesShareThePool(t *testing.T) {
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 100 {
				b, err := Alloc(1 << (6 + (g+i)%12))
				if err != nil {
					t.Error(err)
					return
				}
				data := b.Bytes()
				for j := range data {
					data[j] = byte(g)
				}
				if i%50 == 0 {
					Collect()
				}
				runtime.Gosched()
				if at := bytes.IndexFunc(data, func(r rune) bool { return r != rune(g) }); at >= 0 {
					t.Errorf("goroutine %d: another one wrote to byte %d of %d", g, at, len(data))
				}
				switch {
				case i%7 == 0:
					b.Disown()
				case i%5 != 0:
					b.Free()
				}
				runtime.KeepAlive(b)
			}
		})
	}
	all.Wait()
}

func TestWarmPathDoesNotAllocate(t *testing.T) {
	for _, n := range []int{64, 4096, 1 << 20} {
		mustAlloc(t, n).Free()
		if got := testing.AllocsPerRun(100, func() { mustAlloc(t, n).Free() }); got >= 1 {
			t.Errorf("%d bytes: %v allocations", n, got)
		}
	}
}
