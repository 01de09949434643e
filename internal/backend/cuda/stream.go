package cuda

// stream names one of a device's queues of work.
type stream uint8

// The streams of a device. Each copies in its own direction, so that both directions and kernels can overlap.
const (
	compute stream = iota
	copyIn
	copyOut
	collective // of a library that exchanges memory with other GPUs
	streams
)

// streamSet is a set of streams, bit by bit.
type streamSet uint8

func (s *streamSet) add(k stream)     { *s |= 1 << k }
func (s streamSet) has(k stream) bool { return s&(1<<k) != 0 }
