package cuda

import (
	"errors"
	"sync"

	"cresset/internal/driver"
)

// The sizes of PyTorch's caching allocator, in bytes.
const (
	minBlock     = 512
	smallRequest = 1 << 20 // up to here requests share small segments
	smallSegment = 2 << 20
	largeRequest = 10 << 20 // from here on a request has a segment of its own
	largeSegment = 20 << 20
	largeUnit    = 2 << 20
	maxRequest   = 1 << 60
)

// source is where an allocator gets its memory from: a GPU.
type source interface {
	malloc(bytes int64) (ptr uint64, err error) // driver.ErrOutOfMemory where there is none left
	free(ptr uint64) error                      // after all work that was issued before
	info() (free, total int64, err error)
	programs() []Program            // that hold its memory
	record(s stream) (event, error) // an event behind what has been issued to s
	passed(e event) (bool, error)   // whether everything before the event is done
	wait(e event) error
	forget(e event)
}

// event marks a place in the work of a stream.
type event = driver.Event

// allocator allocates a GPU's memory as PyTorch's caching allocator does: in blocks of whole segments, which it keeps when
// they come back.
type allocator struct {
	source   source
	device   int
	config   config
	profiled bool // profiles are told of the memory

	mu       sync.Mutex
	pools    [2]pool
	inUse    []*block
	pending  [streams][]pendingFree
	spare    []*block // structs of blocks that were merged away
	segments map[uint64]int64
	limit    int64 // bytes that may be reserved; 0 where no fraction was set
	stats    Stats
	gc       collection
}

// pendingFree is a freed block that another stream still uses.
type pendingFree struct {
	block *block
	event event
}

func newAllocator(src source, device int, c config) *allocator {
	a := &allocator{source: src, device: device, config: c, segments: map[uint64]int64{}}
	a.pools[largePool].kind = largePool
	return a
}

// request is what a search for memory is about.
type request struct {
	bytes  int64 // as it was asked for
	size   int64 // rounded
	stream stream
	pool   *pool
}

// alloc returns a buffer for use on a stream.
func (a *allocator) alloc(bytes int, s stream) (*Buffer, error) {
	c := a.capturing()
	if c == nil {
		return a.allocFrom(&a.pools, bytes, s)
	}
	b, err := a.allocFrom(&c.pool.pools, bytes, s)
	if err == nil && b.block != nil {
		a.mu.Lock()
		delete(c.earlier, b.block)
		a.mu.Unlock()
	}
	return b, err
}

