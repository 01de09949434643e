package backend

import (
	"errors"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Abilities that only some backends have are interfaces, which callers find in a Backend by a type assertion.

// Generator is a stream of random numbers that a backend's kernels draw from.
type Generator interface {
	// Seed starts the stream of seed.
	Seed(seed uint64)
	// InitialSeed returns the seed that the stream started from.
	InitialSeed() uint64
	// State returns the stream's position in PyTorch's bytes.
	State() []byte
	// SetState restores what State returned; after an error the stream is as it was.
	SetState(state []byte) error
}

// Drawer is a backend whose kernels draw from streams of its own kind.
type Drawer interface {
	// Generator returns the backend's default stream.
	Generator() Generator
	// NewGenerator returns another stream.
	NewGenerator(seed uint64) Generator
}

// Pinned is page-locked host memory, which devices copy from and to by themselves.
type Pinned interface {
	// Bytes returns the memory, which is not Go's: it is valid until Free.
	Bytes() []byte
	// Free gives the memory back for reuse, once the copies under way are done. It may be called again.
	Free()
	// Wait waits for the copies under way.
	Wait() error
	// Keep makes Free do nothing.
	Keep()
}

// Copier is a backend that copies from and to pinned memory in the background, while the program goes on.
type Copier interface {
	// Fetch returns a new buffer that is filled with bytes of pinned memory. Kernels that are issued later wait for it.
	Fetch(src Pinned, offset, bytes int) (Buffer, error)
	// Send fills pinned memory from a buffer, from a byte offset on, after all work that was issued before.
	Send(dst Pinned, src Buffer, offset int) error
}

// Clock is a backend that measures how long copies take on its device.
type Clock interface {
	// StartTimer starts a timer for the copy between two backends, of which this is one, that is issued next, in the background
	// or not. It returns nil where the time cannot be known.
	StartTimer(from, to Backend, background bool) Stopwatch
}

// Stopwatch is a timer that runs until Stop is called.
type Stopwatch interface {
	Timer
	Stop()
}

// Piece is contiguous memory of a buffer.
type Piece struct {
	Buf           Buffer
	Offset, Bytes int
}

// Gatherer is a backend that copies and adds many pieces of memory by one launch.
type Gatherer interface {
	// CopyPieces copies from[i] into to[i], which has as many bytes, for all i. No piece may overlap another.
	CopyPieces(to, from []Piece) error
	// AddPieces adds to each piece what lies in each of the terms at the given offset, in the order of the terms. The elements
	// are of dt, which is a float dtype.
	AddPieces(dt dtype.DType, to []Piece, offsets []int, terms []Buffer) error
	// Slice returns part of a buffer as a buffer that keeps the whole alive. To free it does nothing.
	Slice(b Buffer, offset, bytes int) Buffer
}

// Lender is a backend on whose device other libraries compute.
type Lender interface {
	// Within calls f on a thread on which the device is the current one of NVIDIA's libraries.
	Within(f func() error) error
	// Lend calls f, as Within does, with a stream of the device and the addresses of pieces of memory: what f issues to the stream waits for all
	// that was issued to the device before. The memory stays as it is until the event has passed, though its owner may give it back earlier.
	Lend(memory []Piece, f func(stream uintptr, at []uintptr) error) (Event, error)
}

// Event is behind work that was issued to a device.
type Event interface {
	// Passed reports whether the work is done, or the error of the device.
	Passed() (bool, error)
}

// Packer is a backend that packs operands of convolutions.
type Packer interface {
	// PacksGradients reports whether the gradients of a convolution for x and for its weight, of these shapes, would both copy dy so that its channels are last.
	PacksGradients(dt dtype.DType, p op.Window, x, weight, dy layout.Shape) bool
}

// Updater is a backend that runs the steps of optimizers for many parameters by one launch.
type Updater interface {
	// NewUpdates returns a place for steps of the same parameters, over and over.
	NewUpdates() Updates
}

// Updates keeps what a device knows of parameters from step to step.
type Updates interface {
	// Run runs calls as the backend's Run does one after another. They are of one op, the step of an optimizer, one dtype and equal
	// Params. It returns how many ran: all, or those before the one that failed.
	Run(calls []*Call) (int, error)
}

// Capturer is a backend whose work a goroutine can have noted as a graph instead of done.
type Capturer interface {
	// Capturing returns the capture that the caller's work belongs to, nil for none.
	Capturing() Capture
	// Epoch is another number once a capture began or ended, or a graph was replayed: memory may have other elements then than its versions tell.
	Epoch() uint64
}

// Capture is a graph in the making.
type Capture interface {
	// Host has do called before each replay, in the order in which the capture got there. What do did undo takes back where the replay fails,
	// and once, when the capture ends, what the program did.
	Host(do func() error, undo func())
	// Refuse returns the error of what a graph cannot have, and what to do instead.
	Refuse(what, remedy string) error
	// Constant returns memory of the graph that is filled with bytes now and keeps them. To free it does nothing.
	Constant(bytes []byte) (Buffer, error)
}

// What went wrong in a backend, for errors.Is.
var (
	ErrDevice = errors.New("the device failed")
	//lint:ignore ST1005 PyTorch's text
	ErrNoData = errors.New("Cannot copy out of meta tensor; no data!")
)
