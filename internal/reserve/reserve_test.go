package reserve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cresset/internal/filelock"
	"cresset/internal/hardware"
	"cresset/internal/tenants"
)

// role is set in processes that the tests start: take holds GPU-1, bequeath starts a program that does.
const role = "CRESSET_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "wait":
	case "take":
		_, err := take("GPU-1")
		fmt.Println("took", err)
	case "bequeath":
		r, err := take("GPU-1")
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), role+"=wait")
		c.Stdin = os.Stdin
		fmt.Println("took", errors.Join(err, r.Pass(c), c.Start()))
	}
	bufio.NewReader(os.Stdin).ReadByte() // until the test ends it
}

// take reserves the GPUs with the given UUIDs.
func take(uuids ...string) (*Reservation, error) {
	return Take(context.Background(), Holder{PID: os.Getpid(), Name: "tester"}, uuids, func(held map[string]Holder) ([]string, error) {
		if len(held) > 0 {
			return nil, fmt.Errorf("held: %v", held)
		}
		return uuids, nil
	})
}

// alone gives the test a simulated machine, and returns the folder of its locks.
func alone(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	if err := os.Chmod(base, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(tenants.Variable, base)
	t.Setenv(hardware.Variable, "8")
	machine, err := tenants.Folder("8")
	if err != nil {
		t.Fatal(err)
	}
	return machine + ".locks"
}

func mustTake(t *testing.T, uuids ...string) *Reservation {
	t.Helper()
	r, err := take(uuids...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Release() })
	return r
}

func held(t *testing.T, uuids ...string) map[string]Holder {
	t.Helper()
	who, err := Held(context.Background(), uuids)
	if err != nil {
		t.Fatal(err)
	}
	return who
}

// start starts this program in a role, with the pipe that keeps it.
func start(t *testing.T, as string) (c *exec.Cmd, stop func()) {
	t.Helper()
	c = exec.Command(os.Args[0])
	c.Env = append(os.Environ(), role+"="+as)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); c.Process.Kill(); c.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "took <nil>\n" {
		t.Fatalf("the other program: %q, %v", line, err)
	}
	return c, func() { in.Close() }
}

func TestReservation(t *testing.T) {
	dir := alone(t)
	if who := held(t, "GPU-1"); len(who) != 0 {
		t.Errorf("before all: got %v", who)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a look has made a folder")
	}
	r := mustTake(t, "GPU-1", "GPU-2")
	me := Holder{PID: os.Getpid(), Name: "tester"}
	if who := held(t, "GPU-1", "GPU-2", "GPU-3"); len(who) != 2 || who["GPU-1"] != me || who["GPU-2"] != me {
		t.Errorf("taken: got %v", who)
	}
	if _, err := take("GPU-2", "GPU-3"); err == nil || !strings.Contains(err.Error(), "tester") {
		t.Errorf("taken twice: got %v", err)
	}
	if who := held(t, "GPU-3"); len(who) != 0 {
		t.Errorf("one that was to be had with one that was not: got %v", who)
	}
	if err := r.Describe(Holder{PID: 7, Name: strings.Repeat("ä", maxName)}); err != nil {
		t.Fatal(err)
	}
	if who := held(t, "GPU-1")["GPU-1"]; who.PID != 7 || who.Name != strings.Repeat("ä", maxName/2) {
		t.Errorf("described anew: got %v", who)
	}
	if err := errors.Join(r.Release(), r.Release()); err != nil {
		t.Error(err)
	}
	if who := held(t, "GPU-1", "GPU-2"); len(who) != 0 {
		t.Errorf("released: got %v", who)
	}
}

// TestNoHandle: a GPU stays reserved though nothing in the program names the reservation any more.
func TestNoHandle(t *testing.T) {
	alone(t)
	if _, err := take("GPU-1"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		runtime.GC()
	}
	if len(held(t, "GPU-1")) != 1 {
		t.Error("the collector has released it")
	}
	kept.Range(func(r, _ any) bool { r.(*Reservation).Release(); return true })
}

