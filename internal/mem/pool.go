package mem

import (
	"runtime"
	"runtime/debug"
	"sync"
	"unsafe"
)

const (
	mib = 1 << 20

	// trackedBytes is the size from which unreachable blocks are reclaimed. BenchmarkDrop with and without that: 0.4 against
	// 0.75 us at 4 KiB, 1.2 against 2.5 at 16 KiB; at 1 KiB it gains nothing.
	trackedBytes = 4 << 10

	keepIdle = 64 * mib // idle bytes that are always worth keeping
	slack    = 32 * mib // growth that never starts a collection

	// askFrom is the request from which availableMemory is asked, which takes tens of microseconds.
	askFrom = 64 * mib
)

// host is the pool of the process.
var host = pool{total: sync.OnceValue(totalMemory), available: availableMemory, ballast: make([]byte, 8*mib)}

// pool recycles blocks. Its lock is held for some ten instructions at a time, but for a scan of the tracked blocks after a
// collection.
type pool struct {
	mu    sync.Mutex
	free  [classes]list
	lru   list // all free blocks, by age
	spare list // nodes without a block, to be used again before the next collection

	live  int64 // bytes of tracked blocks that are handed out
	small int64 // bytes of untracked blocks that are handed out
	idle  int64 // bytes in the free lists
	peak  int64 // most of live
	high  int64 // most of live, forgetting an eighth with each collection
	limit int64 // live bytes from which to collect first

	dropped int64 // bytes left to the collector since it last ran

	tracked     tracked
	collections int64

	collecting sync.Mutex
	total      func() int64 // bytes that the machine can hold
	available  func() int64 // bytes that it can still give at the moment

	// ballast is memory that nobody touches, so the machine never provides it. Go's collector starts at twice what is live,
	// but from 4 MiB on: without ballast that is every 26,000 results of a few elements. With it an add of four elements
	// took 118 ns for 134, a view 76 for 98, collections included.
	ballast []byte
}

// alloc returns a block of n bytes.
func (p *pool) alloc(n int) (*Block, error) {
	if f := faultHook.Load(); f != nil {
		if err := (*f)(n); err != nil {
			return nil, err
		}
	}
	if n < 0 || int64(n) > p.total() {
		return nil, &Error{Bytes: n, Limit: p.total()}
	}
	class := classOf(n)
	if classBytes(class) < trackedBytes {
		return p.allocSmall(class, n), nil
	}
	if b := p.take(class, n); b != nil {
		return b, nil
	}
	if err := p.makeRoom(n, classBytes(class)); err != nil {
		return nil, err
	}
	if b := p.take(class, n); b != nil { // making room found one
		return b, nil
	}
	return p.fresh(class, n), nil
}

// allocSmall returns a block that is not tracked, which needs no room to be made.
func (p *pool) allocSmall(class, n int) *Block {
	p.mu.Lock()
	if at := p.free[class].newest; at != nil {
		b := p.unlist(at)
		p.handOut(b, n)
		p.mu.Unlock()
		return b
	}
	p.small += int64(classBytes(class))
	p.mu.Unlock()
	return &Block{data: newBytes(classBytes(class)), n: n, class: int8(class), state: allocated, slot: untracked}
}

// take hands out a free block of the class, or returns nil. It collects first when unreachable blocks may have piled up.
func (p *pool) take(class, n int) *Block {
	p.mu.Lock()
	if p.due() {
		p.mu.Unlock()
		p.collect(false)
		p.mu.Lock()
	}
	var b *Block
	if at := p.free[class].newest; at != nil {
		b = p.unlist(at)
		p.handOut(b, n)
	}
	p.mu.Unlock()
	return b
}

// fresh hands out a block of new memory.
func (p *pool) fresh(class, n int) *Block {
	b := &Block{data: newBytes(classBytes(class)), class: int8(class), slot: untracked}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tracked.add(b)
	p.watch()
	p.handOut(b, n)
	return b
}

