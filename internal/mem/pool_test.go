package mem

import (
	"errors"
	"testing"
)

// machine returns a pool of its own on a machine with the given memory.
func machine(total int64) *pool {
	there := func() int64 { return total }
	p := &pool{total: there, available: there}
	p.tracked.watching = true // a cleanup would keep the pool beyond its test
	return p
}

func TestColdestBlocksLeaveFirst(t *testing.T) {
	p := machine(1 << 40)
	var blocks []*Block
	for i := range 10 {
		b, err := p.alloc((9 + i) << 20)
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, b)
	}
	for _, b := range blocks {
		p.release(b)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trim(keepIdle)
	if p.idle > keepIdle || p.idle < keepIdle/2 {
		t.Errorf("%d MiB are idle, want at most %d and not much less", p.idle>>20, keepIdle>>20)
	}
	kept := 0
	for at := p.lru.newest; at != nil; at = at.link[byAge].older {
		kept++
		if want := blocks[len(blocks)-kept]; at.block != want {
			t.Errorf("idle block %d has %d bytes, want %d", kept, at.block.n, want.n)
		}
	}
}

func TestFullMachine(t *testing.T) {
	p := machine(100 << 20)
	first, err := p.alloc(60 << 20)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.alloc(50 << 20)
	var e *Error
	if !errors.As(err, &e) || e.Bytes != 50<<20 || e.Limit >= 50<<20 {
		t.Fatalf("50 MiB beside 60 on a machine with 100: %#v", err)
	}
	p.release(first)
	if _, err := p.alloc(50 << 20); err != nil { // the idle 60 have to go
		t.Errorf("50 MiB after the 60 were freed: %v", err)
	}
}

func TestDroppedBlocksMakeRoom(t *testing.T) {
	p := machine(100 << 20)
	for i := range 20 {
		if _, err := p.alloc((20 + i) << 20); err != nil {
			t.Fatalf("block %d of %d MiB: %v", i, 20+i, err)
		}
	}
}

func TestLargeRequestsLookAtOtherProcesses(t *testing.T) {
	p := machine(1 << 40)
	p.available = func() int64 { return 70 << 20 }
	for _, tc := range []struct {
		bytes int
		ok    bool
	}{{10 << 20, true}, {64 << 20, true}, {70<<20 + 1, false}} {
		if _, err := p.alloc(tc.bytes); (err == nil) != tc.ok {
			t.Errorf("%d bytes with 70 MiB available: %v", tc.bytes, err)
		}
	}
}
