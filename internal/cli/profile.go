package cli

import (
	"fmt"
	"io"
	"os"

	"cresset/cuda"
	"cresset/device"
)

// stepProfile is the profile of some steps of a training; nil is none.
type stepProfile struct {
	*cuda.Profile
	file  *os.File
	sort  cuda.SortBy
	begun bool // the first step
}

// The steps that are recorded, where there are so many: the first ones load kernels.
const (
	passedSteps   = 2
	recordedSteps = 5
)

// startProfile starts to record steps where that was asked for. The file is made at once, so that a training does not run in vain.
func (c *trainCommand) startProfile(dev device.Device, steps int) (*stepProfile, error) {
	if c.Profile == nil {
		return nil, nil
	}
	file, err := os.Create(*c.Profile)
	if err != nil {
		return nil, fmt.Errorf("--profile: %w", err)
	}
	warmup := max(0, min(passedSteps, steps-1))
	p := &stepProfile{file: file, sort: "cuda_time_total", Profile: cuda.NewProfile(cuda.RecordShapes(true), cuda.ProfileMemory(!dev.IsCPU()),
		cuda.Schedule{Warmup: warmup, Active: max(1, min(recordedSteps, steps-warmup)), Repeat: 1})}
	if dev.IsCPU() {
		p.sort = "self_cpu_time_total"
	}
	if err := p.Start(); err != nil {
		file.Close()
		return nil, err
	}
	return p, nil
}

// step says that a step begins, whose batch is there: the one before it has ended.
func (p *stepProfile) step() {
	switch {
	case p == nil:
	case p.begun:
		p.Step()
	default:
		p.begun = true
	}
}

// record has what follows recorded, or not, as belongs to no step.
func (p *stepProfile) record(on bool) {
	if p != nil {
		p.ToggleCollectionDynamic(on)
	}
}

// finish writes the trace.
func (p *stepProfile) finish() error {
	if p == nil {
		return nil
	}
	err := p.Stop()
	if err == nil {
		err = p.WriteChromeTrace(p.file)
	}
	if closed := p.file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("--profile %s: %w", p.file.Name(), err)
	}
	return nil
}

// print writes the table of the operations that took longest.
func (p *stepProfile) print(w io.Writer) error {
	if p == nil {
		return nil
	}
	const most = 20
	_, err := fmt.Fprintf(w, "%sThe trace is in %s: ui.perfetto.dev shows it.\n", p.KeyAverages().Table(p.sort, cuda.RowLimit(most)), p.file.Name())
	return err
}
