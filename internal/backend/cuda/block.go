package cuda

import (
	"cmp"
	"slices"
	"weak"
)

// Buffer is memory on a GPU that a tensor owns. When the Buffer is unreachable its memory is reused.
type Buffer struct {
	ptr   uint64 // device address; 0 where the buffer holds no bytes
	bytes int
	block *block  // nil where the buffer holds no bytes, or is a slice
	whole *Buffer // what the buffer is a slice of; nil for others
	life  uint32  // how often it was freed: it serves many tensors, one after another
}

// Size returns the buffer's size in bytes, as it was asked for.
func (b *Buffer) Size() int { return b.bytes }

// block is a piece of a segment. A tensor that uses a block holds a Buffer, its handle. The allocator keeps a weak pointer to
// the handle alone, so that it learns when the tensor became unreachable.
type block struct {
	ptr        uint64
	size       int64
	asked      int64 // of size, by the owner
	stream     stream
	pool       *pool
	prev, next *block // neighbours in the segment
	state      blockState
	users      streamSet // other streams that used the memory
	events     int       // of those streams, still to complete
	traffic    traffic
	slot       int // its place in allocator.inUse
	freedAt    int // the pool's count of searches when the block came back

	handle *Buffer // nil while a tensor holds it
	weak   weak.Pointer[Buffer]
}

type blockState uint8

const (
	idle    blockState = iota // in the pool
	inUse                     // owned by a tensor
	waiting                   // freed, but another stream may still use it
)

// isSplit reports whether the block is only a part of its segment.
func (b *block) isSplit() bool { return b.prev != nil || b.next != nil }

// renew gives the block a new handle.
func (b *block) renew() {
	b.handle = &Buffer{block: b}
	b.weak = weak.Make(b.handle)
}

// owner returns the handle of a block in use, nil where it is unreachable.
func (b *block) owner() *Buffer { return b.weak.Value() }

// pool holds the idle blocks of one size class, by stream: memory goes back to the stream that used it, whose order makes
// the reuse safe.
type pool struct {
	kind     poolKind
	free     [streams][]*block // by size, then by address
	searches int
}

type poolKind uint8

const (
	smallPool poolKind = iota
	largePool
)

// at returns the index of a block of that size and address among the idle ones.
func (p *pool) at(s stream, size int64, ptr uint64) int {
	i, _ := slices.BinarySearchFunc(p.free[s], size, func(b *block, size int64) int {
		return cmp.Or(cmp.Compare(b.size, size), cmp.Compare(b.ptr, ptr))
	})
	return i
}

func (p *pool) insert(b *block) {
	p.free[b.stream] = slices.Insert(p.free[b.stream], p.at(b.stream, b.size, b.ptr), b)
	b.freedAt = p.searches
}

func (p *pool) remove(b *block) {
	i := p.at(b.stream, b.size, b.ptr)
	p.free[b.stream] = slices.Delete(p.free[b.stream], i, i+1)
}
