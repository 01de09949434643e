package mpi

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"cresset/internal/mpi/mpitest"
)

// collect runs the collector, and finalizers of what it found.
func collect() {
	for range 3 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// forgotten drops requests that nobody has waited for: C still has their memory, and Close sees to their end.
func forgotten() error {
	w, err := Init(Candidates()...)
	if err != nil {
		return err
	}
	func() {
		w.Barrier()
		w.AllReduce(Bytes(make([]byte, 4)), Float32, Sum)
		w.AllReduce(Bytes(make([]byte, 4*small)), Float32, Sum)
	}()
	collect()
	err = wait(w.AllReduce(Bytes(make([]byte, 4)), Float32, Sum))
	err = errors.Join(err, w.Close(context.Background()))
	w = nil
	collect()
	return err
}

// closed wants that what is asked of a world that has ended is an error, and another Close is none.
func closed() error {
	w, err := Init(Candidates()...)
	if err != nil {
		return err
	}
	part, err := w.Split(context.Background(), time.Minute, 0, w.Rank)
	if err != nil {
		return err
	}
	if err := errors.Join(w.Close(context.Background()), w.Close(context.Background())); err != nil {
		return err
	}
	for _, r := range []*Request{
		w.Barrier(), part.AllReduce(Bytes(make([]byte, 4)), Float32, Sum), w.AllReduce(Bytes(make([]byte, 4*small)), Float32, Sum), part.Broadcast(Bytes(make([]byte, 4*small)), 0),
	} {
		if err := wait(r); !errors.Is(err, errClosed) {
			return fmt.Errorf("after Close: %v", err)
		}
	}
	if _, err := part.Split(context.Background(), time.Minute, 0, 0); !errors.Is(err, errClosed) {
		return fmt.Errorf("Split after Close: %v", err)
	}
	return nil
}

// splitting divides the world while a long operation is on its way, for which some wait before and some afterwards.
func splitting(w *World) error {
	for range 5 {
		long := w.AllReduce(Bytes(make([]byte, 4<<20)), Float32, Sum)
		if w.Rank%2 == 1 {
			if err := wait(long); err != nil {
				return err
			}
		}
		part, err := w.Split(context.Background(), time.Minute, 0, -w.Rank)
		if err != nil {
			return err
		}
		if err := errors.Join(wait(long), wait(part.Barrier())); err != nil {
			return err
		}
	}
	return nil
}

// crowd begins more long operations than anybody waits for.
func crowd(w *World) error {
	var all []*Request
	if w.Rank == 0 {
		for range 200 {
			all = append(all, w.AllReduce(Bytes(make([]byte, 4*small)), Float32, Sum))
		}
	}
	if err := wait(w.Barrier()); err != nil { // the others begin when this one has
		return err
	}
	for len(all) < 200 {
		all = append(all, w.AllReduce(Bytes(make([]byte, 4*small)), Float32, Sum))
	}
	for _, r := range all {
		if err := wait(r); err != nil {
			return err
		}
	}
	return nil
}

func TestLife(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		for _, part := range []string{"forgotten", "closed", "splitting", "crowd"} {
			if r := l.Run(t, 2, part); r.Code != 0 {
				t.Errorf("%s: exit %d\n%s\n%s", part, r.Code, r.Stdout, r.Stderr)
			}
		}
	})
}
