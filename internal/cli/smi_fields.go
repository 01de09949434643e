package cli

import (
	"fmt"
	"slices"
	"strconv"

	"cresset/smi"
)

// gpuFields returns what --query-gpu knows, by every name that nvidia-smi has for it.
func gpuFields() map[string]csvField {
	fields := []csvField{
		gpuField("index", "", func(g smi.GPU) string { return strconv.Itoa(g.Index) }),
		gpuField("name", "", func(g smi.GPU) string { return g.Name }),
		gpuField("uuid", "", func(g smi.GPU) string { return g.UUID }),
		gpuField("serial", "", func(g smi.GPU) string { return g.Serial }),
		gpuField("pci.bus_id", "", func(g smi.GPU) string { return g.BusID }),
		gpuField("compute_cap", "", func(g smi.GPU) string { return g.Capability }),
		gpuField("compute_mode", "", func(g smi.GPU) string { return g.ComputeMode }),
		gpuField("pstate", "", pstate),
		gpuField("persistence_mode", "", func(g smi.GPU) string { return enabled(g.Persistence) }),
		gpuField("display_active", "", func(g smi.GPU) string { return enabled(g.Display) }),
		gpuField("ecc.mode.current", "", func(g smi.GPU) string { return enabled(g.ECC) }),
		gpuField("mig.mode.current", "", func(g smi.GPU) string { return enabled(g.MIG) }),
		gpuField("temperature.gpu", "", func(g smi.GPU) string { return number(g.Temperature, "") }),
		gpuField("memory.total", "MiB", func(g smi.GPU) string { return csvMiB(&g.Memory.Total) }),
		gpuField("memory.used", "MiB", func(g smi.GPU) string { return csvMiB(&g.Memory.Used) }),
		gpuField("memory.free", "MiB", func(g smi.GPU) string { return csvMiB(&g.Memory.Free) }),
		gpuField("memory.reserved", "MiB", func(g smi.GPU) string { return csvMiB(g.Memory.Reserved) }),
		gpuField("utilization.gpu", "%", func(g smi.GPU) string { return number(g.Utilization, "") }),
		gpuField("utilization.memory", "%", func(g smi.GPU) string { return number(g.MemoryBusy, "") }),
		gpuField("fan.speed", "%", func(g smi.GPU) string { return number(g.Fan, "") }),
		gpuField("power.draw", "W", func(g smi.GPU) string { return csvWatts(g.Power) }),
		gpuField("power.draw.average", "W", func(g smi.GPU) string { return csvWatts(ofPower(g, true)) }),
		gpuField("power.draw.instant", "W", func(g smi.GPU) string { return csvWatts(ofPower(g, false)) }),
		gpuField("power.limit", "W", func(g smi.GPU) string { return csvWatts(g.PowerLimit) }),
		gpuField("enforced.power.limit", "W", func(g smi.GPU) string { return csvWatts(g.PowerLimit) }),
		gpuField("clocks.current.sm", "MHz", func(g smi.GPU) string { return number(g.Clock, "") }),
		gpuField("clocks.current.memory", "MHz", func(g smi.GPU) string { return number(g.MemoryClock, "") }),
		{name: "timestamp", value: csvTime},
		{name: "driver_version", value: func(r csvRow) string { return r.inventory.Driver }},
		{name: "kmd_version", value: func(r csvRow) string { return r.inventory.Driver }}, // which it becomes
		{name: "count", value: func(r csvRow) string { return strconv.Itoa(r.attached) }},
	}
	fields = slices.Concat(fields, detailFields(), logFields(), unaskedFields())
	return named(fields, map[string]string{
		"gpu_name": "name", "gpu_uuid": "uuid", "gpu_serial": "serial", "gpu_bus_id": "pci.bus_id",
		"clocks.sm": "clocks.current.sm", "clocks.mem": "clocks.current.memory",
		"clocks.gr": "clocks.current.graphics", "clocks.video": "clocks.current.video",
		"clocks.max.gr": "clocks.max.graphics", "clocks.max.mem": "clocks.max.memory",
		"clocks.applications.gr": "clocks.applications.graphics", "clocks.applications.mem": "clocks.applications.memory",
		"clocks.default_applications.gr": "clocks.default_applications.graphics", "clocks.default_applications.mem": "clocks.default_applications.memory",
		"inforom.image": "inforom.img", "inforom.power": "inforom.pwr",
		"gpu_operation_mode.current": "gom.current", "gpu_operation_mode.pending": "gom.pending",
		"retired_pages.sbe": "retired_pages.single_bit_ecc.count", "retired_pages.dbe": "retired_pages.double_bit.count",
		"remapped_rows.sbe": "remapped_rows.correctable", "remapped_rows.dbe": "remapped_rows.uncorrectable",
		"gpu.power.current_limit": "enforced.power.limit", "gpu.power.requested_limit": "power.limit", "gpu.power.default_limit": "power.default_limit",
		"gpu.power.min_limit": "power.min_limit", "gpu.power.max_limit": "power.max_limit",
		"gpu.power.draw.average": "power.draw.average", "gpu.power.draw.instant": "power.draw.instant",
		"module.power.current_limit": "module.enforced.power.limit", "module.power.requested_limit": "module.power.limit",
	})
}

// ofPower is a GPU's power where NVML tells an average, or the power of the moment: it averages over a second on GPUs newer
// than GA100, by the documentation of nvmlDeviceGetPowerUsage.
func ofPower(g smi.GPU, average bool) *float64 {
	var major, minor int
	if n, _ := fmt.Sscanf(g.Capability, "%d.%d", &major, &minor); n < 2 || average != (major > 8 || major == 8 && minor > 0) {
		return nil
	}
	return g.Power
}

// programFields returns what --query-compute-apps knows.
func programFields() map[string]csvField {
	fields := []csvField{
		{name: "timestamp", value: csvTime},
		{name: "pid", value: func(r csvRow) string { return strconv.Itoa(r.program.PID) }},
		{name: "process_name", value: func(r csvRow) string { return programName(r.program) }},
		{name: "used_gpu_memory", unit: "MiB", value: func(r csvRow) string { return csvMiB(r.program.Memory) }},
		{name: "gpu_name", value: func(r csvRow) string { return r.gpu.Name }},
		{name: "gpu_uuid", value: func(r csvRow) string { return r.gpu.UUID }},
		{name: "gpu_serial", value: func(r csvRow) string { return r.gpu.Serial }},
		{name: "gpu_bus_id", value: func(r csvRow) string { return r.gpu.BusID }},
	}
	return named(fields, map[string]string{"name": "process_name", "used_memory": "used_gpu_memory"})
}

// named indexes fields by name, and by further names for some.
func named(fields []csvField, others map[string]string) map[string]csvField {
	known := map[string]csvField{}
	for _, f := range fields {
		known[f.name] = f
	}
	for other, name := range others {
		known[other] = known[name]
	}
	return known
}

func csvTime(r csvRow) string { return r.inventory.Time.Format("2006/01/02 15:04:05.000") }
