package cli

import (
	"encoding/json"
	"fmt"
	"runtime"

	"cresset/tensor"
)

type devicesCommand struct {
	JSON bool `name:"json" help:"Print a JSON array on stdout."`
}

// deviceRow describes one device.
type deviceRow struct {
	Device  string `json:"device"`
	Name    string `json:"name"`
	Threads int    `json:"threads"`
	Level   string `json:"level"`
}

// Run lists the devices.
func (c *devicesCommand) Run(s *session) error {
	rows := []deviceRow{{Device: "cpu", Name: runtime.GOARCH, Threads: tensor.NumThreads(), Level: cpuLevel()}}
	if c.JSON {
		return json.NewEncoder(s.stdout).Encode(rows)
	}
	for _, r := range rows {
		fmt.Fprintf(s.stdout, "%-8s %s, %d threads, %s\n", r.Device, r.Name, r.Threads, r.Level)
	}
	return nil
}
