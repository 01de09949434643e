package tour

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// Descriptions of the machines that steps ask for.
//
//go:embed machines/*.json
var machines embed.FS

// Argument asks the command to perform a step in its own process: cresset tour --perform deviceNames.
const Argument = "--perform"

// Guide runs steps, each in a process of its own.
type Guide struct {
	folder string // where steps run: the machines' descriptions, and the command under its usual name
}

// Outcome is what became of a step.
type Outcome struct {
	Output    string
	Variables []string // the environment that it got besides this process's own
	Simulated bool     // whether it ran on simulated GPUs
	Err       error    // the step did not come to its end
}

// Open returns a guide, which must be closed.
func Open() (*Guide, error) {
	folder, err := os.MkdirTemp("", "cresset-tour-")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the folder for temporary files, %s, is not there: let TMPDIR name one that is", os.TempDir())
	}
	if err != nil {
		return nil, err
	}
	g := &Guide{folder}
	if err := g.fill(); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// Close removes what the guide has put into the folder for temporary files.
func (g *Guide) Close() error { return os.RemoveAll(g.folder) }

// fill puts the machines and the command into the guide's folder.
func (g *Guide) fill() error {
	files, err := fs.Sub(machines, "machines")
	if err != nil {
		return err
	}
	if err := os.CopyFS(g.folder, files); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Symlink(program, g.command()); err != nil {
		return duplicate(program, g.command()) // Windows lets few users make links
	}
	return nil
}

// command is the path of the command in the guide's folder.
func (g *Guide) command() string {
	name := "cresset"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(g.folder, name)
}

func duplicate(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

// Run runs steps, several at once, and yields what became of each, in order.
func (g *Guide) Run(ctx context.Context, steps []Step) iter.Seq2[Step, Outcome] {
	return func(yield func(Step, Outcome) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var team sync.WaitGroup
		defer team.Wait()
		defer cancel()
		done := make([]chan Outcome, len(steps))
		turns := make(chan struct{}, runtime.GOMAXPROCS(0))
		for i, s := range steps {
			done[i] = make(chan Outcome, 1)
			s.Needs.Here() // which is not for many goroutines to find out at once
		}
		team.Go(func() {
			for i, s := range steps {
				turns <- struct{}{}
				team.Go(func() {
					done[i] <- g.run(ctx, s)
					<-turns
				})
			}
		})
		for i, s := range steps {
			if !yield(s, <-done[i]) {
				return
			}
		}
	}
}

// run runs a step.
func (g *Guide) run(ctx context.Context, s Step) Outcome {
	call := exec.CommandContext(ctx, g.command(), "tour", Argument, s.Name())
	switch {
	case s.Do == nil:
		call = g.shell(ctx, s.Shell)
	case s.Needs.Ranks > 0:
		call = exec.CommandContext(ctx, g.command(), "launch", "-n", strconv.Itoa(s.Needs.Ranks), g.command(), "tour", Argument, s.Name())
	}
	state, err := os.MkdirTemp(g.folder, "state-") // a simulated machine of its own
	if err != nil {
		return Outcome{Err: err}
	}
	path := g.folder + string(os.PathListSeparator) + os.Getenv("PATH")
	call.Dir = g.folder
	call.Env = append(s.Needs.environ(), "PATH="+path, "CRESSET_SIM_STATE="+state)
	var out, complaints bytes.Buffer
	call.Stdout, call.Stderr = &out, &complaints
	err = call.Run()
	if ctx.Err() != nil {
		return Outcome{Err: ctx.Err()}
	}
	if err != nil {
		err = fmt.Errorf("the step %s failed: %w\n%s", s.Name(), err, strings.TrimSpace(complaints.String()))
	}
	return Outcome{Output: out.String(), Variables: s.Needs.Variables(), Simulated: s.Needs.Simulates(), Err: err}
}

// shell returns the call of a line, which needs a shell only if it is more than one command.
func (g *Guide) shell(ctx context.Context, line string) *exec.Cmd {
	words := strings.Fields(line)
	if strings.ContainsAny(line, "|$;&><'\"") || words[0] != "cresset" {
		return exec.CommandContext(ctx, "sh", "-c", line)
	}
	return exec.CommandContext(ctx, g.command(), words[1:]...)
}
