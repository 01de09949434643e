// Package cli is the cresset command: one file per subcommand.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"cresset/internal/cli/flags"
	"cresset/nn"
	"cresset/tensor"
)

// Exit codes of the command.
const (
	exitOK          = 0
	exitFailed      = 1   // what was asked for could not be done
	exitUsage       = 2   // the command line is wrong
	exitInterrupted = 130 // stopped by Ctrl-C after it had printed its summary
	exitTerminated  = 143 // stopped by SIGTERM likewise, where the command tells them apart
)

// command is what package flags reads the arguments into.
type command interface{ Run(*session) error }

// commands returns the subcommands, without arguments.
func commands() []flags.Command {
	return []flags.Command{
		{Name: "train", Help: "Train a model and judge it.", Into: &trainCommand{}},
		{Name: "predict", Help: "Judge pictures by a trained model.", Into: &predictCommand{}},
		{Name: "generate", Help: "Write on from a text by a language model.", Into: &generateCommand{}},
		{Name: "serve", Help: "Answer requests for texts over HTTP.", Into: &serveCommand{}},
		{Name: "devices", Help: "List the devices that can compute.", Into: &devicesCommand{}},
		{Name: "smi", Help: "Show the GPUs in the machine, as nvidia-smi does.", Into: &smiCommand{}},
		{Name: "pick", Help: "Print the best GPUs for CUDA_VISIBLE_DEVICES.", Into: &pickCommand{}},
		{Name: "top", Help: "Watch the GPUs and the programs that use them.", Into: &topCommand{}},
		{Name: "run", Help: "Run a command on the best GPUs and keep them for it.", Into: &runCommand{}},
		{Name: "launch", Help: "Run a command as the ranks of a job, as torchrun does.", Into: &launchCommand{}},
		{Name: "tour", Help: "Walk through GPU computing, step by step, with code that runs.", Into: &tourCommand{}},
		{Name: "bench", Help: "Time what programs of tensors spend their time on.", Into: &benchCommand{}},
		{Name: "inspect", Help: "List what is in a checkpoint.", Into: &inspectCommand{}},
		{Name: "convert", Help: "Write a checkpoint in another format.", Into: &convertCommand{}},
		{Name: "diff", Help: "Compare two checkpoints.", Into: &diffCommand{}},
		{Name: "doctor", Help: "Tell what GPUs need and what is missing.", Into: &doctorCommand{}},
		{Name: "version", Help: "Print versions.", Into: &versionCommand{}},
		{Name: "keep", Into: &keepCommand{}},
	}
}

const description = `Tensors, gradients and models on devices, in Go.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.`

// session is what a subcommand sees of the outside.
type session struct {
	ctx    context.Context
	stdout io.Writer
	stderr io.Writer
}

// Run runs the command with the given arguments and returns its exit code.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	all := commands()
	s := &session{ctx: ctx, stdout: stdout, stderr: stderr}
	if len(args) > 0 && args[0] == "smi" {
		if name, ok := lacks(args[1:]); ok {
			return report(stderr, s.misused("nvidia-smi's "+name+" is not supported", usageHint("smi")))
		}
	}
	chosen, help, err := flags.Parse(all, usual(args))
	wrong, isWrong := errors.AsType[*flags.Error](err)
	switch {
	case isWrong:
		return report(stderr, s.misused(err.Error(), usageHint(wrong.Command)))
	case help && chosen == nil:
		return report(stderr, writeText(stdout, flags.Usage("cresset", description, all)))
	case help:
		return report(stderr, writeText(stdout, chosen.Usage("cresset")))
	}
	if failed := tensor.Try(func() { err = chosen.Into.(command).Run(s) }); failed != nil {
		err = failed
	}
	return report(stderr, err)
}

func writeText(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

// stickyWriter is a writer that remembers its first error.
type stickyWriter struct {
	io.Writer
	err error
}

// Write writes p.
func (s *stickyWriter) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	s.err = cmp.Or(s.err, err)
	return n, err
}

// usual takes --version for the command, and nvidia-smi's flags for those of smi.
func usual(args []string) []string {
	switch {
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	case len(args) > 0 && args[0] == "smi":
		return nvidiaFlags(args)
	}
	return args
}

// usageHint names the help that knows better.
func usageHint(command string) string {
	if command != "" {
		return "cresset " + command + " --help lists the flags"
	}
	return "cresset --help lists the commands"
}

// misused says what is wrong with the command line, beyond what its grammar tells.
func (s *session) misused(problem, hint string) error {
	fmt.Fprintf(s.stderr, "cresset: %s\nhint: %s\n", problem, hint)
	return exitCode(exitUsage)
}

// exitCode ends the command when all has been said.
type exitCode int

// Error returns the code.
func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// hintOf returns what an error says would help; "" where it knows nothing.
func hintOf(err error) string {
	type hinter interface {
		error
		Hint() string
	}
	if h, ok := errors.AsType[hinter](err); ok {
		return h.Hint()
	}
	return ""
}

// report prints an error and its hint, and returns the exit code.
func report(stderr io.Writer, err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	if said, ok := errors.AsType[exitCode](err); ok {
		return int(said)
	}
	fmt.Fprintf(stderr, "cresset: %s\n", printable(oneLine(err)))
	if hint := hintOf(err); hint != "" {
		fmt.Fprintf(stderr, "hint: %s\n", hint)
	}
	return exitFailed
}

// oneLine returns the text of an error. PyTorch's texts go on with advice for Python, but for those of states, which list the keys.
func oneLine(err error) string {
	var state *nn.StateError
	if errors.As(err, &state) {
		return strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n\t", " ")
	}
	return firstLine(err.Error())
}

// advice is an error with one more hint.
type advice struct {
	error
	hint string
}

// Hint says what would help: what the error itself knows, then the advice.
func (a *advice) Hint() string {
	if hint := hintOf(a.error); hint != "" {
		return hint + "\nhint: " + a.hint
	}
	return a.hint
}

// Unwrap returns the error.
func (a *advice) Unwrap() error { return a.error }
