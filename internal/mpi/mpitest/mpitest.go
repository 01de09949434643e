// Package mpitest runs a test binary under the MPI launchers of the machine: a test starts processes of itself, in which TestMain runs what
// the test names.
package mpitest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Variable names the part that a process runs.
const Variable = "CRESSET_MPITEST"

// Main runs the tests, or in a process that a launcher has started the part that the test has named, and returns the code to exit with.
func Main(m *testing.M, errs io.Writer, parts map[string]func() error) int {
	name, launched := os.LookupEnv(Variable)
	if !launched {
		return m.Run()
	}
	if err := parts[name](); err != nil {
		fmt.Fprintf(errs, "%s: %v\n", name, err)
		return 1
	}
	return 0
}

// A Launcher starts processes of an MPI family.
type Launcher struct {
	Name, path string
	hosts      *Hosts // nil for this machine
	forgiving  bool
}

// Each runs test for every launcher that is found, as a subtest, and skips where there is none.
func Each(t *testing.T, test func(t *testing.T, l Launcher)) {
	found := 0
	for _, l := range []Launcher{{Name: "openmpi", path: "mpirun.openmpi"}, {Name: "mpich", path: "mpirun.mpich"}} {
		path, err := exec.LookPath(l.path)
		if err != nil {
			continue
		}
		found++
		t.Run(l.Name, func(t *testing.T) { test(t, Launcher{Name: l.Name, path: path}) })
	}
	if found == 0 {
		t.Skip("there is neither mpirun.openmpi nor mpirun.mpich")
	}
}

// A Result is how a launch ended.
type Result struct {
	Stdout, Stderr string
	Code           int // of the launcher's exit
}

// Command returns one that starts n processes of a program with further variables.
func (l Launcher) Command(ctx context.Context, n int, env []string, program string, args ...string) *exec.Cmd {
	args = append([]string{"-np", strconv.Itoa(n), program}, args...)
	path := l.path
	if l.forgiving {
		args = append([]string{"-disable-auto-cleanup"}, args...)
	}
	if l.hosts != nil {
		path, args = l.hosts.across(l, n, env, args)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(),
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1",
		"OMPI_MCA_hwloc_base_binding_policy=none", "OMPI_MCA_mpi_yield_when_idle=1")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// Forgiving returns the launcher, where it can, as one that leaves the other processes alone when one has ended.
func (l Launcher) Forgiving() (Launcher, bool) {
	l.forgiving = true
	return l, l.Name == "mpich"
}

// grace is how long a launcher has to end by itself.
const grace = 3 * time.Second

// A teller tells when a text has been written.
type teller struct {
	all  bytes.Buffer
	text string
	tell func()
	told bool
}

// Write keeps what a process prints.
func (w *teller) Write(b []byte) (int, error) {
	n, err := w.all.Write(b)
	if !w.told && w.text != "" && strings.Contains(w.all.String(), w.text) {
		w.told = true
		w.tell()
	}
	return n, err
}

// limit ends a launch that hangs: a fault, whose output the test shows.
const limit = 2 * time.Minute

// Run starts n processes that run a part, with further variables, and waits for their end.
func (l Launcher) Run(t *testing.T, n int, part string, env ...string) Result {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return l.RunUntil(t, "", n, append(env, Variable+"="+part), exe)
}

// RunUntil starts n processes of a program that may not end by themselves: a launcher does not where a host cannot be reached any more. A few seconds after a text has been printed, by whatever stream, it is killed.
func (l Launcher) RunUntil(t *testing.T, text string, n int, env []string, program string, args ...string) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := l.Command(ctx, n, env, program, args...)
	tell := func() { time.AfterFunc(grace, func() { _ = cmd.Process.Kill() }) }
	out, errs := &teller{text: text, tell: tell}, &teller{text: text, tell: tell}
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.WaitDelay = grace
	err := cmd.Run()
	r := Result{strings.TrimSpace(out.all.String()), strings.TrimSpace(errs.all.String()), cmd.ProcessState.ExitCode()}
	if ctx.Err() != nil {
		t.Fatalf("%s -np %d has not ended after %v: %v\n%s\n%s", l.Name, n, limit, err, r.Stdout, r.Stderr)
	}
	return r
}
