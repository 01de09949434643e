// Command cresset trains models and shows the devices that it can compute on.
package main

import (
	"os"

	"cresset/internal/cli"
)

func main() { os.Exit(cli.Main()) }
