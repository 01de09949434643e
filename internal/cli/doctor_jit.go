package cli

import (
	"fmt"
	"strings"
	"time"

	"cresset/cuda"
	"cresset/device"
	backend "cresset/internal/backend/cuda"
)

// jitRow tells what loading a GPU's kernels took.
type jitRow struct {
	Device  string   `json:"device"`
	Loaded  int      `json:"loaded"` // kernels
	Loading float64  `json:"loading_seconds"`
	Problem string   `json:"problem,omitempty"` // why kernels could not be loaded
	Refused []string `json:"refused,omitempty"` // modules that the driver did not take, and why: others do their work
}

// loadKernels loads every kernel on every GPU, so that the driver keeps their code for the programs that follow.
func loadKernels() (rows []jitRow) {
	for i := range cuda.DeviceCount() {
		rows = append(rows, loadKernelsOf(i))
	}
	return rows
}

// loadKernelsOf loads every kernel on one GPU.
func loadKernelsOf(index int) jitRow {
	row := jitRow{Device: device.CUDA(index).String()}
	d, err := backend.Find(index)
	if err != nil {
		row.Problem = firstLine(err.Error())
		return row
	}
	r, err := d.LoadAll()
	row.Loaded, row.Loading = r.Loaded, r.Took.Seconds()
	if err != nil {
		row.Problem = firstLine(err.Error())
	}
	for _, refused := range r.Refused {
		row.Refused = append(row.Refused, refused.Module+": "+refused.Reason)
	}
	return row
}

// String is the row as a line, and a line for each module that was refused.
func (r jitRow) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %d loaded in %s", r.Device, r.Loaded, seconds(r.Loading))
	if r.Problem != "" {
		fmt.Fprintf(&b, "; %s", r.Problem)
	}
	for _, refused := range r.Refused {
		fmt.Fprintf(&b, "\n         refused: %s", refused)
	}
	return b.String()
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond).String()
}

// compiler says which library compiles kernels for the driver, and what is wrong with it; both are empty where the driver needs none
// or finds it by itself.
func compiler() (path, problem string) {
	path, err := backend.JITCompiler()
	if err != nil {
		return "", "the driver's compiler is missing, and kernels that it has not kept cannot be loaded: " + strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return path, ""
}
