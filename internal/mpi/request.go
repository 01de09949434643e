package mpi

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"cresset/internal/dl"
	"cresset/internal/patience"
)

// Request is a message, or a collective operation, that is on its way.
type Request struct {
	comm   *Comm
	call   string
	handle *cell        // of a direct one that the library works at
	job    func() error // of one that the worker does
	want   int          // bytes that a received message has
	hears  bool         // a message may never come
	memory buffers      // what C reads and writes, until it has ended
	kept   any
	ended  atomic.Bool
	err    error         // once it has ended
	done   chan struct{} // closed when the worker has done it
}

// mostArgs is how many arguments a call has at most.
const mostArgs = 10

// A cell is memory in which C keeps a request, whether it has ended, and its status.
type cell struct {
	*dl.Memory
	args    [mostArgs]uintptr // of the call that began the request
	test    *dl.Look          // by MPI_Test
	request *Request          // that has not ended; the world's cells keep it, and what it keeps, where nobody waits for it
}

const (
	cellFlag   = 8
	cellStatus = 16
	cellBytes  = 16 + 48 // the longest status has 32 bytes
)

// take returns a cell. The caller holds w.mu.
func (w *World) take() *cell {
	if n := len(w.free); n > 0 {
		c := w.free[n-1]
		w.free = w.free[:n-1]
		return c
	}
	c := &cell{Memory: dl.NewMemory(cellBytes)}
	c.test = dl.NewLook(uintptr(w.lib.Test), c.Memory, 0, cellFlag, cellStatus)
	w.cells = append(w.cells, c)
	return c
}

// begin makes a call of the library that ends later, with arguments before its request.
func (c *Comm) begin(name string, fn function, memory buffers, args ...uintptr) *Request {
	w := c.world
	if err := memory.ready(); err != nil {
		return c.refused(name, err)
	}
	w.enter(&memory)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || c.closed {
		return c.refused(name, errClosed)
	}
	r := &Request{comm: c, call: name, memory: memory, want: -1, handle: w.take()}
	r.handle.request = r
	binary.NativeEndian.PutUint64(r.handle.Bytes, 0)
	all := &r.handle.args
	all[copy(all[:], args)] = r.handle.Address(0)
	if err := w.call(name, fn, all[:len(args)+1]); err != nil {
		r.end(err)
	}
	return r
}

// refused returns a request that has failed.
func (c *Comm) refused(call string, err error) *Request {
	r := &Request{comm: c, call: call}
	r.end(fmt.Errorf("%s: %w", call, err))
	return r
}

// end notes that the request has ended. The caller holds the world's mutex, or is its worker.
func (r *Request) end(err error) {
	if r.handle != nil {
		r.handle.request = nil
		r.comm.world.free = append(r.comm.world.free, r.handle)
		r.handle = nil
	}
	r.err, r.memory = err, buffers{}
	r.ended.Store(true)
}

// Keep keeps from the collector what the request's memory belongs to, at least until it has ended. It is called before anybody waits.
func (r *Request) Keep(owner any) { r.kept = owner }

// atOnce is how many looks of a wait are made by one call: a short message mostly comes between the first and the fifth.
const atOnce = 8

// Look asks whether a direct request has ended, which is what makes the library work at it, and all others. It does not wait for the library, where the worker
// is in a call that may last: a wait has its limit all the same.
func (r *Request) Look() bool { return r.look(1) }

func (r *Request) look(times int) bool {
	if r.ended.Load() || r.job != nil {
		return r.ended.Load()
	}
	w := r.comm.world
	if !w.mu.TryLock() {
		return false
	}
	defer w.mu.Unlock()
	if r.ended.Load() {
		return true
	}
	switch err := w.look(r, times); {
	case err != nil:
		r.end(err)
	case binary.NativeEndian.Uint32(r.handle.Bytes[cellFlag:]) != 0:
		r.end(r.received())
	}
	return r.ended.Load()
}

// received checks the length of a message that came.
func (r *Request) received() error {
	if r.want < 0 {
		return nil
	}
	n := r.count(Uint8)
	if n < 0 { // more than a count of C holds
		n = 8 * r.count(Int64)
	}
	if n != r.want {
		return fmt.Errorf("%s: a message of %d bytes came, %d were expected", r.call, n, r.want)
	}
	return nil
}

// count returns how many elements of a type have come, or a negative number where that is none.
func (r *Request) count(t Type) int {
	lib := r.comm.world.lib
	lib.GetCount.call(r.handle.Address(cellStatus), lib.types[t], r.handle.Address(cellFlag))
	return int(int32(binary.NativeEndian.Uint32(r.handle.Bytes[cellFlag:])))
}

// Ended reports whether the request has ended.
func (r *Request) Ended() bool { return r.ended.Load() }

// Wait waits until the request has ended and returns its error, but no longer than limit or ctx: then that error is
// context.DeadlineExceeded or the context's. Unless somebody waits, nothing is sure to move.
func (r *Request) Wait(ctx context.Context, limit time.Duration) error {
	if r.job != nil {
		return r.waitForWorker(ctx, limit)
	}
	var between patience.Looks
	for !r.look(atOnce) {
		if !between.Rest() {
			continue
		}
		switch {
		case ctx.Err() != nil:
			return r.late(context.Cause(ctx))
		case between.Lasted() > limit:
			return r.late(context.DeadlineExceeded)
		}
	}
	return r.err
}

func (r *Request) waitForWorker(ctx context.Context, limit time.Duration) error {
	if r.ended.Load() {
		return r.err // whatever ctx says
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return r.late(context.Cause(ctx))
	case <-timer.C:
		return r.late(context.DeadlineExceeded)
	}
}

func (r *Request) late(err error) error { return fmt.Errorf("%s has not ended: %w", r.call, err) }

// forever is a limit for waits that another one bounds.
const forever = time.Duration(math.MaxInt64)

// enqueue hands a request to the world's worker.
func (c *Comm) enqueue(call string, job func() error) *Request {
	r := &Request{comm: c, call: call, job: job, done: make(chan struct{})}
	if !c.world.jobs.add(r) {
		return c.refused(call, errClosed)
	}
	return r
}

// Do has the worker do a job of several calls that wait. All processes ask for the same.
func (c *Comm) Do(call string, job func(b Blocking) error) *Request {
	return c.enqueue(call, func() error { return job(Blocking{c}) })
}

// work does the jobs one after the other.
func (w *World) work() {
	defer close(w.idle)
	for r := w.jobs.next(); r != nil; r = w.jobs.next() {
		r.end(r.job())
		close(r.done)
	}
}

// meet waits, without keeping a core busy for long, until all processes have come so far: a blocking call after it keeps one busy for as long as
// its bytes take.
func (c *Comm) meet() error {
	return c.begin("MPI_Ibarrier", c.world.lib.Ibarrier, buffers{}, uintptr(c.bulk)).Wait(context.Background(), forever)
}

// blocking makes a call of the library that returns when it has ended.
func (c *Comm) blocking(name string, fn function, args ...uintptr) error {
	c.world.mu.Lock()
	defer c.world.mu.Unlock()
	return c.world.call(name, fn, args)
}

// cancel gives the request up, unless it has ended meanwhile. The caller holds w.mu.
func (r *Request) cancel() {
	_ = r.comm.world.call("MPI_Cancel", r.comm.world.lib.Cancel, []uintptr{r.handle.Address(0)}) // MPI_Test tells how it ended
}
