package cli

import (
	"errors"
	"fmt"
	"strings"

	"cresset/cuda"
	"cresset/device"
	backend "cresset/internal/backend/cuda"
	"cresset/internal/driver"
	"cresset/internal/hardware"
)

// gpus describes the GPUs; the error says why there are none. One that cannot compute says so in its row.
func gpus() ([]deviceRow, error) {
	if err := backend.Start(); err != nil {
		return nil, err
	}
	var rows []deviceRow
	for i := range cuda.DeviceCount() {
		p, err := cuda.DeviceProperties(i)
		if err != nil {
			rows = append(rows, deviceRow{Device: device.CUDA(i).String(), Problem: firstLine(err.Error())})
			continue
		}
		r := deviceRow{
			Device: device.CUDA(i).String(), Name: p.Name, Cores: p.Multiprocessors, Threads: p.Multiprocessors * p.MaxThreadsPerSM,
			Total: p.TotalMemory, Level: fmt.Sprintf("sm_%d%d", p.Major, p.Minor), Simulated: p.Simulated,
		}
		if r.Available, _, err = cuda.MemInfo(i); err != nil {
			r.Problem = firstLine(err.Error())
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// missing says in one line on stderr why there are no GPUs, unless none is to be expected: a machine without the driver.
// What CRESSET_SIM asks for in vain is an error.
func (s *session) missing(err error) error {
	lib := backend.Installed()
	if err == nil || lib.Path == "" {
		if _, simulated := hardware.Asked(); simulated {
			return err
		}
		return nil
	}
	reason := err.Error()
	if hint := hintOf(err); hint != "" {
		reason = hint
		if _, lacks := errors.AsType[*driver.SymbolError](err); lacks {
			reason = err.Error() + ": " + reason
		}
	}
	_, err = fmt.Fprintf(s.stderr, "cresset: no GPUs: %s\n", firstLine(reason))
	return err
}

// firstLine leaves out what follows in further lines, and the colon before it.
func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(first, ":")
}

// announce says on stderr that GPUs are simulated, where they are.
func (s *session) announce() {
	if value, simulated := hardware.Asked(); simulated {
		fmt.Fprintf(s.stderr, "cresset: %s=%s: GPUs are simulated, and real ones out of sight\n", hardware.Variable, value)
	}
}

// simulated reports whether a device is a simulated GPU, and says so.
func (s *session) simulated(dev device.Device) bool {
	index, _ := dev.Index()
	p, err := cuda.DeviceProperties(index)
	if !dev.IsCUDA() || err != nil || !p.Simulated {
		return false
	}
	s.announce()
	return true
}

// library says which driver the GPUs have; it is empty without one.
func library() string {
	l := backend.Installed()
	if l.Path == "" {
		return ""
	}
	text := l.Path
	if l.Release != "" {
		text += ", driver " + l.Release
	}
	if l.Version > 0 {
		text += fmt.Sprintf(", CUDA %d.%d", l.Version/1000, l.Version%1000/10)
	}
	return text
}
