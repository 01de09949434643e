package mpi

import "cresset/internal/dl"

// Memory is what a message reads or fills: the host's, or a GPU's where the library is CUDA-aware.
type Memory struct {
	Host []byte
	GPU  *GPU // nil for memory of the host
}

// GPU is contiguous memory of a GPU.
type GPU struct {
	Address uintptr
	Bytes   int
	Ready   func() error               // waits until the GPU has done what it computes there: the library knows no streams
	Within  func(f func() error) error // calls f on a thread on which the GPU is current
}

// Bytes is memory of the host.
func Bytes(b []byte) Memory { return Memory{Host: b} }

func (m *Memory) bytes() int {
	if m.GPU != nil {
		return m.GPU.Bytes
	}
	return len(m.Host)
}

func (m *Memory) address() uintptr {
	if m.GPU != nil {
		return m.GPU.Address
	}
	return dl.AddressOf(m.Host)
}

// buffers are what one call reads and writes.
type buffers [2]Memory

// ready waits until the library may read and write there.
func (b *buffers) ready() error {
	for i := range b {
		if b[i].GPU == nil {
			continue
		}
		if err := b[i].GPU.Ready(); err != nil {
			return err
		}
	}
	return nil
}

// enter has all calls from now on be made where the GPU of these buffers is current, since each call may work at every message.
func (w *World) enter(b *buffers) {
	for i := range b {
		if b[i].GPU != nil {
			w.mu.Lock()
			w.within = b[i].GPU.Within
			w.mu.Unlock()
		}
	}
}

// call makes a call of the library. The caller holds w.mu.
func (w *World) call(name string, fn function, args []uintptr) error {
	if w.within == nil {
		return w.lib.err(name, fn.call(args...))
	}
	return w.callWithin(name, fn, args)
}

func (w *World) callWithin(name string, fn function, args []uintptr) error {
	return w.within(func() error { return w.lib.err(name, fn.call(args...)) })
}

// look has the library look up to so many times whether a request has ended. The caller holds w.mu.
func (w *World) look(r *Request, times int) error {
	if w.within == nil {
		return w.lib.err(r.call, Status(r.handle.test.Times(times)))
	}
	return w.lookWithin(r, times)
}

func (w *World) lookWithin(r *Request, times int) error {
	return w.within(func() error { return w.lib.err(r.call, Status(r.handle.test.Times(times))) })
}
