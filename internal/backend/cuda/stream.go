package cuda

// stream names one of a device's queues of work.
type stream uint8

// The streams of a device. Each copies in its own direction, so that both directions and kernels can overlap. Behind them are those that
// a program makes, which compute beside the first.
const (
	compute stream = iota
	copyIn
	copyOut
	collective // of a library that exchanges memory with other GPUs
	lanes

	streams = lanes + 8
)

// streamSet is a set of streams, bit by bit.
type streamSet uint16

func (s *streamSet) add(k stream)     { *s |= 1 << k }
func (s streamSet) has(k stream) bool { return s&(1<<k) != 0 }
