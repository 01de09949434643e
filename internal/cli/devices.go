package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"

	"cresset/internal/mem"
	"cresset/tensor"
)

type devicesCommand struct {
	JSON bool `name:"json" help:"Print a JSON array on stdout."`
}

// deviceRow describes one device.
type deviceRow struct {
	Device    string `json:"device"`
	Name      string `json:"name"`
	Cores     int    `json:"cores"`            // multiprocessors of a GPU
	Threads   int    `json:"threads"`          // that an op may use
	Total     int64  `json:"memory_total"`     // bytes that this process can hold
	Available int64  `json:"memory_available"` // bytes that it can have now
	Level     string `json:"level"`
	Simulated bool   `json:"simulated,omitempty"`
	Problem   string `json:"problem,omitempty"` // why it cannot compute
}

// Run lists the devices.
func (c *devicesCommand) Run(s *session) error {
	rows, missing := gpus()
	rows = append([]deviceRow{host()}, rows...)
	s.announce()
	if err := c.print(s, rows); err != nil {
		return err
	}
	return s.missing(missing)
}

func (c *devicesCommand) print(s *session, rows []deviceRow) error {
	if c.JSON {
		return json.NewEncoder(s.stdout).Encode(rows)
	}
	for _, r := range rows {
		if r.Problem != "" {
			fmt.Fprintf(s.stderr, "cresset: %s cannot compute: %s\n", r.Device, r.Problem)
		}
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "DEVICE\tNAME\tCORES\tTHREADS\tMEMORY\tAVAILABLE\tLEVEL")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\t%s\n", r.Device, r.Name, r.Cores, r.Threads, gib(r.Total), gib(r.Available), r.Level)
	}
	return w.Flush()
}

func host() deviceRow {
	r := deviceRow{Device: "cpu", Threads: tensor.NumThreads(), Level: cpuLevel()}
	r.Name, r.Cores = readCPU(os.DirFS("/"))
	r.Total, r.Available = mem.Machine()
	return r
}

func gib(bytes int64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }
