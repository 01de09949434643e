package cuda

import (
	"slices"

	"cresset/internal/backend/cuda/kernels"
)

// Kernels tells of each kernel that the device takes whether it has loaded it, which it does before the first launch.
func (d *Device) Kernels() map[string]bool {
	all := map[string]bool{}
	for _, name := range kernels.Names() {
		k := slices.Index(kernelNames, name)
		switch {
		case k < 0:
			all[name] = false // of tests alone
		case d.takes(kernelID(k)):
			all[name] = d.modules.functions[k].Load() != 0
		}
	}
	return all
}
