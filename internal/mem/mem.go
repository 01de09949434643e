// Package mem is the memory of tensors that live on the CPU: blocks of pointer-free Go memory, aligned to 64 bytes, that are
// recycled, the one freed last first, while the processor's caches may still hold them.
//
// A block that is freed goes on top of its size class and is the next one to leave it. A block that becomes unreachable
// instead is reclaimed after a garbage collection, which [Alloc] starts by itself when unreachable blocks could have piled
// up, because the collector sees only small handles and would wait too long. Blocks below 4 KiB are not tracked:
// unreachable, they are garbage like any other.
//
// The pool keeps at most max(64 MiB, high) idle bytes, those freed last, where high is the most that was ever handed out at once,
// less an eighth for every collection since. So a loop over varying sizes finds its blocks again, and a program that shrinks
// gives its memory back.
package mem

import "unsafe"

// Alignment is the alignment of every block of the pool in bytes: a cache line, and the widest vector register.
const Alignment = 64

// Block is a piece of host memory with one owner.
//
// The owner holds the *Block for as long as it uses the memory: when the *Block is unreachable its memory is handed out
// again, even while a slice of it is in use. Code that works on the slice therefore ends with a runtime.KeepAlive of the
// block or of what holds it; a slice that outlives such a call belongs to a block that is disowned.
type Block struct {
	data  unsafe.Pointer // nil after the block has left the pool and is freed
	n     int
	class int8 // index of the size class
	state state
	slot  int32 // among the tracked blocks, or untracked
}

type state uint8

const (
	idle      state = iota // in the pool
	allocated              // handed out
	foreign                // outside of the pool: wrapped or disowned
	freed                  // foreign, and freed
)

// Alloc returns a block of the given size with unspecified contents.
//
// The error is an [*Error] where the machine cannot hold the block.
func Alloc(bytes int) (*Block, error) {
	return host.alloc(bytes)
}

// Plain is the set of element types that hold no pointers.
type Plain interface {
	~bool | ~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint |
		~float32 | ~float64 | ~complex64 | ~complex128
}

// Wrap returns a block over the memory of s, which the caller and the block then share. It never enters the pool and has the
// alignment of s.
func Wrap[T Plain](s []T) *Block {
	var zero T
	// The bytes are those of s, which the new pointer keeps alive.
	data := unsafe.Pointer(unsafe.SliceData(s))
	return &Block{data: data, n: len(s) * int(unsafe.Sizeof(zero)), state: foreign, slot: untracked}
}

// Slice returns the memory of b as elements of type T; bytes at the end that do not make a whole element are left out. See
// [Block] for how long it is valid.
func Slice[T Plain](b *Block) []T {
	var zero T
	// Pool blocks are aligned for every T and wrapped ones for the type they came from, which is as wide as what tensors
	// read them as.
	return unsafe.Slice((*T)(b.Pointer()), b.n/int(unsafe.Sizeof(zero)))
}

// Bytes returns the memory of b. See [Block] for how long it is valid.
func (b *Block) Bytes() []byte { return Slice[byte](b) }

// Pointer returns the address of the first byte of b. See [Block] for how long it is valid.
func (b *Block) Pointer() unsafe.Pointer { return b.data }

// Size returns the size of b in bytes, as it was asked for.
func (b *Block) Size() int { return b.n }

// Free gives the block back; nobody may use it or its memory any more. It panics with a [DoubleFree] where the block is free
// already.
func (b *Block) Free() { host.release(b) }

// Disown takes the block out of the pool for good, so that slices of it stay valid for as long as they are reachable. It may
// be called again.
func (b *Block) Disown() { host.disown(b) }
