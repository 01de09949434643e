// Package cli is the cresset command: one file per subcommand.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

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
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	var c commands
	parser, err := kong.New(&c,
		kong.Name("cresset"), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exit(code)) }), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		panic(err) // a mistake in the tags above
	}
	defer func() {
		if e, ok := recover().(exit); ok {
			code = int(e)
		}
	}()
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "cresset: %v\nhint: cresset --help lists the commands, cresset COMMAND --help the flags\n", err)
		return exitUsage
	}
	s := &session{ctx: ctx, stdout: stdout, stderr: stderr}
	if failed := tensor.Try(func() { err = parsed.Run(s) }); failed != nil {
		err = failed
	}
	return report(stderr, err)
}

// exit carries the exit code of --help past kong.
type exit int

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
	fmt.Fprintf(stderr, "cresset: %v\n", err)
	var h hinter
	if errors.As(err, &h) && h.Hint() != "" {
		fmt.Fprintf(stderr, "hint: %s\n", h.Hint())
	}
	return exitFailed
}

// advice is an error with a hint.
type advice struct {
	error
	hint string
}

// Hint says what would help.
func (a *advice) Hint() string { return a.hint }

// Unwrap returns the error.
func (a *advice) Unwrap() error { return a.error }
