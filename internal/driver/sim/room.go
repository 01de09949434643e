package sim

import (
	"fmt"
	"sync"

	"cresset/internal/mem"
)

const (
	reserve   = 256 << 20 // bytes that are left to the rest of the host
	checkStep = 64 << 20  // bytes written between two looks at the host
)

// room checks that the host can back what is written: Linux overcommits memory, and kills the process that uses more than
// there is.
type room struct {
	available func() int64

	mu    sync.Mutex
	known int64 // bytes that may be written before the next look
}

// RoomError says that the host has too little memory for the simulated devices'.
type RoomError struct {
	Bytes     int64 // wanted; 0 where a kernel has not said
	Available int64
}

// Error returns both numbers.
func (e *RoomError) Error() string {
	wanted := "more"
	if e.Bytes > 0 {
		wanted = fmt.Sprintf("%d bytes more", e.Bytes)
	}
	return fmt.Sprintf("simulated device memory: the host cannot back %s: it has %d bytes left, and keeps the last %d",
		wanted, e.Available, reserve)
}

// take asks for memory before it is written. What is written again is counted again, which only makes the next look come
// sooner.
func (r *room) take(data []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known -= int64(len(data))
	if r.known >= 0 {
		return nil
	}
	r.known = -1 // look again if this fails
	left := r.left()
	if spare := left - reserve; int64(len(data)) > spare {
		if need := absent(data); need > spare || spare < 0 {
			return &RoomError{need, left}
		}
		return nil
	}
	r.known = min(checkStep, left-reserve-int64(len(data)))
	return nil
}

func (r *room) left() int64 {
	if r.available != nil {
		return r.available()
	}
	return mem.Available()
}

// took counts what a kernel has written, which is not known before it ran.
func (r *room) took(n uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = max(r.known-int64(min(n, 1<<40)), -1)
}
