package sim

// generations has what drivers from a version on brought to NVML, after the change log in NVIDIA's reference manual.
var generations = []struct {
	from    int
	symbols []string
}{
	{450, []string{
		"nvmlDeviceGetArchitecture", "nvmlDeviceGetMigMode", "nvmlDeviceGetMaxMigDeviceCount",
		"nvmlDeviceGetMigDeviceHandleByIndex", "nvmlDeviceGetDeviceHandleFromMigDeviceHandle",
		"nvmlDeviceGetGpuInstanceId", "nvmlDeviceGetComputeInstanceId", "nvmlDeviceGetAttributes_v2",
		"nvmlDeviceGetRemappedRows",
	}},
	{470, []string{"nvmlDeviceGetNumFans"}},
}

// reservedFrom is the driver that tells its own memory from that of programs.
const reservedFrom = 510

// younger returns the functions that a driver is too old to have.
func younger(version int) (symbols []string) {
	for _, g := range generations {
		if version < g.from {
			symbols = append(symbols, g.symbols...)
		}
	}
	return symbols
}