// allocFrom is alloc from pools of choice.
func (a *allocator) allocFrom(pools *[2]pool, bytes int, s stream) (*Buffer, error) {
	if bytes == 0 {
		return &Buffer{}, nil
	}
	if bytes < 0 || bytes >= maxRequest {
		return nil, &OutOfMemoryError{Device: a.device, Bytes: int64(bytes)}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gc.due(a.allocated()) {
		a.collect(false)
	}
	if err := a.finishPending(); err != nil {
		return nil, err
	}
	r := request{bytes: int64(bytes), size: a.config.round(int64(bytes)), stream: s}
	r.pool = &pools[poolOf(r.size)]
	b, err := a.acquire(r)
	if err != nil {
		return nil, err
	}
	return a.allocFound(b, r), nil
}

func poolOf(size int64) poolKind {
	if size <= smallRequest {
		return smallPool
	}
	return largePool
}

// segmentSize returns what is asked of the driver for a block of that size.
func segmentSize(size int64) int64 {
	switch {
	case size <= smallRequest:
		return smallSegment
	case size < largeRequest:
		return largeSegment
	default:
		return (size + largeUnit - 1) / largeUnit * largeUnit
	}
}

// acquire finds a block for r, or makes room for a new segment step by step.
func (a *allocator) acquire(r request) (*block, error) {
	if b := a.find(r); b != nil {
		return b, nil
	}
	if err := a.releaseOldest(); err != nil {
		return nil, err
	}
	for _, makeRoom := range [...]func(request) error{nil, a.collectAll, a.releaseOversize, a.releaseIdle} {
		if makeRoom != nil {
			if err := makeRoom(r); err != nil {
				return nil, err
			}
			if b := a.find(r); b != nil {
				return b, nil
			}
		}
		b, err := a.grow(r)
		if !errors.Is(err, driver.ErrOutOfMemory) {
			return b, err
		}
	}
	a.stats.OOMs++
	return nil, a.outOfMemory(r)
}

// collectAll reclaims unreachable buffers that the garbage collector has not found yet.
func (a *allocator) collectAll(request) error {
	a.collect(true)
	return nil
}

// find takes the smallest idle block that holds r.
func (a *allocator) find(r request) *block {
	p := r.pool
	p.searches++
	free := p.free[r.stream]
	i := p.at(r.stream, r.size, 0)
	if i == len(free) {
		return nil
	}
	b := free[i]
	if r.size < a.config.maxSplit && b.size >= a.config.maxSplit {
		return nil // would break a block that is kept for oversize requests
	}
	if r.size >= a.config.maxSplit && b.size >= r.size+a.config.maxNonSplitRounding {
		return nil
	}
	p.remove(b)
	return b
}

// grow takes a new segment from the device.
func (a *allocator) grow(r request) (*block, error) {
	size := segmentSize(r.size)
	if a.limit > 0 && a.stats.ReservedBytes[All].Current+size > a.limit {
		return nil, driver.ErrOutOfMemory
	}
	ptr, err := a.source.malloc(size)
	if err != nil {
		return nil, err
	}
	b := a.newBlock()
	b.ptr, b.size, b.stream, b.pool = ptr, size, r.stream, r.pool
	a.segments[ptr] = size
	a.stats.segment(r.pool.kind, 1, size, size >= a.config.maxSplit)
	return b, nil
}

// allocFound hands the block out as a buffer. What r does not need of it is split off and returns to the pool, where splits allows it.
func (a *allocator) allocFound(b *block, r request) *Buffer {
	wasSplit := b.isSplit()
	k := b.pool.kind
	if a.splits(b, r) {
		b = a.split(b, r.size)
		if wasSplit {
			a.stats.InactiveSplitBytes.add(k, -b.size)
		} else {
			a.stats.InactiveSplitBytes.add(k, b.next.size)
			a.stats.InactiveSplit.add(k, 1)
		}
	} else if wasSplit {
		a.stats.InactiveSplitBytes.add(k, -b.size)
		a.stats.InactiveSplit.add(k, -1)
	}
	a.stats.owned(k, 1, b.size, b.size >= a.config.maxSplit)
	a.stats.active(k, 1, b.size, r.bytes)
	b.state, b.slot = inUse, len(a.inUse)
	b.asked = r.bytes
	a.inUse = append(a.inUse, b)
	a.tell(b, b.size)
	a.notify()
	h := b.handle
	b.handle = nil
	h.ptr, h.bytes = b.ptr, int(r.bytes)
	return h
}

// splits reports whether the rest of b becomes a block of its own.
func (a *allocator) splits(b *block, r request) bool {
	rest := b.size - r.size
	if b.pool.kind == smallPool {
		return rest >= minBlock
	}
	return r.size < a.config.maxSplit && rest > smallRequest
}

// split returns the first size bytes of b as a block; b, now behind it, goes to the pool.
func (a *allocator) split(b *block, size int64) *block {
	head := a.newBlock()
	head.ptr, head.size, head.stream, head.pool = b.ptr, size, b.stream, b.pool
	head.prev, head.next = b.prev, b
	if head.prev != nil {
		head.prev.next = head
	}
	b.prev = head
	b.ptr += uint64(size)
	b.size -= size
	b.pool.insert(b)
	return head
}

// newBlock returns an idle block with a handle, one that was merged away if there is one.
func (a *allocator) newBlock() *block {
	if last := len(a.spare) - 1; last >= 0 {
		b := a.spare[last]
		a.spare = a.spare[:last]
		return b
	}
	b := new(block)
	b.renew()
	return b
}

// used notes that a stream other than its own reads or writes the buffer, so that the memory is not allocated again
// before that stream is done with it.
func (a *allocator) used(h *Buffer, s stream) {
	if h.whole != nil {
		h = h.whole
	}
	if h.block == nil || h.block.stream == s {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	h.block.users.add(s)
}
