//go:build unix

package cli

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"cresset/internal/race"
)

// machineForTest returns an environment with a simulated machine of eight GPUs that the test's programs alone share.
func machineForTest(t *testing.T, dir string) []string {
	t.Helper()
	return append(os.Environ(), "CRESSET_SIM=h200:8", "CRESSET_SIM_STATE="+filepath.Join(dir, "state"))
}

// TestRunsShareNothing starts many commands for eight GPUs, kills some of them, and lets each other one make sure that
// it has its GPU alone.
func TestRunsShareNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector sees into one process, and these meet at files")
	}
	const runs, killed = 50, 8
	dir := t.TempDir()
	env := machineForTest(t, dir)
	var holders []*exec.Cmd
	for i := range killed { // every GPU has a holder when the storm begins
		held := filepath.Join(dir, fmt.Sprint("held", i))
		c := exec.Command("cresset", "run", "--", "sh", "-c", `touch "$0"; exec sleep 100`, held)
		c.Env = env
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Process.Kill(); c.Wait() })
		waitForFile(t, held)
		holders = append(holders, c)
	}
	var all sync.WaitGroup
	for range runs {
		all.Go(func() {
			c := exec.Command("cresset", "run", "--wait", "1m", "--", "sh", "-c",
				`mkdir "$CUDA_VISIBLE_DEVICES" && echo x >>runs && sleep 0.01 && rmdir "$CUDA_VISIBLE_DEVICES"`)
			c.Env, c.Dir = env, dir
			if text, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
	for _, c := range holders {
		time.Sleep(20 * time.Millisecond)
		c.Process.Signal(syscall.SIGKILL)
	}
	all.Wait()
	if text, _ := os.ReadFile(filepath.Join(dir, "runs")); len(text) != 2*runs {
		t.Errorf("%d commands ran, want %d", len(text)/2, runs)
	}
	c := exec.Command("cresset", "pick", "-n", "8")
	c.Env = env
	if text, err := c.CombinedOutput(); err != nil {
		t.Errorf("afterwards: %v: %s", err, text)
	}
}

func waitForFile(t *testing.T, path string) {
	t.Helper()
	for range 2000 {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%s does not come", path)
}

// TestRunInterrupted: an interrupt while it waits ends it as it does pick.
func TestRunInterrupted(t *testing.T) {
	dir := t.TempDir()
	c := exec.Command("cresset", "run", "-n", "9", "--wait", "1m", "--", "touch", filepath.Join(dir, "ran"))
	c.Env = machineForTest(t, dir)
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stderr).ReadString('\n'); err != nil { // it has looked once
		t.Fatal(err)
	}
	c.Process.Signal(os.Interrupt)
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the command ran")
	}
}
