package cuda

import (
	"cresset/device"
	"cresset/internal/backend/cuda"
	"cresset/internal/friend"
	"cresset/tensor"
)

// Stream is a queue of a GPU's work beside the one that each GPU has. It follows data, as an option of a scope: what is computed in the scope is
// computed on the stream, on whatever goroutine, and so are its gradients.
//
//	s, err := cuda.NewStream()
//	scope := tensor.NewScope(s)
//	y := scope.Enter(x).MM(w) // on s; kernels of other scopes run meanwhile
//
// Nobody needs to wait: an op whose operand another stream computes waits for that, by an event, and so does whoever writes what another stream
// still reads. Memory that one stream has used goes to another only when that is done.
type Stream struct {
	scopeOption
	stream *cuda.Device
}

type scopeOption = tensor.ScopeOption

// NewStream returns a stream of a GPU. There are 8 for each, which are given out in turn.
func NewStream(index ...int) (*Stream, error) {
	d, err := at(index)
	if err != nil {
		return nil, err
	}
	on, err := d.NewStream()
	if err != nil {
		return nil, err
	}
	option := friend.Of[*tensor.Tensor]().OnStream(device.CUDA(d.Index()), on)
	return &Stream{option.(tensor.ScopeOption), on}, nil
}

// Device returns the GPU of the stream.
func (s *Stream) Device() device.Device { return device.CUDA(s.stream.Index()) }

// Synchronize waits until all that was issued to the stream is done, and returns what failed there.
func (s *Stream) Synchronize() error { return s.stream.SyncStream() }

// Query reports whether all that was issued to the stream is done.
func (s *Stream) Query() (bool, error) { return s.stream.StreamDone() }

// RecordEvent marks what was issued to the stream so far.
func (s *Stream) RecordEvent(e *Event) error { return e.event.Record(s.stream) }

// WaitEvent makes what is issued to the stream from now on wait until the place of an event has been reached.
func (s *Stream) WaitEvent(e *Event) error { return e.event.Wait(s.stream) }

// WaitStream makes what is issued to the stream from now on wait for all that was issued to another so far.
func (s *Stream) WaitStream(other *Stream) error {
	var e Event
	if err := other.RecordEvent(&e); err != nil {
		return err
	}
	return s.WaitEvent(&e)
}
