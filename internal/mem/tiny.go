package mem

import "unsafe"

// TinyBytes is the most that a block in a Tiny holds.
const TinyBytes = 1 << minBits

// Tiny is room for one small block inside of another object: most tensors of a small computation are a record and a few
// bytes, which are one allocation then.
type Tiny struct {
	block Block
	room  [TinyBytes + Alignment - 1]byte
}

// Alloc returns a block of at most TinyBytes with unspecified contents: one that was freed where there is one, else t's
// own. It may be called once; whoever holds the block keeps t's whole object.
//
// The error is that of a fault that SetFault asked for.
func (t *Tiny) Alloc(bytes int) (*Block, error) {
	b, _, err := host.alloc(bytes, t)
	return b, err
}

// init makes t's block.
func (t *Tiny) init() *Block {
	off := -uintptr(unsafe.Pointer(&t.room)) % Alignment // objects do not move, so what is aligned stays so
	t.block.data = t.room[off : off+TinyBytes : off+TinyBytes]
	t.block.slot = noSlot
	return &t.block
}
