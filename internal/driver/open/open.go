// Package open is the one place that chooses between the machine's GPUs and
// simulated ones.
package open

import (
	"os"

	"cresset/internal/driver"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
)

// Driver returns the driver of this process, which is not started yet: the one
// that CRESSET_SIM describes, or the machine's. While CRESSET_SIM is set, the
// process sees no real GPU, whatever its value. Each call opens it anew.
func Driver() (*driver.API, error) {
	value, set := os.LookupEnv(hardware.Variable)
	if !set {
		return driver.Load()
	}
	machine, err := hardware.Choose(value)
	if err != nil {
		return nil, err
	}
	return sim.New(machine, sim.Options{}).API, nil
}
