package mpi

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"cresset/internal/dl"
)

// Comm is a communicator: processes that pass messages to each other, which nobody else gets.
type Comm struct {
	Rank, Size int

	world  *World
	direct uint64 // of calls that return at once and are made in the order in which they are asked for
	bulk   uint64 // of those that the world's worker makes, in their own order
	deaf   bool   // nobody hears any more; guarded by the world's mutex
	closed bool   // too
}

// commOf returns a communicator of the same processes as a handle's.
func (w *World) commOf(handle uint64) (*Comm, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := &Comm{world: w}
	result := dl.NewMemory(8)
	defer result.Free()
	for _, copied := range []*uint64{&c.direct, &c.bulk} {
		if err := w.call("MPI_Comm_dup", w.lib.CommDup, []uintptr{uintptr(handle), result.Address(0)}); err != nil {
			return nil, err
		}
		*copied = binary.NativeEndian.Uint64(result.Bytes)
		w.lib.CommSetErrhandler.call(uintptr(*copied), w.lib.errorsReturn)
	}
	binary.NativeEndian.PutUint64(result.Bytes, 0)
	for name, ask := range map[string]struct {
		fn function
		to *int
	}{"MPI_Comm_rank": {w.lib.CommRank, &c.Rank}, "MPI_Comm_size": {w.lib.CommSize, &c.Size}} {
		if err := w.lib.err(name, ask.fn.call(uintptr(c.direct), result.Address(0))); err != nil {
			return nil, err
		}
		*ask.to = int(int32(binary.NativeEndian.Uint32(result.Bytes)))
	}
	return c, nil
}

// Split returns a communicator of the processes that give the same color, in the order of their keys. All processes of c call it; it waits for them no longer than limit or
// ctx. It is a job of the worker, since a call that waits must not keep others from the library that wait for it.
func (c *Comm) Split(ctx context.Context, limit time.Duration, color, key int) (*Comm, error) {
	var part *Comm
	r := c.enqueue("MPI_Comm_split", func() (err error) {
		part, err = c.split(color, key)
		return err
	})
	if err := r.Wait(ctx, limit); err != nil {
		return nil, err
	}
	return part, nil
}

func (c *Comm) split(color, key int) (*Comm, error) {
	if err := c.meet(); err != nil {
		return nil, err
	}
	w := c.world
	result := dl.NewMemory(8)
	defer result.Free()
	if err := c.blocking("MPI_Comm_split", w.lib.CommSplit, uintptr(c.bulk), uintptr(color), uintptr(key), result.Address(0)); err != nil {
		return nil, err
	}
	part, err := w.commOf(binary.NativeEndian.Uint64(result.Bytes))
	if err == nil {
		w.mu.Lock()
		w.parts = append(w.parts, part)
		w.mu.Unlock()
	}
	return part, errors.Join(err, c.blocking("MPI_Comm_free", w.lib.CommFree, result.Address(0)))
}

// Close frees a communicator that Split has made, when all its processes have called it; it waits for them no longer than limit or ctx. Those that are not closed
// end with the world. A library has a few thousand of them.
func (c *Comm) Close(ctx context.Context, limit time.Duration) error {
	c.world.mu.Lock()
	closed := c.closed || c.world.closed
	c.world.mu.Unlock()
	if closed {
		return nil
	}
	return c.enqueue("MPI_Comm_free", c.free).Wait(ctx, limit)
}

// free gives the library what it keeps for a part, when all its processes have come.
func (c *Comm) free() error {
	c.world.unhear(c)
	if err := c.meet(); err != nil {
		return err
	}
	w := c.world
	w.mu.Lock()
	defer w.mu.Unlock()
	c.closed = true
	w.parts = slices.DeleteFunc(w.parts, func(part *Comm) bool { return part == c })
	handle := dl.NewMemory(8)
	defer handle.Free()
	var errs []error
	for _, copied := range []uint64{c.direct, c.bulk} {
		binary.NativeEndian.PutUint64(handle.Bytes, copied)
		errs = append(errs, w.call("MPI_Comm_free", w.lib.CommFree, []uintptr{handle.Address(0)}))
	}
	return errors.Join(errs...)
}
