package mem

import "unsafe"

// TinyBytes is the most that a block in a Tiny holds, LeastBytes what one in the smallest Tiny does.
const (
	TinyBytes  = 64
	LeastBytes = 16
)

// Words is the room of a Tiny, in words, so that the bytes are aligned for every type of element.
type Words interface {
	[LeastBytes / 8]uint64 | [TinyBytes / 8]uint64
}

// Tiny is room for one small block inside of another object: most tensors of a small computation are a record and a few
// bytes, which are one allocation then. The block is outside of the pool, like a wrapped one: freed or dropped, it is
// garbage with the object around it.
type Tiny[W Words] struct {
	block Block
	room  W
}

// Alloc returns t's block with a size of at most that of W and unspecified contents. It may be called once; whoever holds the
// block keeps t's whole object. The block is aligned to 8 bytes only.
//
// The error is that of a fault that SetFault asked for.
func (t *Tiny[W]) Alloc(bytes int) (*Block, error) {
	if f := faultHook.Load(); f != nil {
		if err := (*f)(bytes); err != nil {
			return nil, err
		}
	}
	// The block and its bytes are parts of one object, which either keeps alive.
	b := &t.block
	b.data, b.n, b.state, b.slot = unsafe.Pointer(&t.room), bytes, foreign, untracked
	return b, nil
}
