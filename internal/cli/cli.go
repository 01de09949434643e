// Package cli is the cresset command: one file per subcommand.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"cresset/tensor"
)

// Exit codes of the command.
const (
	exitOK          = 0
	exitFailed      = 1   // what was asked for could not be done
	exitUsage       = 2   // the command line is wrong
	exitInterrupted = 130 // stopped by Ctrl-C after it had printed its summary
)

type commands struct {
	Train   trainCommand   `cmd:"" help:"Train a model and judge it."`
	Devices devicesCommand `cmd:"" help:"List the devices that can compute."`
	SMI     smiCommand     `cmd:"" name:"smi" help:"Show the GPUs in the machine, as nvidia-smi does."`
	Pick    pickCommand    `cmd:"" help:"Print the best GPUs for CUDA_VISIBLE_DEVICES."`
	Top     topCommand     `cmd:"" help:"Watch the GPUs and the programs that use them."`
	Run     runCommand     `cmd:"" help:"Run a command on the best GPUs and keep them for it."`
	Tour    tourCommand    `cmd:"" help:"Walk through GPU computing, step by step, with code that runs."`
	Bench   benchCommand   `cmd:"" help:"Time what programs of tensors spend their time on."`
	Doctor  doctorCommand  `cmd:"" help:"Tell what GPUs need and what is missing."`
	Version versionCommand `cmd:"" help:"Print versions."`
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
	var c commands
	helped := false
	help := &attentive{Writer: stdout}
	parser, err := kong.New(&c,
		kong.Name("cresset"), kong.Description(description), kong.Writers(help, stderr),
		kong.Exit(func(int) { helped = true }), // kong asks for it after --help
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		panic(err) // a mistake in the tags above
	}
	parsed, err := parser.Parse(usual(args))
	if help.err != nil { // kong takes it for wrong usage, or for nothing
		return report(stderr, help.err)
	}
	if helped {
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(stderr, "cresset: %v\nhint: %s\n", err, usageHint(err))
		return exitUsage
	}
	s := &session{ctx: ctx, stdout: stdout, stderr: stderr}
	if failed := tensor.Try(func() { err = parsed.Run(s) }); failed != nil {
		err = failed
	}
	return report(stderr, err)
}

// attentive is a writer that remembers its first error.
type attentive struct {
	io.Writer
	err error
}

// Write writes p.
func (a *attentive) Write(p []byte) (int, error) {
	n, err := a.Writer.Write(p)
	if a.err == nil {
		a.err = err
	}
	return n, err
}

// usual spells arguments as kong wants them: nothing asks for help, --version is a command, and a negative number that
// follows a flag is its value.
func usual(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	case args[0] == "run": // most of them are another command's
		return args
	case args[0] == "smi":
		args = nvidiaFlags(args)
	}
	var out []string
	for _, a := range args {
		last := len(out) - 1
		if last >= 0 && isNegative(a) && strings.HasPrefix(out[last], "--") && !strings.Contains(out[last], "=") {
			out[last] += "=" + a
			continue
		}
		out = append(out, a)
	}
	return out
}

func isNegative(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && (arg[1] == '.' || '0' <= arg[1] && arg[1] <= '9')
}

// usageHint names the help of the subcommand that was called wrongly.
func usageHint(err error) string {
	var p *kong.ParseError
	if errors.As(err, &p) && p.Context.Selected() != nil {
		return p.Context.Selected().FullPath() + " --help lists the flags"
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

// hinter is an error that knows what would help.
type hinter interface{ Hint() string }

// report prints an error and its hint, and returns the exit code.
func report(stderr io.Writer, err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	var said exitCode
	if errors.As(err, &said) {
		return int(said)
	}
	fmt.Fprintf(stderr, "cresset: %s\n", firstLine(err.Error())) // PyTorch's texts go on with advice for Python
	var h hinter
	if errors.As(err, &h) && h.Hint() != "" {
		fmt.Fprintf(stderr, "hint: %s\n", h.Hint())
	}
	return exitFailed
}

// advice is an error with one more hint.
type advice struct {
	error
	hint string
}

// Hint says what would help: what the error itself knows, then the advice.
func (a *advice) Hint() string {
	var h hinter
	if errors.As(a.error, &h) && h.Hint() != "" {
		return h.Hint() + "\nhint: " + a.hint
	}
	return a.hint
}

// Unwrap returns the error.
func (a *advice) Unwrap() error { return a.error }
