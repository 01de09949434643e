package dist_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"cresset/dist"
	"cresset/tensor"
)

// ranks starts n processes of a part with the variables of torchrun, and returns their commands. A rank's output is in its Stdout.
func ranks(t *testing.T, n int, part string, env func(rank int) []string) []*exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]*exec.Cmd, n)
	for rank := range all {
		c := exec.CommandContext(t.Context(), exe)
		c.Env = append(os.Environ(), "CRESSET_MPITEST="+part, "RANK="+strconv.Itoa(rank), "WORLD_SIZE="+strconv.Itoa(n), "LOCAL_WORLD_SIZE="+strconv.Itoa(n),
			"MASTER_ADDR=127.0.0.1", "MASTER_PORT=29500", "TORCHELASTIC_RUN_ID="+t.Name()+strconv.Itoa(os.Getpid()))
		if env != nil {
			c.Env = append(c.Env, env(rank)...)
		}
		var out strings.Builder
		c.Stdout, c.Stderr = &out, &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		all[rank] = c
	}
	return all
}

// ends waits for processes and returns what they printed.
func ends(ranks []*exec.Cmd) []string {
	all := make([]string, len(ranks))
	for rank, c := range ranks {
		err := c.Wait()
		all[rank] = fmt.Sprint(c.Stdout)
		if err != nil {
			all[rank] += err.Error()
		}
	}
	return all
}

// TestProcesses has processes of one machine do what every engine does.
func TestProcesses(t *testing.T) {
	for part, n := range map[string]int{"processes": 3, "mismatch": 2} {
		for rank, said := range ends(ranks(t, n, part, nil)) {
			if said != "" {
				t.Errorf("%s, rank %d of %d: %s", part, rank, n, said)
			}
		}
	}
}

// dies has rank 1's process end in the midst of the job; all others learn which it was, and not before it has: a launcher names the one that has ended first.
func dies(g *dist.Group) error {
	pid, err := g.AllGatherBytes(ctx, []byte(strconv.Itoa(os.Getpid())))
	if err != nil {
		return err
	}
	if g.Rank() == 1 {
		os.Exit(3)
	}
	err = g.AllReduce(tensor.Zeros(1), dist.Sum).Wait(ctx)
	var gone *dist.RankError
	if !errors.As(err, &gone) || gone.Rank != 1 || err.Error() != "rank 1: its process has ended" {
		return fmt.Errorf("got %v", err)
	}
	if n, err := strconv.Atoi(string(pid[1])); err != nil || runtime.GOOS == "linux" && !dist.Ended(n) {
		return fmt.Errorf("rank 1's process %s has not ended yet: %v", pid[1], err)
	}
	return nil
}

// hangs has the rank in HANGS do something else; the other says so by the deadline.
func hangs(g *dist.Group) error {
	hanging, other := os.Getenv("HANGS"), 1-g.Rank()
	if hanging == strconv.Itoa(g.Rank()) {
		err := g.Receive(tensor.Zeros(1), other, 7).Wait(ctx) // until the other has seen enough
		if want := fmt.Sprintf("rank %d: has left the group", other); err == nil || err.Error() != want {
			return fmt.Errorf("got %v", err)
		}
		return nil
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	w := g.AllReduce(tensor.Zeros(1), dist.Sum)
	err := w.Wait(short)
	if again := w.Wait(ctx); again != err {
		return fmt.Errorf("another Wait: %v, the first: %w", again, err)
	}
	var late *dist.TimeoutError
	if !errors.As(err, &late) || !strings.HasSuffix(err.Error(), "; rank "+hanging+" has not called it") {
		return fmt.Errorf("got %v", err)
	}
	return nil
}

// TestProcessFails: rank 0 and another see a process end, or hang.
func TestProcessFails(t *testing.T) {
	for range 5 {
		for rank, said := range ends(ranks(t, 3, "dies", nil)) {
			if want := map[bool]string{true: "exit status 3"}[rank == 1]; said != want {
				t.Errorf("dies, rank %d: %s", rank, said)
			}
		}
	}
	for hanging := range 2 {
		for rank, said := range ends(ranks(t, 2, "hangs", func(int) []string { return []string{"HANGS=" + strconv.Itoa(hanging)} })) {
			if said != "" {
				t.Errorf("rank %d hangs, rank %d: %s", hanging, rank, said)
			}
		}
	}
}

// TestProcessesDiffer: a rank that was told of another job is named before anything is computed, and so is one of another version, or that does not come.
func TestProcessesDiffer(t *testing.T) {
	const absent = "rank 1: has not come: context deadline exceeded"
	for want, env := range map[string]func(rank int) []string{
		"rank 1: was told of 3 ranks, rank 0 of 2": func(rank int) []string {
			if rank == 1 {
				return []string{"WORLD_SIZE=3", "LOCAL_WORLD_SIZE=3"}
			}
			return nil
		},
		absent: func(rank int) []string {
			if rank == 1 {
				return []string{"RANK=x"}
			}
			return nil
		},
		"rank 1: is of another version of cresset: it speaks protocol 1, rank 0 speaks 2": func(rank int) []string {
			if rank == 1 {
				return []string{spoken + "=1"}
			}
			return nil
		},
	} {
		part := "processes" // which nobody waits for
		if want == absent {
			part = "brief"
		}
		said := ends(ranks(t, 2, part, env))
		if !strings.Contains(said[0], want) || !strings.Contains(said[1], "exit status 1") {
			t.Errorf("want %q, got %q", want, said)
		}
	}
}

// twice wants an error of a second Init, while the group is open and when it is closed.
func twice(g *dist.Group) error {
	again := func(when string) error {
		_, err := dist.Init(ctx, dist.Timeout(time.Minute))
		if err == nil || !strings.HasPrefix(err.Error(), "a process joins ") || !strings.HasSuffix(err.Error(), " once") {
			return fmt.Errorf("%s: got %v", when, err)
		}
		return nil
	}
	return errors.Join(again("open"), g.Close(ctx), again("closed"))
}

func TestProcessJoinsOnce(t *testing.T) {
	for rank, said := range ends(ranks(t, 2, "twice", nil)) {
		if said != "" {
			t.Errorf("rank %d: %s", rank, said)
		}
	}
}
