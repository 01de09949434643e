package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"

	"cresset/device"
	"cresset/tensor"
)

// Growth is what training adds to the memory of a process.
type Growth struct {
	Case    string `json:"case"`
	Threads int    `json:"threads"`
	Steps   int    `json:"steps"`
	Scopes  bool   `json:"scopes"` // whether each step had one
	Bytes   int64  `json:"bytes"`  // from the resident peak just before the first step to that after the last
}

// ErrNoTraining is of a case that does not train.
var ErrNoTraining = errors.New("does not train")

// MeasureGrowth trains the case of that name. A process measures once: memory that it holds already does not grow. It fails
// with ErrNoTraining, and where the system is not Linux, whose /proc tells resident peaks.
func MeasureGrowth(name string, threads, steps int, scopes bool) (Growth, error) {
	g := Growth{Case: name, Threads: threads, Steps: steps, Scopes: scopes}
	all := trainers()
	i := slices.IndexFunc(all, func(t trainer) bool { return t.name == name })
	if i < 0 {
		return g, fmt.Errorf("%s %w", name, ErrNoTraining)
	}
	defer tensor.SetNumThreads(tensor.NumThreads())
	tensor.SetNumThreads(threads)
	tensor.ManualSeed(0)
	train := all[i].make(device.CPU).step
	before, err := residentPeak()
	if err != nil {
		return g, err
	}
	for range steps {
		if scopes {
			step(train)
		} else {
			train(nil)
		}
	}
	after, err := residentPeak()
	// Linux counts the pages of a process on each processor and adds them up now and then: a peak can seem to fall by some.
	g.Bytes = max(after-before, 0)
	return g, err
}

// residentPeak returns the most bytes that were resident at a time.
func residentPeak() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("the peak of the resident memory: %w", err)
	}
	for line := range bytes.Lines(status) {
		var kib int64
		if _, err := fmt.Sscanf(string(line), "VmHWM: %d kB", &kib); err == nil {
			return kib << 10, nil
		}
	}
	return 0, errors.New("/proc/self/status tells no peak of the resident memory")
}
