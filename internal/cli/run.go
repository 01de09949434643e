package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"

	"cresset/smi"
)

// Exit codes of commands that do not run, as shells have them.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

type runCommand struct {
	wishFlags `embed:""`
	Command   []string `arg:"" passthrough:"" help:"The command and its arguments."`
}

// Help tells what the flags do not.
func (c *runCommand) Help() string {
	return `Picks GPUs as "cresset pick" does and runs a command that sees these alone:

  cresset run -n 2 --wait 10m -- python train.py --lr 0.1

It sets CUDA_VISIBLE_DEVICES to their UUIDs and CUDA_DEVICE_ORDER to PCI_BUS_ID. Until the command and the programs that
it leaves behind have ended, however they end, no other "cresset run" or "cresset pick" gets these GPUs. A program left
behind that has both closed the files and cleared the environment that it inherited is forgotten, and programs that were
started in another way are not kept off.

On Unix the command takes the place of cresset: process number, terminal, signals and exit code are its own.

Exit codes: the command's, 128 + n in a shell where signal n has ended it; before it runs 1 the GPUs cannot be listed or
reserved, 2 wrong usage, 3 too few such GPUs, 126 the command cannot be executed, 127 it is not found, 130 interrupted.`
}

// Run picks, reserves and runs.
func (c *runCommand) Run(s *session) error {
	argv := c.Command
	if _, err := exec.LookPath(argv[0]); err != nil { // before a long wait, not after
		return s.cannotRun(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	var reservation *smi.Reservation
	err := c.seek(s, func(inventory *smi.Inventory, wish smi.Wish) (err error) {
		reservation, err = smi.Reserve(s.ctx, inventory.GPUs, wish)
		return err
	})
	if err != nil {
		return err
	}
	if err := reservation.Guard(cmd, "keep"); err != nil {
		return errors.Join(err, reservation.Release())
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = errors.Join(runAs(s.ctx, cmd), reservation.Release())
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return exitCode(ended.ExitCode())
	}
	return s.cannotRun(err)
}

// cannotRun says why a command does not run.
func (s *session) cannotRun(err error) error {
	fmt.Fprintf(s.stderr, "cresset: %v\n", err)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return exitCode(exitNotFound)
	}
	return exitCode(exitNotExecutable)
}

// keepCommand is cresset keep, what cresset run starts beside the command.
type keepCommand struct {
	Reservation string `arg:"" help:"What tells the keeper which reservation it keeps."`
}

// Run keeps the reservation until its programs have ended.
func (c *keepCommand) Run(*session) error { return smi.Keep(c.Reservation) }
