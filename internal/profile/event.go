package profile

import (
	"time"

	"cresset/dtype"
	"cresset/internal/backend"
)

// Kind tells what an event is.
type Kind uint8

// The kinds of events. Those up to Runtime are frames of the host, which nest; the others belong to a GPU.
const (
	Op       Kind = iota
	Gradient      // the gradient function of an op
	Region        // what the program has named
	Step          // a step of a training, by the profile's schedule
	Runtime       // a wait for a GPU
	Kernel
	Copy
	Memset
	Memory // allocated or freed
)

// OnHost reports whether events of the kind are frames of the host.
func (k Kind) OnHost() bool { return k <= Runtime }

// NoParent is the parent of an event that nothing has led to.
const NoParent = -1

// Event is one thing that was done. Times count from the recording's start.
type Event struct {
	Kind   Kind
	Name   string
	Start  time.Duration
	Took   time.Duration // meaningless unless Timed
	Timed  bool          // false for a frame that has not ended, and for work of a GPU that tells no time
	Parent int           // the frame around a frame, or the one that led to work of a GPU: an index of Recorder.Events, or NoParent
	Thread int           // goroutines are numbered from 1 by their first event
	Site   backend.Site  // of a frame: the program's line
	Inputs []Operand     // of an op, where the recording keeps them

	Device int // of a GPU's event
	Stream int
	Bytes  int64   // copied or set; of memory, negative where it was freed
	Launch *Launch // of a kernel
	Memory *Held   // of memory
}

// Operand is the shape and the dtype of what an op reads.
type Operand struct {
	Shape []int
	DType dtype.DType
}

// Launch is the shape of a kernel's launch.
type Launch struct {
	Grid, Block [3]uint32
	Shared      uint32 // bytes of dynamic shared memory
}

// Held tells of memory after it was allocated or freed.
type Held struct {
	Address             uint64
	Allocated, Reserved int64 // on the whole device
}
