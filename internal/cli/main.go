package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Main runs the command as a process, with its arguments, streams and signals, and returns the exit code.
func Main() int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go func() {
		cause := signalled{<-signals}
		signal.Stop(signals) // a second Ctrl-C ends the program at once
		cancel(cause)
	}()
	return Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
}

// signalled is why a context ended: a signal that asks the program to stop.
type signalled struct{ os.Signal }

// Error names the signal.
func (s signalled) Error() string { return s.String() + " signal received" }

// Is reports that the context was canceled.
func (s signalled) Is(target error) bool { return target == context.Canceled }

// stopped returns what ends a command that a signal has asked to stop; nil as long as none has.
func (s *session) stopped() error {
	if s.ctx.Err() == nil {
		return nil
	}
	return interrupted(s.ctx)
}

// interrupted returns the error of a command that a signal has stopped, once it has printed what it has.
func interrupted(ctx context.Context) error {
	if s, ok := errors.AsType[signalled](context.Cause(ctx)); ok && s.Signal == syscall.SIGTERM {
		return exitCode(exitTerminated)
	}
	return context.Canceled
}
