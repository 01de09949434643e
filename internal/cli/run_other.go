//go:build !unix

package cli

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
)

// runAs runs a command and waits for its end. An interrupt from the keyboard reaches both, and is the command's to obey.
func runAs(ctx context.Context, cmd *exec.Cmd) error {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	if err := ctx.Err(); err != nil {
		return err
	}
	return cmd.Run()
}
