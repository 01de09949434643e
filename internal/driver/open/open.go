// Package open is the one place that chooses between the machine's GPUs and simulated ones.
package open

import (
	"cresset/internal/driver"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
	"cresset/internal/tenants"
)

// Driver returns the driver of this process, which is not started yet: the one that CRESSET_SIM describes, or the machine's.
// While CRESSET_SIM is set, the process sees no real GPU, whatever its value. Programs with one value share the machine,
// unless CRESSET_SIM_STATE says otherwise. Each call opens it anew. registers is sim.Options.Registers.
func Driver(registers func(kernel string, capability int) int) (*driver.API, error) {
	value, simulated := hardware.Asked()
	if !simulated {
		return driver.Load()
	}
	machine, err := hardware.Choose(value)
	if err != nil {
		return nil, err
	}
	// Without a folder for them, there are no other programs at the machine.
	others, _ := tenants.Shared(value)
	return sim.New(machine, sim.Options{Tenants: others, Registers: registers}).API, nil
}
