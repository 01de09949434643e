package dist

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
)

// TestStoppedRanksAreNamed: where the library is stuck and tells nothing, a rank of this machine that is stopped is named.
func TestStoppedRanksAreNamed(t *testing.T) {
	child := exec.Command("cat")
	if _, err := child.StdinPipe(); err != nil { // from which nothing comes
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Wait() }()
	defer func() { _ = child.Process.Kill() }()
	if err := child.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(child.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("status %x, %v", status, err)
	}
	g := &Group{size: 3, pids: []int{os.Getpid(), child.Process.Pid, 0}, elsewhere: []int{2}}
	if late := g.roll.late(g, 1); !slices.Equal(late, []int{1}) {
		t.Errorf("got %v", late)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g.engine = unleft{}
	if late, ok := errors.AsType[*TimeoutError](g.Close(ctx)); !ok || !slices.Equal(late.Missing, []int{1}) {
		t.Errorf("Close: got %v", late)
	}
	g.pids = nil
	if late := g.roll.late(g, 1); !slices.Equal(late, []int{2}) {
		t.Errorf("without a look at processes: got %v", late)
	}
}

// unleft is an engine that other ranks do not leave.
type unleft struct{ engine }

func (unleft) close(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}
