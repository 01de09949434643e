package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"

	"cresset/internal/kern/vec"
	"cresset/internal/mem"
	"cresset/tensor"
)

type devicesCommand struct {
	JSON bool `name:"json" help:"Print a JSON array on stdout."`
}

// Help tells what the columns do not.
func (c *devicesCommand) Help() string {
	return `Lists the CPU and the GPUs that this process sees, then which GPU of the machine each of them is: CUDA_VISIBLE_DEVICES
chooses and orders, and CUDA_DEVICE_ORDER=PCI_BUS_ID makes its numbers those of nvidia-smi, which are in the column GPU.
GPUs that are left out are hidden.

Exit codes: 0 done, 1 failed, 2 wrong usage.`
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

	Physical *int   `json:"physical_index,omitempty"` // of a GPU, as nvidia-smi counts
	BusID    string `json:"bus_id,omitempty"`
	UUID     string `json:"uuid,omitempty"`
	Hidden   bool   `json:"hidden,omitempty"` // from CUDA, which gives it no number: Device is empty
}

// Run lists the devices.
func (c *devicesCommand) Run(s *session) error {
	rows, missing := gpus()
	rows, unplaced := placeGPUs(rows)
	rows = append([]deviceRow{host()}, rows...)
	s.announce()
	if unplaced != nil {
		fmt.Fprintf(s.stderr, "cresset: cannot tell which GPUs of the machine these are: %s\n", firstLine(unplaced.Error()))
	}
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
		if r.Device != "" {
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\t%s\n", r.Device, r.Name, r.Cores, r.Threads, gib(r.Total), gib(r.Available), r.Level)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return printPlaces(s.stdout, rows)
}

func host() deviceRow {
	r := deviceRow{Device: "cpu", Threads: tensor.NumThreads(), Level: vec.Current().String()}
	if err := vec.Err(); err != nil {
		r.Problem = err.Error()
	}
	r.Name, r.Cores = readCPU(os.DirFS("/"))
	r.Total, r.Available = mem.Machine()
	return r
}

func gib(bytes int64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }
