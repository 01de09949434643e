package mem

import (
	"runtime"
	"runtime/debug"
	"sync"
	"unsafe"
)

const (
	mib = 1 << 20

	// netBytes is the size from which a dropped block is recycled. BenchmarkDrop
	// with the net and without it: 0.4 against 0.75 us at 4 KiB, 1.2 against 2.5
	// at 16 KiB; at 1 KiB it gains nothing.
	netBytes = 4 << 10

	keepIdle = 64 * mib // idle bytes that are always worth keeping
	slack    = 32 * mib // growth that never starts a collection

	// lookFrom is the request from which availableMemory is asked, which takes
	// tens of microseconds.
	lookFrom = 64 * mib
)

// host is the pool of the process.
var host = pool{total: sync.OnceValue(totalMemory), available: availableMemory, ballast: make([]byte, 8*mib)}

// pool recycles blocks. Its lock is held for some ten instructions at a time,
// but for a scan of the net after a collection.
type pool struct {
	mu   sync.Mutex
	free [classes]list
	cold list // all free blocks, by age
	bare list // places without a block, to be used again before the next collection

	live  int64 // bytes handed out and in the net
	small int64 // bytes handed out below the net
	idle  int64 // bytes in the free lists
	peak  int64 // most of live
	high  int64 // most of live, forgetting an eighth with each collection
	limit int64 // live bytes from which to collect first

	shed int64 // bytes left to the collector since it last ran

	net         net
	collections int64

	collecting sync.Mutex
	total      func() int64 // bytes that the machine can hold
	available  func() int64 // bytes that it can still give at the moment

	// ballast is memory that nobody touches, so the machine never provides it.
	// Go's collector starts at twice what is live, but from 4 MiB on: without
	// ballast that is every 26,000 results of a few elements. With it an add of
	// four elements took 118 ns for 134, a view 76 for 98, collections included.
	ballast []byte
}

// alloc returns a block of n bytes and whether its memory is new, hence zero.
func (p *pool) alloc(n int) (b *Block, fresh bool, err error) {
	if f := faultHook.Load(); f != nil {
		if err := (*f)(n); err != nil {
			return nil, false, err
		}
	}
	if n < 0 || int64(n) > p.total() {
		return nil, false, &Error{Bytes: n, Limit: p.total()}
	}
	class := classOf(n)
	if classBytes(class) < netBytes {
		b, fresh = p.allocSmall(class, n)
		return b, fresh, nil
	}
	if b := p.take(class, n); b != nil {
		return b, false, nil
	}
	if err := p.makeRoom(n, classBytes(class)); err != nil {
		return nil, false, err
	}
	if b := p.take(class, n); b != nil { // making room found one
		return b, false, nil
	}
	return p.fresh(class, n), true, nil
}

// allocSmall returns a block below the net, which needs no room to be made.
func (p *pool) allocSmall(class, n int) (b *Block, fresh bool) {
	p.mu.Lock()
	if at := p.free[class].newest; at != nil {
		b = p.unpool(at)
		p.lend(b, n)
		p.mu.Unlock()
		return b, false
	}
	p.small += int64(classBytes(class))
	p.mu.Unlock()
	return &Block{data: newBytes(classBytes(class)), n: n, class: int8(class), state: lent, slot: noSlot}, true
}

// take hands out a free block of the class, or returns nil. It collects first
// when dropped blocks may have piled up.
func (p *pool) take(class, n int) *Block {
	p.mu.Lock()
	if p.due() {
		p.mu.Unlock()
		p.collect(false)
		p.mu.Lock()
	}
	defer p.mu.Unlock()
	at := p.free[class].newest
	if at == nil {
		return nil
	}
	b := p.unpool(at)
	p.lend(b, n)
	return b
}

// fresh hands out a block of new memory.
func (p *pool) fresh(class, n int) *Block {
	b := &Block{data: newBytes(classBytes(class)), class: int8(class), slot: noSlot}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.net.add(b)
	p.watch()
	p.lend(b, n)
	return b
}

// newBytes returns zeroed, pointer-free, aligned memory.
func newBytes(n int) unsafe.Pointer {
	data := make([]byte, n)
	// Go aligns an object whose size is a multiple of 64 to 64 bytes, but does
	// not promise it.
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
	defer p.mu.Unlock()
	switch b.state {
	case lent:
		p.account(b, -1)
		p.pool(b)
		p.trim(p.keep())
	case foreign:
		*b = Block{n: b.n, state: gone, slot: noSlot}
	default:
		panic(DoubleFree{Bytes: b.n})
	}
}

func (p *pool) disown(b *Block) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.state == lent {
		p.account(b, -1)
		p.net.remove(b)
		b.state = foreign
	}
}

// The methods below expect the lock.

func (p *pool) lend(b *Block, n int) {
	b.n, b.state = n, lent
	p.account(b, 1)
	p.peak = max(p.peak, p.live)
	p.high = max(p.high, p.live)
}

// room returns the bytes that a block of the pool takes.
func (b *Block) room() int64 { return int64(classBytes(int(b.class))) }

// due reports whether so much was handed out since the last collection that some
// of it may have been dropped.
func (p *pool) due() bool { return p.live > max(p.limit, slack) }

// account adds sign times the block to what is handed out.
func (p *pool) account(b *Block, sign int64) {
	if b.slot == noSlot {
		p.small += sign * b.room()
	} else {
		p.live += sign * b.room()
	}
}

func (p *pool) pool(b *Block) {
	b.state = idle
	at := p.bare.newest
	if at != nil {
		p.bare.remove(at, byAge)
	} else {
		at = new(place)
	}
	at.block = b
	p.free[b.class].push(at, byClass)
	p.cold.push(at, byAge)
	p.idle += b.room()
}

// unpool takes the block out of the lists.
func (p *pool) unpool(at *place) *Block {
	b := at.block
	p.free[b.class].remove(at, byClass)
	p.cold.remove(at, byAge)
	p.idle -= b.room()
	at.block = nil
	p.bare.push(at, byAge)
	return b
}

// keep returns how many idle bytes are worth keeping.
func (p *pool) keep() int64 { return max(keepIdle, p.high) }

// trim leaves the coldest blocks to the collector until keep idle bytes remain.
func (p *pool) trim(keep int64) {
	for p.idle > keep {
		b := p.unpool(p.cold.oldest)
		p.net.remove(b)
		p.shed += b.room()
	}
}

// makeRoom returns nil if the machine can hold size more bytes, if need be after
// it has given back all that is idle.
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
	p.shed = 0
	p.mu.Unlock()
	if left, ok := p.room(size); !ok {
		return &Error{Bytes: n, Limit: left}
	}
	return nil
}

// room returns how much the machine can still hold and whether that is enough.
// Large requests are worth a look at what other processes use.
func (p *pool) room(size int) (left int64, ok bool) {
	p.mu.Lock()
	left = p.total() - p.live - p.small - p.idle - p.shed
	p.mu.Unlock()
	if size >= lookFrom && left >= int64(size) {
		left = min(left, p.available())
	}
	return max(left, 0), left >= int64(size)
}

// collect runs the collector and takes back every block that was dropped;
// without force only if that is still due when its turn comes.
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
	p.shed, p.bare = 0, list{}
	p.drain()
	p.limit = p.nextLimit()
	p.trim(p.keep())
}
