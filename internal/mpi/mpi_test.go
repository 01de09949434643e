package mpi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unsafe"

	"cresset/internal/mpi/mpitest"
)

func TestMain(m *testing.M) {
	os.Exit(mpitest.Main(m, os.Stderr, map[string]func() error{
		"collectives": inWorld(collectives), "messages": inWorld(messages), "split": inWorld(split), "pieces": inWorld(pieces),
		"nil": inWorld(nilPointer), "late": late, "again": inWorld(again), "wrong": inWorld(wrongLength), "abort": inWorld(abort),
		"forgotten": forgotten, "closed": closed, "splitting": inWorld(splitting), "crowd": inWorld(crowd),
		"signals": inWorld(handlersOnStack), "version": inWorld(version),
	}))
}

// inWorld runs a part between Init and Close.
func inWorld(part func(w *World) error) func() error {
	return func() error {
		w, err := Init(Candidates()...)
		if err != nil {
			return err
		}
		return errors.Join(part(w), w.Close(context.Background()))
	}
}

func wait(r *Request) error { return r.Wait(context.Background(), time.Minute) }

func bytesOf[T any](s []T) Memory {
	return Bytes(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T)))))
}

// lengths are around the border between calls that return at once and those that wait, and beyond what fits into one message.
var lengths = []int{0, 1, 7, small/4 - 1, small / 4, small/4 + 1, 300_001}

// numbers returns n elements that tell the process and their place.
func numbers(n, rank int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(rank*1000 + i%997)
	}
	return s
}

func collectives(w *World) error {
	for _, n := range lengths {
		if err := errors.Join(reductions(w, n), moves(w, n)); err != nil {
			return fmt.Errorf("%d elements: %w", n, err)
		}
	}
	return wait(w.Barrier())
}

// reductions compares each operation with what the numbers of all processes give.
func reductions(w *World, n int) error {
	joins := [ops]func(a, b float32) float32{
		func(a, b float32) float32 { return a + b }, func(a, b float32) float32 { return a * b },
		func(a, b float32) float32 { return min(a, b) }, func(a, b float32) float32 { return max(a, b) },
	}
	for op := range ops {
		all := numbers(n*w.Size, 0)
		for r := 1; r < w.Size; r++ {
			for i, x := range numbers(n*w.Size, r) {
				all[i] = joins[op](all[i], x)
			}
		}
		got := numbers(n*w.Size, w.Rank)
		part, theirs := make([]float32, n), numbers(n*w.Size, w.Rank)
		one, mine, root := make([]float32, n*w.Size), numbers(n*w.Size, w.Rank), int(op)%w.Size
		requests := []*Request{w.AllReduce(bytesOf(got), Float32, op), w.Reduce(bytesOf(one), bytesOf(mine), Float32, op, root), w.ReduceScatter(bytesOf(part), bytesOf(theirs), Float32, op)}
		for _, r := range requests {
			if err := wait(r); err != nil {
				return err
			}
		}
		if !slices.Equal(got, all) {
			return fmt.Errorf("operation %d: AllReduce got other sums", op)
		}
		if want := map[bool][]float32{true: all, false: make([]float32, n*w.Size)}[w.Rank == root]; !slices.Equal(one, want) {
			return fmt.Errorf("operation %d: Reduce got other sums", op)
		}
		if !slices.Equal(part, all[w.Rank*n:][:n]) {
			return fmt.Errorf("operation %d: ReduceScatter got other sums", op)
		}
	}
	return nil
}

