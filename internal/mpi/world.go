package mpi

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"cresset/internal/dl"
)

// World is all processes that were launched together.
type World struct {
	*Comm
	lib  *library
	jobs *queue
	idle chan struct{} // closed when no more jobs are done

	mu     sync.Mutex // held by who calls the library
	cells  []*cell    // all that there are
	free   []*cell
	parts  []*Comm // of Split, that are not closed
	closed bool
	within func(f func() error) error // calls f where the GPU of messages is current; nil where there were none of a GPU

	closing sync.Once
	left    chan struct{} // closed when MPI_Finalize has returned
	err     error         // its own, from then on
}

// joined is the process's world, for a process joins one once. It stays when it has ended, and so do its cells, to which C may write as long as the process lives.
var joined struct {
	mu    sync.Mutex
	tried bool
	world *World
}

// errClosed is what is asked of a world that has ended.
var errClosed = errors.New("the process has left MPI's world")

// Candidates returns the names of libraries, those first that the launcher of this process belongs to: CRESSET_MPI alone where it is set.
func Candidates() []string {
	if path := os.Getenv("CRESSET_MPI"); path != "" {
		return []string{path}
	}
	open := []string{"libmpi.so.40", "libmpi.so.80"}
	others := []string{"libmpich.so.12", "libmpi.so.12", "libmpi_abi.so.0", "libmpi_abi.so.1"}
	_, launched := os.LookupEnv("OMPI_COMM_WORLD_SIZE")
	if _, hydra := os.LookupEnv("PMI_RANK"); hydra && !launched {
		return append(others, open...)
	}
	return append(open, others...)
}

// Init opens the first candidate and joins the world of this process. It returns when all its processes have called Init.
func Init(candidates ...string) (*World, error) {
	joined.mu.Lock()
	defer joined.mu.Unlock()
	if joined.tried {
		return nil, errors.New("a process joins MPI's world once")
	}
	keepFromSignals()
	handlers := signalActions()
	lib, err := load(candidates...)
	if err != nil {
		handlers.restore()
		return nil, err
	}
	joined.tried = true
	err = lib.start()
	handlers.restore()
	if err != nil {
		return nil, err
	}
	w := &World{lib: lib, jobs: newQueue(), idle: make(chan struct{}), left: make(chan struct{})}
	joined.world = w
	if w.Comm, err = w.commOf(uint64(lib.world)); err != nil {
		return nil, err
	}
	go w.work()
	return w, nil
}

// start calls MPI_Init_thread. Errors are returned from then on: a library asks the world how to handle those of a request that it does not count to a communicator, and MPI 4 its own process.
func (l *library) start() error {
	given := dl.NewMemory(4)
	defer given.Free()
	if err := l.err("MPI_Init_thread", l.InitThread.call(0, 0, l.serialized, given.Address(0))); err != nil {
		return err
	}
	if level := uintptr(binary.NativeEndian.Uint32(given.Bytes)); level < l.serialized {
		return fmt.Errorf("%s (%s) lets one thread alone call it (level %d, not MPI_THREAD_SERIALIZED)", l.path, l.version, level)
	}
	for _, comm := range []uintptr{l.world, l.self} {
		if err := l.err("MPI_Comm_set_errhandler", l.CommSetErrhandler.call(comm, l.errorsReturn)); err != nil {
			return err
		}
	}
	return nil
}

// Library returns the library's path and what it says of itself.
func (w *World) Library() (path, version string) { return w.lib.path, w.lib.version }

// Family returns "Open MPI", "MPICH" or "MPI 5".
func (w *World) Family() string { return w.lib.family }

// Processor returns the name of this process's machine.
func (w *World) Processor() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := newText()
	w.lib.GetProcessorName.call(name.call()...)
	return strings.TrimRight(name.String(), "\x00")
}

// Abort ends all processes of the world, this one too, with an exit code.
func (w *World) Abort(code int) {
	w.lib.Abort.call(w.lib.world, uintptr(code)) // not under the mutex: a call that hangs may hold it
}

// Close waits until all that was begun has ended and all other processes have closed, and leaves the world. Where that is not so until ctx ends, that is the error.
func (w *World) Close(ctx context.Context) error {
	w.closing.Do(func() {
		w.jobs.close()
		go w.leave()
	})
	select {
	case <-w.left:
		return w.err
	case <-ctx.Done():
		return fmt.Errorf("MPI_Finalize: not all processes have left: %w", context.Cause(ctx))
	}
}

// leave ends what is on its way, and calls MPI_Finalize.
func (w *World) leave() {
	defer close(w.left)
	<-w.idle
	w.mu.Lock()
	parts := slices.Clone(w.parts)
	w.mu.Unlock()
	var errs []error
	for _, part := range slices.Backward(parts) { // communicators end before the world does, which counts them in some libraries
		errs = append(errs, part.free())
	}
	w.unhear(w.Comm)
	w.mu.Lock()
	w.closed = true
	open := w.open()
	w.mu.Unlock()
	for _, r := range open {
		_ = r.Wait(context.Background(), forever) // an error is for those who wait for it
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = errors.Join(append(errs, w.call("MPI_Finalize", w.lib.Finalize, nil))...)
}

// open returns the requests that have not ended. The caller holds w.mu.
func (w *World) open() (all []*Request) {
	for _, c := range w.cells {
		if c.request != nil {
			all = append(all, c.request)
		}
	}
	return all
}

// unhear cancels what a communicator may hear, and waits for that.
func (w *World) unhear(c *Comm) {
	w.mu.Lock()
	var heard []*Request
	for _, r := range w.open() {
		if r.comm == c && r.hears {
			r.cancel()
			heard = append(heard, r)
		}
	}
	c.deaf = true
	w.mu.Unlock()
	for _, r := range heard {
		_ = r.Wait(context.Background(), forever)
	}
}
