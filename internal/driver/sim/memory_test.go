package sim

import (
	"bytes"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"cresset/internal/driver"
	"cresset/internal/hardware"
)

func TestMemoryInfo(t *testing.T) {
	m, err := hardware.Read("used.json", []byte(`{"gpus": [{"preset": "gtx1050", "used": "1670MiB"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	b := startMachine(t, m, Options{})
	info := func(wantFree uint64) {
		t.Helper()
		if free, total, r := b.api.MemGetInfo(b.ctx); free != wantFree || total != 4042<<20 || r != driver.Success {
			t.Errorf("got %d of %d, %v, want %d", free, total, r, wantFree)
		}
	}
	const free = (4042 - 1670) << 20
	info(free)
	p := b.alloc(1)
	info(free - 512)
	_, r := b.api.MemAlloc(b.ctx, free)
	b.want(driver.ErrOutOfMemory, r)
	b.explained("are free")
	_, r = b.api.MemAlloc(b.ctx, math.MaxUint64)
	b.want(driver.ErrOutOfMemory, r)
	b.ok(b.api.MemFree(b.ctx, p)) // the process lives on after out of memory
	info(free)
	b.ok(b.api.MemFree(b.ctx, b.alloc(free)))
	info(free)
}

func TestMemoryMistakes(t *testing.T) {
	b := start(t, "t4", 1)
	_, r := b.api.MemAlloc(b.ctx, 0)
	b.want(driver.ErrInvalidValue, r)
	p, q := b.alloc(1000), b.alloc(1000)
	if p%alignment != 0 || q%alignment != 0 {
		t.Errorf("not aligned: %#x, %#x", p, q)
	}
	for _, tc := range []struct {
		name string
		r    driver.Result
		why  string
	}{
		{"inside", b.api.MemFree(b.ctx, p+512), "512 bytes into an allocation"},
		{"nowhere", b.api.MemFree(b.ctx, 12345), "no memory at 0x3039"},
		{"past the end", b.api.MemsetD8Async(b.ctx, p, 0, 1001, 0), "the allocation of 1000 bytes"},
		{"far past the end", b.api.MemsetD8Async(b.ctx, p, 0, math.MaxUint64, 0), "elements of 1 bytes"},
		{"start past the end", b.api.MemsetD8Async(b.ctx, p+1000, 0, 1, 0), "no memory at"},
		{"copy in", b.api.MemcpyHtoDAsync(b.ctx, p+999, make([]byte, 2), 0), "ends before"},
		{"copy out", b.api.MemcpyDtoHAsync(b.ctx, make([]byte, 2), p-1, 0), "no memory at"},
		{"overlap forwards", b.api.MemcpyDtoDAsync(b.ctx, p+10, p, 11, 0), "overlap"},
		{"overlap backwards", b.api.MemcpyDtoDAsync(b.ctx, p, p+10, 11, 0), "overlap"},
		{"onto itself", b.api.MemcpyDtoDAsync(b.ctx, p, p, 8, 0), "overlap"},
	} {
		if tc.r != driver.ErrInvalidValue {
			t.Errorf("%s: got %v", tc.name, tc.r)
		}
	}
	b.want(driver.ErrInvalidValue, b.api.MemcpyDtoDAsync(b.ctx, p, p+10, 11, 0))
	b.explained("11 bytes from", "overlap")

	b.ok(b.api.MemcpyDtoDAsync(b.ctx, p+10, p, 10, 0)) // side by side
	b.ok(b.api.MemcpyDtoDAsync(b.ctx, p, p, 0, 0))     // nothing is copied to nowhere
	b.ok(b.api.MemcpyHtoDAsync(b.ctx, 0, nil, 0))
	b.ok(b.api.MemsetD8Async(b.ctx, 0, 0, 0, 0))
	b.ok(b.api.MemFree(b.ctx, 0))

	b.ok(b.api.MemFree(b.ctx, p))
	b.want(driver.ErrInvalidValue, b.api.MemFree(b.ctx, p))
	b.explained("has been freed before")
	b.want(driver.ErrInvalidValue, b.api.MemsetD8Async(b.ctx, p, 0, 1, 0))
	b.explained("has been freed")
	if again := b.alloc(1000); again == p {
		t.Error("a freed address was given out at once")
	}
}

// TestUseAfterFree in a kernel, where only a simulator can tell.
func TestUseAfterFree(t *testing.T) {
	for _, size := range []uint64{64, 8 << 20} { // Go's memory and the system's
		b := start(t, "t4", 1)
		p := b.alloc(size)
		touch := b.kernel("touch")
		b.ok(b.launch(touch, 0, uint64(p)))
		b.ok(b.api.MemFree(b.ctx, p)) // waits for the kernel
		b.ok(b.launch(touch, 0, uint64(p)))
		b.want(driver.ErrIllegalAddress, b.api.CtxSynchronize(b.ctx))
		b.explained("touch on the GPU at 00000000:01:00.0", "touched")
	}
}

// TestHugeMemoryCostsNothing: only what is written needs the host's memory.
func TestHugeMemoryCostsNothing(t *testing.T) {
	b := start(t, "h100", 1)
	const size = 79 << 30
	p := b.alloc(size)
	for _, offset := range []driver.Ptr{0, size / 2, size - 4} {
		b.ok(b.api.MemsetD8Async(b.ctx, p+offset, 7, 4, 0))
		if got := b.read(p+offset, 4); !bytes.Equal(got, []byte{7, 7, 7, 7}) {
			t.Errorf("at %d: got %v", offset, got)
		}
	}
	if got := b.read(p+12345678912, 8); !bytes.Equal(got, make([]byte, 8)) {
		t.Errorf("untouched memory: got %v", got)
	}
	b.ok(b.api.MemFree(b.ctx, p))
	b.ok(b.api.MemFree(b.ctx, b.alloc(size)))
}

func TestHostWithoutRoom(t *testing.T) {
	m, err := hardware.Preset("h100", 1)
	if err != nil {
		t.Fatal(err)
	}
	left := int64(reserve + 300<<20)
	b := startMachine(t, m, Options{Room: func() int64 { return left }})
	p := b.alloc(70 << 30)
	b.ok(b.api.MemsetD8Async(b.ctx, p, 1, 1<<20, 0))
	b.ok(b.api.CtxSynchronize(b.ctx))
	left = reserve
	b.ok(b.api.MemsetD8Async(b.ctx, p, 2, 60<<30, 0))
	b.want(driver.ErrUnknown, b.api.CtxSynchronize(b.ctx))
	b.explained("the host cannot back", "bytes more")

	pinned := startMachine(t, m, Options{Room: func() int64 { return left }})
	_, r := pinned.api.MemHostAlloc(pinned.ctx, 1<<30, 0)
	pinned.want(driver.ErrOutOfMemory, r)
	pinned.explained("the host cannot back")
}

// TestKernelFillsHost: what a kernel writes is only known while it runs.
func TestKernelFillsHost(t *testing.T) {
	m, err := hardware.Preset("h100", 1)
	if err != nil {
		t.Fatal(err)
	}
	var left atomic.Int64
	left.Store(4 << 30)
	b := startMachine(t, m, Options{Room: func() int64 { return left.Add(-512 << 20) }})
	b.ok(b.launch(b.kernel("fill"), 0, uint64(b.alloc(70<<30))))
	b.want(driver.ErrUnknown, b.api.CtxSynchronize(b.ctx))
	b.explained("fill on the GPU at", "the host cannot back")
}

// TestRewritingNeedsNoRoom: what is backed already can be written on a full host.
func TestRewritingNeedsNoRoom(t *testing.T) {
	if absent(make([]byte, 8)) != 0 {
		t.Skip("this system does not tell which memory is backed")
	}
	m, err := hardware.Preset("t4", 1)
	if err != nil {
		t.Fatal(err)
	}
	left := int64(reserve + checkStep)
	b := startMachine(t, m, Options{Room: func() int64 { return left }})
	const size = 8 << 20
	p := b.alloc(size)
	b.ok(b.api.MemsetD8Async(b.ctx, p, 1, size, 0))
	b.ok(b.api.CtxSynchronize(b.ctx))
	left = reserve + 1
	for i := range 20 {
		b.ok(b.api.MemsetD8Async(b.ctx, p, uint8(i), size, 0))
	}
	b.ok(b.api.CtxSynchronize(b.ctx))
}

// TestFreeWhileInUse: a program that frees what others are using gets errors, and never loses the process.
func TestFreeWhileInUse(t *testing.T) {
	b := start(t, "t4", 1)
	s := b.stream(driver.StreamNonBlocking)
	const size = mapBytes
	var p atomic.Uint64
	p.Store(uint64(b.alloc(size)))
	var team sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		team.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				r := b.api.MemsetD8Async(b.ctx, driver.Ptr(p.Load()), 1, size, s)
				if r != driver.Success && r != driver.ErrInvalidValue {
					t.Errorf("got %v", r)
					return
				}
			}
		})
	}
	for range 20 {
		old := p.Swap(uint64(b.alloc(size)))
		b.ok(b.api.MemFree(b.ctx, driver.Ptr(old)))
	}
	close(done)
	team.Wait()
	b.ok(b.api.CtxSynchronize(b.ctx))
}

func TestPinnedMemory(t *testing.T) {
	b := start(t, "t4", 1)
	host, r := b.api.MemHostAlloc(b.ctx, 1<<17, driver.HostPortable)
	b.ok(r)
	s, p := b.stream(driver.StreamNonBlocking), b.alloc(1<<17)
	copy(host, "early")
	b.ok(b.launch(b.kernel("wait"), s))
	b.ok(b.api.MemcpyHtoDAsync(b.ctx, p, host, s)) // does not wait for the kernel
	copy(host, "later")                            // so this is what is copied
	small := []byte("small")
	b.ok(b.api.MemcpyHtoDAsync(b.ctx, p+16, small, s)) // staged: the source is free
	copy(small, "other")
	out := host[64:69]
	b.ok(b.api.MemcpyDtoHAsync(b.ctx, out, p+16, s)) // nor does this
	b.want(driver.ErrNotReady, b.api.StreamQuery(b.ctx, s))
	close(b.gate)
	b.ok(b.api.StreamSynchronize(b.ctx, s))
	if got := string(b.read(p, 5)); got != "later" {
		t.Errorf("pinned source: got %q", got)
	}
	if string(out) != "small" {
		t.Errorf("staged source: got %q", out)
	}

	mapped, r := b.api.MemHostGetDevicePointer(b.ctx, host, 0)
	b.ok(r)
	b.ok(b.launch(b.kernel("touch"), 0, uint64(mapped)+3))
	b.ok(b.api.CtxSynchronize(b.ctx))
	if host[3] != 7 {
		t.Errorf("a kernel's write to host memory: got %d", host[3])
	}
	b.want(driver.ErrInvalidValue, b.api.MemFree(b.ctx, mapped))
	_, r = b.api.MemHostGetDevicePointer(b.ctx, host[1:], 0)
	b.want(driver.ErrInvalidValue, r)
	_, r = b.api.MemHostAlloc(b.ctx, 0, 0)
	b.want(driver.ErrInvalidValue, r)
}

// TestAddressesWrap uses a region up several times over.
func TestAddressesWrap(t *testing.T) {
	var s space
	var kept []*allocation
	data := make([]byte, 1)
	take := func() *allocation {
		a := &allocation{data: data, release: func() {}, owner: &context{}}
		if !s.place(a, 0) {
			t.Fatal("no addresses left")
		}
		return a
	}
	for round := range 3 {
		kept = append(kept, take())
		gone := take()
		gone.freed.Store(true)
		s.free(gone)
		s.next[0] = regionBytes - redZone // as after many allocations
		if a := take(); a.base < regionStart(0) || a.end() > regionStart(1) {
			t.Errorf("round %d: outside of the region: %#x", round, a.base)
		}
	}
	all := s.all()
	for i := 1; i < len(all); i++ {
		if all[i].base < all[i-1].end()+redZone/2 {
			t.Errorf("%#x and %#x are too close", all[i-1].base, all[i].base)
		}
	}
	for _, a := range kept {
		if found, inside := s.find(a.base); found != a || !inside {
			t.Errorf("lost %#x", a.base)
		}
	}
}
