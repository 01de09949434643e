package cuda

import "cresset/internal/backend/cuda/kernels"

// Kernels tells of each kernel in this program whether the device has loaded it, which it does before the first launch.
func (d *Device) Kernels() map[string]bool {
	all := map[string]bool{}
	for _, name := range kernels.Names() {
		all[name] = false
	}
	for k, name := range kernelNames {
		all[name] = d.modules.functions[k].Load() != 0
	}
	return all
}
