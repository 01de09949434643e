// Command cresset trains models and shows the devices that it can compute on.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"cresset/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
