package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"cresset/cuda"
	"cresset/device"
	backend "cresset/internal/backend/cuda"
	"cresset/internal/bench"
	"cresset/internal/hardware"
)

// modelled is what a model says of one GPU.
type modelled struct {
	Model   string           `json:"model"` // the preset
	Note    string           `json:"note"`
	GPU     string           `json:"gpu"`
	Level   string           `json:"level"`
	Cores   int              `json:"cores"`
	Limits  bench.Limits     `json:"limits"`
	Figures []bench.Modelled `json:"figures"`
}

const modelNote = "a model, not a measurement: nothing ran on a GPU and nothing was timed"

// misfit says what does not go with --model.
func (c *benchCommand) misfit(s *session) error {
	_, simulated := hardware.Asked()
	switch {
	case !slices.Contains(hardware.Presets(), c.Model):
		return s.misused(fmt.Sprintf("--model %s is no GPU that is known here", c.Model), "there are "+strings.Join(hardware.Presets(), ", "))
	case c.Device != device.CUDA(0):
		return s.misused(fmt.Sprintf("--model %s is of a GPU that is not here, and --device is %s", c.Model, c.Device), "give --device cuda:0, which then stands for it")
	case simulated:
		return s.misused(fmt.Sprintf("--model and %s both say which GPU there is", hardware.Variable), "leave out one of them")
	case c.Follow || c.Memory != nil || len(c.Threads) > 0:
		return s.misused("--follow, --memory and --threads time something, and --model does not", "leave them out")
	}
	return nil
}

// model tells what occupancy, instructions and roofline say of the workloads on a GPU that is not here.
func (c *benchCommand) model(s *session, cases []bench.Case) error {
	m, err := hardware.Preset(c.Model, 1)
	if err != nil {
		return err
	}
	trace, giveBack, err := backend.UseModel(m)
	if err != nil {
		return err
	}
	defer giveBack()
	p, err := cuda.DeviceProperties(0)
	if err != nil {
		return err
	}
	found := modelled{
		Model: c.Model, Note: modelNote, GPU: trace.GPU.Name, Level: fmt.Sprintf("sm_%d%d", p.Major, p.Minor), Cores: p.Multiprocessors, Limits: bench.GPULimits(p),
	}
	if !c.JSON {
		fmt.Fprintf(s.stdout, "%s, %s, %d multiprocessors: %s\n%s\n\n", found.GPU, found.Level, found.Cores, found.Note, ofGPU(found.Limits))
		fmt.Fprintf(s.stdout, modelRow, "WORKLOAD", "LAUNCHES", "MB", "GFLOP", "BLOCKS/SM", "FLOAT OPS", "ROOFLINE", "MODELLED", "OF LIMIT", "KERNEL")
	}
	for _, w := range cases {
		f := bench.Model(w, c.Device, trace.GPU, trace.Take)
		found.Figures = append(found.Figures, f)
		if !c.JSON {
			printModelled(s.stdout, f)
		}
		if s.ctx.Err() != nil {
			break
		}
	}
	if c.JSON {
		if err := json.NewEncoder(s.stdout).Encode(found); err != nil {
			return err
		}
	}
	return s.stopped()
}

const modelRow = "%-32s  %8s  %8s  %8s  %9s  %10s  %9s  %9s  %8s  %s\n"

func printModelled(w io.Writer, f bench.Modelled) {
	if f.Problem != "" {
		fmt.Fprintf(w, "%-32s  %s\n", f.Case, firstLine(f.Problem))
		return
	}
	fmt.Fprintf(w, modelRow, f.Case, fmt.Sprint(f.Launches), fmt.Sprintf("%.4g", f.Bytes/1e6), fmt.Sprintf("%.4g", f.Flops/1e9), fmt.Sprint(f.Resident), f.Loop,
		duration(f.Least), duration(f.Time), fmt.Sprintf("%.1f%%", 100*f.Share), f.Kernel)
}
