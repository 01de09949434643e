package mem

import "unsafe"

// TinyBytes is the most that a block in a Tiny holds.
const TinyBytes = 64

// Tiny is room for one small block inside of another object: most tensors of a small computation are a record and a few
// bytes, which are one allocation then. The block is outside of the pool, like a wrapped one: freed or dropped, it is
// garbage with the object around it.
type Tiny struct {
	block Block
	room  [TinyBytes / 8]uint64 // words, so that the bytes are aligned for every type of element
}

// Alloc returns t's block with a size of at most TinyBytes and unspecified contents. It may be called once; whoever holds the
// block keeps t's whole object. The block is aligned to 8 bytes only.
//
// The error is that of a fault that SetFault asked for.
func (t *Tiny) Alloc(bytes int) (*Block, error) {
	if f := faultHook.Load(); f != nil {
		if err := (*f)(bytes); err != nil {
			return nil, err
		}
	}
	// The block and its bytes are parts of one object, which either keeps alive.
	t.block = Block{data: unsafe.Pointer(&t.room), n: bytes, state: foreign, slot: noSlot}
	return &t.block, nil
}