func moves(w *World, n int) error {
	mine, root := numbers(n, w.Rank), w.Size-1
	var all, everyone []float32
	for r := range w.Size {
		all = append(all, numbers(n, r)...)
		everyone = append(everyone, numbers(n*w.Size, r)[w.Rank*n:][:n]...)
	}
	gathered, swapped, collected := make([]float32, n*w.Size), make([]float32, n*w.Size), make([]float32, n*w.Size)
	part, sent := make([]float32, n), slices.Clone(mine)
	again, back := make([]float32, n*w.Size), make([]float32, n*w.Size)
	for _, r := range []*Request{
		w.AllGather(bytesOf(gathered), bytesOf(mine)),
		w.AllToAll(bytesOf(swapped), bytesOf(numbers(n*w.Size, w.Rank))),
		w.Gather(bytesOf(collected), bytesOf(mine), root),
		w.Scatter(bytesOf(part), bytesOf(numbers(n*w.Size, root)), root),
		w.Broadcast(bytesOf(sent), root),
		w.Do("twice", func(b Blocking) error {
			return errors.Join(b.AllGather(bytesOf(again), bytesOf(mine)), b.AllToAll(bytesOf(back), bytesOf(numbers(n*w.Size, w.Rank))))
		}),
	} {
		if err := wait(r); err != nil {
			return err
		}
	}
	switch {
	case !slices.Equal(gathered, all):
		return errors.New("AllGather")
	case !slices.Equal(swapped, everyone):
		return errors.New("AllToAll")
	case !slices.Equal(again, all) || !slices.Equal(back, everyone):
		return errors.New("the job's AllGather or AllToAll")
	case w.Rank == root && !slices.Equal(collected, all):
		return errors.New("Gather")
	case !slices.Equal(part, numbers(n*w.Size, root)[w.Rank*n:][:n]):
		return errors.New("Scatter")
	case !slices.Equal(sent, numbers(n, root)):
		return errors.New("Broadcast")
	}
	return nil
}

// messages go around a ring, each process both sends and receives.
func messages(w *World) error {
	next, last := (w.Rank+1)%w.Size, (w.Rank+w.Size-1)%w.Size
	for _, n := range lengths {
		got := make([]float32, n)
		send, receive := w.Send(bytesOf(numbers(n, w.Rank)), next, 7), w.Receive(bytesOf(got), last, 7)
		if err := errors.Join(wait(receive), wait(send)); err != nil {
			return err
		}
		if !slices.Equal(got, numbers(n, last)) {
			return fmt.Errorf("%d elements: another message came", n)
		}
	}
	return nil
}

func split(w *World) error {
	part, err := w.Split(context.Background(), time.Minute, w.Rank%2, -w.Rank)
	if err != nil {
		return err
	}
	if want := (w.Size + 1 - w.Rank%2) / 2; part.Size != want || part.Rank != want-1-w.Rank/2 {
		return fmt.Errorf("process %d became %d of %d", w.Rank, part.Rank, part.Size)
	}
	sum := []int64{int64(w.Rank)}
	if err := wait(part.AllReduce(bytesOf(sum), Int64, Sum)); err != nil {
		return err
	}
	want := int64(0)
	for r := w.Rank % 2; r < w.Size; r += 2 {
		want += int64(r)
	}
	if sum[0] != want {
		return fmt.Errorf("the sum is %d, not %d", sum[0], want)
	}
	return nil
}

// pieces reduces more elements than a call takes, which are 1000 here.
func pieces(w *World) error {
	got, want := numbers(20_001, w.Rank), make([]float32, 20_001)
	for r := range w.Size {
		for i, x := range numbers(len(want), r) {
			want[i] += x
		}
	}
	if err := wait(w.allReduce(bytesOf(got), Float32, Sum, 1000)); err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return errors.New("the sums are others")
	}
	return nil
}

// nilPointer wants a panic of Go after the library has started: libraries below MPI take signals for themselves.
func nilPointer(*World) (err error) {
	defer func() {
		if recover() == nil {
			err = errors.New("there was no panic")
		}
	}()
	var p *World
	return fmt.Errorf("size %d", p.Size)
}

var errCancelled = errors.New("cancelled")

