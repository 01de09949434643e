package cli

import (
	"io"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFirstFailureIsNamed: of two ranks the one that has ended first comes first, also where the launcher hears of the other one before.
func TestFirstFailureIsNamed(t *testing.T) {
	w := &watch{order: newOrder(), heard: make(map[int]*failure)}
	defer w.order.close()
	ends := make([]func(), 2) // a rank, which is a zombie then
	for rank := range ends {
		c := exec.Command("cat")
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		w.order.watch(c.Process, rank)
		defer func() { _ = c.Wait() }()
		ends[rank] = func() { end(t, in, c.Process.Pid) }
	}
	ends[1]()
	ends[0]()
	if ready := w.inOrder(&failure{rank: 0}); len(ready) > 0 {
		t.Errorf("rank %d comes before rank 1", ready[0].rank)
	}
	if ready := w.inOrder(&failure{rank: 1}); len(ready) != 2 || ready[0].rank != 1 || ready[1].rank != 0 {
		t.Errorf("%d ranks are ready: %v", len(ready), ready)
	}
}

// end closes a process's input and waits until it has ended, without taking its state away.
func end(t *testing.T, in io.Closer, pid int) {
	t.Helper()
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	for {
		switch err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err {
		case nil:
			return
		case unix.EINTR:
		default:
			t.Fatal(err)
		}
	}
}