func TestKilledHolder(t *testing.T) {
	alone(t)
	c, _ := start(t, "take")
	if who := held(t, "GPU-1")["GPU-1"]; who.PID != c.Process.Pid {
		t.Fatalf("got %v, want pid %d", who, c.Process.Pid)
	}
	c.Process.Kill()
	c.Wait()
	if who := held(t, "GPU-1"); len(who) != 0 {
		t.Errorf("got %v", who)
	}
	mustTake(t, "GPU-1")
}

// TestHeir: a GPU stays reserved while a program runs that was started with it, though the one that has reserved it was
// killed.
func TestHeir(t *testing.T) {
	alone(t)
	c, stop := start(t, "bequeath")
	c.Process.Kill()
	c.Process.Wait() // not c.Wait, which closes the pipe
	if len(held(t, "GPU-1")) != 1 {
		t.Error("it is free while the heir runs")
	}
	stop()
	for range 1000 {
		if len(held(t, "GPU-1")) == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("it is reserved though the heir has ended")
}

// TestRace: many choose at once, and no GPU has two holders.
func TestRace(t *testing.T) {
	alone(t)
	gpus := []string{"GPU-1", "GPU-2", "GPU-3"}
	var holders [3]atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				var mine []string
				r, err := Take(context.Background(), Holder{PID: 1, Name: "x"}, gpus, func(held map[string]Holder) ([]string, error) {
					mine = slices.DeleteFunc(slices.Clone(gpus), func(g string) bool { _, taken := held[g]; return taken })
					mine = mine[:min(2, len(mine))]
					return mine, nil
				})
				if err != nil {
					t.Error(err)
					return
				}
				for _, g := range mine {
					if n := holders[slices.Index(gpus, g)].Add(1); n != 1 {
						t.Errorf("%s has %d holders", g, n)
					}
				}
				runtime.Gosched()
				for _, g := range mine {
					holders[slices.Index(gpus, g)].Add(-1)
				}
				if err := r.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if who := held(t, gpus...); len(who) != 0 {
		t.Errorf("left: %v", who)
	}
}

// TestFiles: what a file says of its holder counts while it is locked, and then only if it makes sense.
func TestFiles(t *testing.T) {
	dir := alone(t)
	r := mustTake(t, "GPU-1")
	for what, text := range map[string]string{
		"empty": "", "half written": `{"pid":7,"na`, "not ended": `{"pid":7,"name":"x"}`, "a list": "[]\n", "nobody": `{"pid":0}` + "\n",
		"endless": strings.Repeat(" ", maxLine) + "\n", "a long name": fmt.Sprintf("{\"pid\":7,\"name\":%q}\n", strings.Repeat("x", maxName+1)),
	} {
		f := r.locks[0]
		if err := f.Truncate(0); err != nil {
			t.Fatal(err)
		}
		f.WriteAt([]byte(text), 0)
		if who, ok := held(t, "GPU-1")["GPU-1"]; !ok || who != (Holder{}) {
			t.Errorf("%s: got %v, %v", what, who, ok)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "GPU-2.lock"), []byte(`{"pid":1,"name":"dead"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if who := held(t, "GPU-2"); len(who) != 0 {
		t.Errorf("left over: got %v", who)
	}
	mustTake(t, "GPU-2")
	mustTake(t, "../../GPU-3", `..\GPU-3`, "..")
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 6 {
		t.Errorf("got %v", files)
	}
}

// TestStopped: a program that is stopped while it chooses does not hang others for ever.
func TestStopped(t *testing.T) {
	dir := alone(t)
	mustTake(t, "GPU-1")
	entered, taken, err := filelock.Lock(filepath.Join(dir, gate), false)
	if err != nil || taken {
		t.Fatal(taken, err)
	}
	defer filelock.Unlock(entered)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := Held(ctx, []string{"GPU-1"}); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), entered.Name()) {
		t.Errorf("got %v", err)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Take(canceled, Holder{}, []string{"GPU-2"}, nil); err != context.Canceled {
		t.Errorf("interrupted: got %v", err)
	}
}
