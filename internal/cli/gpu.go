package cli

import (
	"fmt"
	"os"

	"cresset/cuda"
	"cresset/device"
	backend "cresset/internal/backend/cuda"
	"cresset/internal/hardware"
)

// gpus describes the GPUs. Without any it is empty; what a simulation cannot do is an error, since it was asked for.
func gpus() ([]deviceRow, error) {
	if err := backend.Start(); err != nil {
		if _, simulating := os.LookupEnv(hardware.Variable); simulating {
			return nil, err
		}
		return nil, nil
	}
	var rows []deviceRow
	for i := range cuda.DeviceCount() {
		p, err := cuda.DeviceProperties(i)
		if err != nil {
			return nil, err
		}
		r := deviceRow{
			Device: device.CUDA(i).String(), Name: p.Name, Cores: p.Multiprocessors, Threads: p.Multiprocessors * p.MaxThreadsPerSM,
			Total: p.TotalMemory, Level: fmt.Sprintf("sm_%d%d", p.Major, p.Minor), Simulated: p.Simulated,
		}
		if r.Available, _, err = cuda.MemInfo(i); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// announce says once on stderr that GPUs are simulated.
func (s *session) announce(rows ...deviceRow) {
	for _, r := range rows {
		if r.Simulated {
			fmt.Fprintf(s.stderr, "cresset: %s=%s: GPUs are simulated, and real ones out of sight\n", hardware.Variable, os.Getenv(hardware.Variable))
			return
		}
	}
}

// simulated reports whether a device is a simulated GPU, and says so.
func (s *session) simulated(dev device.Device) bool {
	index, _ := dev.Index()
	p, err := cuda.DeviceProperties(index)
	if !dev.IsCUDA() || err != nil || !p.Simulated {
		return false
	}
	s.announce(deviceRow{Simulated: true})
	return true
}

// driver says which driver the GPUs have; it is empty without one.
func driver() string {
	path, version, simulated, err := backend.Library()
	switch {
	case err != nil:
		return ""
	case simulated:
		return path
	}
	return fmt.Sprintf("CUDA %d.%d, %s", version/1000, version%1000/10, path)
}
