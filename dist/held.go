package dist

import (
	"context"
	"sync"
	"time"

	"cresset/internal/mpi"
	"cresset/internal/patience"
	"cresset/tensor"
)

// held is a call whose tensors' memory is held until it has ended.
type held struct {
	*mpi.Request
	once     sync.Once
	releases [2]func() // of the memory of out and in; nil where there is none
	then     func()    // what is left to do after it has ended well
}

// Wait waits for the call's end.
func (h *held) Wait(ctx context.Context, limit time.Duration) error {
	err := h.Request.Wait(ctx, limit)
	if !h.Ended() {
		return err
	}
	h.once.Do(func() {
		h.release()
		if err == nil && h.then != nil {
			h.then()
		}
	})
	return err
}

func (h *held) release() {
	for _, release := range h.releases {
		if release != nil {
			release()
		}
	}
}

func (h *held) ended() bool { return h.Look() }

// hold returns the memory of a call's tensors, which stays until the call has ended.
func (h *held) hold(c *call) (out, in mpi.Memory, err error) {
	if c.out != nil {
		if out, h.releases[0], err = memoryOf(c.out, true); err != nil {
			return out, in, err
		}
	}
	switch c.in {
	case nil:
	case c.out:
		in = out
	default:
		if in, h.releases[1], err = memoryOf(c.in, false); err != nil {
			h.release()
		}
	}
	return out, in, err
}

// memoryOf returns the memory of a tensor's elements for MPI to read, or to write too: a GPU's where the tensor is on one, which is so for CUDA-aware MPI alone.
func memoryOf(t *tensor.Tensor, writes bool) (memory mpi.Memory, release func(), err error) {
	switch {
	case t.Device().IsCUDA():
		return onGPU(t, writes)
	case writes:
		memory.Host, release = inner.HoldToWrite(t)
	default:
		memory.Host, release = inner.HoldMemory(t)
	}
	return memory, release, nil
}

func onGPU(t *tensor.Tensor, writes bool) (memory mpi.Memory, release func(), err error) {
	at, ready, release, err := inner.HoldOnGPU(t, writes)
	if err != nil {
		return memory, nil, err
	}
	gpu := t.Device()
	memory.GPU = &mpi.GPU{
		Address: at, Bytes: bytesOf(t),
		Ready: func() error {
			var between patience.Looks
			for {
				if done, err := ready(); done || err != nil {
					return err
				}
				between.Rest()
			}
		},
		Within: func(f func() error) error { return inner.Within(gpu, f) },
	}
	return memory, release, nil
}