// newBytes returns zeroed, pointer-free, aligned memory.
func newBytes(n int) unsafe.Pointer {
	data := make([]byte, n)
	// Go aligns an object whose size is a multiple of 64 to 64 bytes, but does not promise it.
	if off := int(uintptr(unsafe.Pointer(unsafe.SliceData(data))) % Alignment); off != 0 {
		data = make([]byte, n+Alignment)
		off = int(uintptr(unsafe.Pointer(unsafe.SliceData(data))) % Alignment)
		data = data[(Alignment-off)%Alignment:]
	}
	memory := unsafe.Pointer(unsafe.SliceData(data)) // into the object, which it keeps alive
	wantHuge(memory, n)
	return memory
}

func (p *pool) release(b *Block) {
	p.mu.Lock()
	switch b.state {
	case allocated:
		p.account(b, -1)
		p.pool(b)
		p.trim(p.keep())
	case foreign:
		*b = Block{n: b.n, state: freed, slot: untracked}
	default:
		p.mu.Unlock()
		panic(DoubleFree{Bytes: b.n})
	}
	p.mu.Unlock()
}

func (p *pool) disown(b *Block) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.state == allocated {
		p.account(b, -1)
		p.tracked.remove(b)
		b.state = foreign
	}
}

// The methods below expect the lock.

func (p *pool) handOut(b *Block, n int) {
	b.n, b.state = n, allocated
	p.account(b, 1)
	p.peak = max(p.peak, p.live)
	p.high = max(p.high, p.live)
}

// room returns the bytes that a block of the pool takes.
func (b *Block) room() int64 { return int64(classBytes(int(b.class))) }

// due reports whether so much was handed out since the last collection that some of it may have become unreachable.
func (p *pool) due() bool { return p.live > max(p.limit, slack) }

// account adds sign times the block to what is handed out.
func (p *pool) account(b *Block, sign int64) {
	if b.slot == untracked {
		p.small += sign * b.room()
	} else {
		p.live += sign * b.room()
	}
}

func (p *pool) pool(b *Block) {
	b.state = idle
	at := p.spare.newest
	if at != nil {
		p.spare.remove(at, byAge)
	} else {
		at = new(node)
	}
	at.block = b
	p.free[b.class].push(at, byClass)
	p.lru.push(at, byAge)
	p.idle += b.room()
}

// unpool takes the block out of the lists.
func (p *pool) unlist(at *node) *Block {
	b := at.block
	p.free[b.class].remove(at, byClass)
	p.lru.remove(at, byAge)
	p.idle -= b.room()
	at.block = nil
	p.spare.push(at, byAge)
	return b
}

// keep returns how many idle bytes are worth keeping.
func (p *pool) keep() int64 { return max(keepIdle, p.high) }

// trim leaves the least recently freed blocks to the collector until keep idle bytes remain.
func (p *pool) trim(keep int64) {
	for p.idle > keep {
		b := p.unlist(p.lru.oldest)
		p.tracked.remove(b)
		p.dropped += b.room()
	}
}

// makeRoom returns nil if the machine can hold size more bytes, if need be after it has given back all that is idle.
func (p *pool) makeRoom(n, size int) error {
	if _, ok := p.room(size); ok {
		return nil
	}
	p.collect(true)
	p.mu.Lock()
	found := p.free[classOf(n)].newest != nil
	if !found {
		p.trim(0)
	}
	p.mu.Unlock()
	if found {
		return nil
	}
	debug.FreeOSMemory()
	p.mu.Lock()
	p.dropped = 0
	p.mu.Unlock()
	if left, ok := p.room(size); !ok {
		return &Error{Bytes: n, Limit: left}
	}
	return nil
}

// room returns how much the machine can still hold and whether that is enough. Large requests are worth a look at what other
// processes use.
func (p *pool) room(size int) (left int64, ok bool) {
	p.mu.Lock()
	left = p.total() - p.live - p.small - p.idle - p.dropped
	p.mu.Unlock()
	if size >= askFrom && left >= int64(size) {
		left = min(left, p.available())
	}
	return max(left, 0), left >= int64(size)
}

// collect runs the collector and reclaims every unreachable block; without force only if that is still due when its turn
// comes.
func (p *pool) collect(force bool) {
	p.collecting.Lock()
	defer p.collecting.Unlock()
	p.mu.Lock()
	due := force || p.due()
	p.mu.Unlock()
	if !due {
		return
	}
	runtime.GC()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.collections++
	p.dropped, p.spare = 0, list{}
	p.reclaim()
	p.limit = p.nextLimit()
	p.trim(p.keep())
}
