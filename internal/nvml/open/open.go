// Package open is the one place that chooses between the NVML of the machine and a simulated one.
package open

import (
	"cresset/internal/hardware"
	"cresset/internal/nvml"
	"cresset/internal/nvml/sim"
	"cresset/internal/tenants"
)

// Library returns the NVML of this process, which is not started yet: the one of the machine that CRESSET_SIM describes,
// with the programs that run on it, or the machine's own. While CRESSET_SIM is set, no real GPU is seen, whatever its value.
// Each call opens it anew.
func Library() (*nvml.API, error) {
	value, simulated := hardware.Asked()
	if !simulated {
		return nvml.Load()
	}
	machine, err := hardware.Choose(value)
	if err != nil {
		return nil, err
	}
	// Without a folder for them, there are no other programs at the machine.
	others, _ := tenants.Shared(value)
	return sim.New(machine, others).API, nil
}