// late waits for a process that does not come.
func late() error {
	w, err := Init(Candidates()...)
	if err != nil {
		return err
	}
	if w.Rank == 0 {
		for _, n := range []int{1, small} {
			ctx, cancel := context.WithCancelCause(context.Background())
			cancel(errCancelled)
			err := w.AllReduce(Bytes(make([]byte, 4*n)), Float32, Sum).Wait(ctx, time.Minute)
			if !errors.Is(err, errCancelled) || !strings.Contains(err.Error(), "MPI_Allreduce has not ended") {
				return fmt.Errorf("%d elements: %v", n, err)
			}
			err = w.AllReduce(Bytes(make([]byte, 4*n)), Float32, Sum).Wait(context.Background(), time.Microsecond)
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "MPI_Allreduce has not ended") {
				return fmt.Errorf("%d elements: %v", n, err)
			}
		}
		w.Abort(75)
	}
	time.Sleep(time.Minute) // Abort ends it
	return nil
}

func again(*World) error {
	if _, err := Init(Candidates()...); err == nil || err.Error() != "a process joins MPI's world once" {
		return fmt.Errorf("a second Init: %v", err)
	}
	return nil
}

// wrongLength has a message come that is shorter, and one that is longer than its memory, which libraries end the job for unless they are told to return it.
func wrongLength(w *World) error {
	if w.Rank > 0 {
		return errors.Join(wait(w.Send(Bytes(make([]byte, 16)), 0, 1)), wait(w.Send(Bytes(make([]byte, 16)), 0, 1)))
	}
	err := wait(w.Receive(Bytes(make([]byte, 24)), 1, 1))
	if err == nil || err.Error() != "MPI_Recv: a message of 16 bytes came, 24 were expected" {
		return fmt.Errorf("a shorter message: %v", err)
	}
	err = wait(w.Receive(Bytes(make([]byte, 8)), 1, 1))
	if failed := (*Error)(nil); !errors.As(err, &failed) || failed.Call != "MPI_Recv" || !strings.Contains(strings.ToLower(failed.Text), "message truncated") || strings.Contains(failed.Text, "\n") {
		return fmt.Errorf("a longer message: %v", err)
	}
	return nil
}

func abort(w *World) error {
	if w.Rank == 1 {
		w.Abort(3)
	}
	return wait(w.Barrier())
}

// version wants one line of text, in which MPICH's has a tab.
func version(w *World) error {
	if _, v := w.Library(); v == "" || strings.ContainsFunc(v, unicode.IsControl) {
		return fmt.Errorf("the version is %q", v)
	}
	return nil
}

func TestParts(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		for part, sizes := range map[string][]int{
			"collectives": {1, 3}, "messages": {1, 3}, "split": {4}, "pieces": {2}, "nil": {2}, "signals": {1}, "version": {1}, "again": {1}, "wrong": {2},
		} {
			for _, n := range sizes {
				if r := l.Run(t, n, part); r.Code != 0 {
					t.Errorf("%s, %d processes: exit %d\n%s\n%s", part, n, r.Code, r.Stdout, r.Stderr)
				}
			}
		}
	})
}

func TestAbort(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		for part, code := range map[string]int{"abort": 3, "late": 75} {
			if r := l.Run(t, 2, part); r.Code != code {
				t.Errorf("%s: exit %d, want %d\n%s\n%s", part, r.Code, code, r.Stdout, r.Stderr)
			}
		}
	})
}

// TestEndBeforeContext: what the worker has done has ended, also for a wait whose context has ended too.
func TestEndBeforeContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := &Request{job: func() error { return nil }, done: make(chan struct{})}
	r.end(nil)
	close(r.done)
	for range 100 { // a select takes one of both
		if err := r.Wait(ctx, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoLibrary(t *testing.T) {
	t.Setenv("CRESSET_MPI", os.DevNull)
	if _, err := Init(Candidates()...); err == nil || !strings.HasPrefix(err.Error(), "found no MPI library:\nopen /dev/null") {
		t.Error(err)
	}
}
