package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Main runs the command as a process, with its arguments, streams and signals, and returns the exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	return Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
}
