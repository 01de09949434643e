//go:build unix

package cli

import (
	"context"
	"fmt"
	"os/exec"
	"os/signal"
	"syscall"
)

// runAs turns this process into a command, which keeps what the process holds; it returns only where that fails. A parent
// that stayed would have to guess which signals a terminal or a batch system has sent to the command as well, and its own
// end would not be the command's.
func runAs(ctx context.Context, cmd *exec.Cmd) error {
	signal.Reset() // what was ignored before, by nohup for instance, is so again
	if err := ctx.Err(); err != nil {
		return err
	}
	err := syscall.Exec(cmd.Path, cmd.Args, cmd.Environ())
	return fmt.Errorf("run %s: %w", cmd.Path, err)
}
