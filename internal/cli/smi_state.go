package cli

import (
	"fmt"
	"slices"

	"cresset/smi"
)

// logSections has the log of a GPU, in nvidia-smi's order.
var logSections = []logSection{
	{"", logName, nil},
	{"", nil, (*logWriter).parts},
	{"", logIdentity, nil},
	{"PERFORMANCE", logPerformance, nil},
	{"MEMORY", logMemory, nil},
	{"COMPUTE", line(1, "Compute Mode", func(g smi.GPU) string { return told(g.ComputeMode) }), nil},
	{"UTILIZATION", logUtilization, nil},
	{"ENCODER_STATS", slices.Concat(heading(1, "Encoder Stats"), unknown(2, "Active Sessions", "Average FPS", "Average Latency")), nil},
	{"FBC_STATS", slices.Concat(heading(1, "FBC Stats"), unknown(2, "Active Sessions", "Average FPS", "Average Latency")), nil},
	{"", since(570, heading(1, "DRAM Encryption Mode"), unknown(2, "Current", "Pending")), nil},
	{"ECC", logECC, nil},
	{"PAGE_RETIREMENT", logRetired, nil},
	{"ROW_REMAPPER", logRemapped, nil},
	{"TEMPERATURE", logTemperature, nil},
	{"POWER", logPower, nil},
	{"CLOCK", logClocks, nil},
	{"VOLTAGE", since(470, before(580, heading(1, "Voltage"), unknown(2, "Graphics"))), nil},
	{"SUPPORTED_CLOCKS", onRequest(unknown(1, "Supported Clocks")), nil},
	{"ACCOUNTING", onRequest(unknown(1, "Accounting Mode", "Accounting Mode Buffer Size", "Accounted Processes")), nil},
	{"", logFabric, nil},
	{"PIDS", nil, (*logWriter).programs},
	{"", since(570, heading(1, "Capabilities"), unknown(2, "EGM")), nil},
}

// The bits of NVML's clock reasons (nvmlClocksEventReason…).
const (
	clocksIdle        = 0x1
	clocksApplication = 0x2
	clocksPowerCap    = 0x4
	clocksHardware    = 0x8
	clocksSyncBoost   = 0x10
	clocksWarm        = 0x20
	clocksHot         = 0x40
	clocksPowerBrake  = 0x80
	clocksDisplay     = 0x100
)

var logPerformance = slices.Concat(
	line(1, "Performance State", pstate),
	before(535, heading(1, "Clocks Throttle Reasons")),
	since(535, heading(1, "Clocks Event Reasons")),
	line(2, "Idle", active(clocksIdle)),
	line(2, "Applications Clocks Setting", active(clocksApplication)),
	line(2, "SW Power Cap", active(clocksPowerCap)),
	line(2, "HW Slowdown", active(clocksHardware)),
	line(3, "HW Thermal Slowdown", active(clocksHot)),
	line(3, "HW Power Brake Slowdown", active(clocksPowerBrake)),
	line(2, "Sync Boost", active(clocksSyncBoost)),
	line(2, "SW Thermal Slowdown", active(clocksWarm)),
	line(2, "Display Clock Setting", active(clocksDisplay)),
	since(580, heading(1, "Clocks Event Reasons Counters"),
		unknown(2, "SW Power Capping", "Sync Boost", "SW Thermal Slowdown", "HW Thermal Slowdown", "HW Power Braking")),
	since(550, unknown(1, "Sparse Operation Mode")),
)

var (
	totalOf = func(m smi.Memory) uint64 { return m.Total }
	usedOf  = func(m smi.Memory) uint64 { return m.Used }
	freeOf  = func(m smi.Memory) uint64 { return m.Free }
)

func reserved(m smi.Memory) string {
	if m.Reserved == nil {
		return notAvailable
	}
	return logMiB(*m.Reserved)
}

// logMemory tells apart what the driver reserves from 510 on: a row between Total and Used.
var logMemory = slices.Concat(
	heading(1, "FB Memory Usage"),
	line(2, "Total", func(g smi.GPU) string { return logMiB(g.Memory.Total) }),
	since(510, line(2, "Reserved", func(g smi.GPU) string { return reserved(g.Memory) })),
	line(2, "Used", func(g smi.GPU) string { return logMiB(g.Memory.Used) }),
	line(2, "Free", func(g smi.GPU) string { return logMiB(g.Memory.Free) }),
	heading(1, "BAR1 Memory Usage"),
	line(2, "Total", func(g smi.GPU) string { return memoryOf(g.BAR1, totalOf) }),
	line(2, "Used", func(g smi.GPU) string { return memoryOf(g.BAR1, usedOf) }),
	line(2, "Free", func(g smi.GPU) string { return memoryOf(g.BAR1, freeOf) }),
	since(535, heading(1, "Conf Compute Protected Memory Usage"), unknown(2, "Total", "Used", "Free")),
)

var sampleRows = []string{"Duration", "Number of Samples", "Max", "Min", "Avg"}

func samples(names ...string) (rows []logRow) {
	for _, name := range names {
		rows = append(rows, onRequest(heading(1, name+" Samples"), unknown(2, sampleRows...))...)
	}
	return rows
}

var logUtilization = slices.Concat(
	heading(1, "Utilization"),
	before(570, line(2, "Gpu", func(g smi.GPU) string { return number(g.Utilization, " %") })),
	since(570, line(2, "GPU", func(g smi.GPU) string { return number(g.Utilization, " %") })),
	line(2, "Memory", func(g smi.GPU) string { return number(g.MemoryBusy, " %") }),
	line(2, "Encoder", figure(" %", func(d *smi.Details) *int { return d.Encoder })),
	line(2, "Decoder", figure(" %", func(d *smi.Details) *int { return d.Decoder })),
	since(535, unknown(2, "JPEG", "OFA")),
	samples("GPU Utilization", "Memory Utilization", "ENC Utilization", "DEC Utilization"),
)

var logTemperature = slices.Concat(
	heading(1, "Temperature"),
	line(2, "GPU Current Temp", func(g smi.GPU) string { return number(g.Temperature, " C") }),
	since(525, unknown(2, "GPU T.Limit Temp")),
	absolute(line(2, "GPU Shutdown Temp", figure(" C", func(d *smi.Details) *int { return d.Limits.Shutdown })),
		line(2, "GPU Slowdown Temp", figure(" C", func(d *smi.Details) *int { return d.Limits.Slowdown })),
		line(2, "GPU Max Operating Temp", figure(" C", func(d *smi.Details) *int { return d.Limits.Operating }))),
	since(550, where(tellsMargins, unknown(2, "GPU Shutdown T.Limit Temp", "GPU Slowdown T.Limit Temp", "GPU Max Operating T.Limit Temp"))),
	since(470, unknown(2, "GPU Target Temperature")),
	unknown(2, "Memory Current Temp"),
	absolute(line(2, "Memory Max Operating Temp", figure(" C", func(d *smi.Details) *int { return d.Limits.Memory }))),
	since(550, where(tellsMargins, unknown(2, "Memory Max Operating T.Limit Temp"))),
)

// absolute are limits in degrees. From driver 550 on nvidia-smi has margins instead for GPUs from Hopper on; nobody asks for
// them here. H100 and H200 are in https://github.com/utkuozdemir/nvidia_gpu_exporter/tree/main/internal/captures.
func absolute(rows ...[]logRow) []logRow {
	all := slices.Concat(rows...)
	return slices.Concat(before(550, all), since(550, where(func(g smi.GPU) bool { return !tellsMargins(g) }, slices.Clone(all))))
}

func tellsMargins(g smi.GPU) bool {
	var major int
	n, _ := fmt.Sscanf(g.Capability, "%d.", &major)
	return n == 1 && major >= 9
}

func draws(g smi.GPU) string { return logWatts(g.Power) }

var logPower = slices.Concat(
	before(535, heading(1, "Power Readings"),
		line(2, "Power Management", func(g smi.GPU) string {
			if g.Power == nil && g.PowerLimit == nil {
				return notAvailable
			}
			return "Supported"
		}),
		line(2, "Power Draw", draws),
		line(2, "Power Limit", func(g smi.GPU) string { return logWatts(g.PowerLimit) }),
		line(2, "Default Power Limit", limitOf(func(p smi.PowerLimits) *float64 { return p.Default })),
		line(2, "Enforced Power Limit", func(g smi.GPU) string { return logWatts(g.PowerLimit) })),
	since(535, heading(1, "GPU Power Readings")),
	since(535, before(570, line(2, "Power Draw", draws))),
	since(570,
		line(2, "Average Power Draw", func(g smi.GPU) string { return logWatts(ofPower(g, true)) }),
		line(2, "Instantaneous Power Draw", func(g smi.GPU) string { return logWatts(ofPower(g, false)) })),
	since(535,
		line(2, "Current Power Limit", func(g smi.GPU) string { return logWatts(g.PowerLimit) }),
		line(2, "Requested Power Limit", limitOf(func(p smi.PowerLimits) *float64 { return p.Requested })),
		line(2, "Default Power Limit", limitOf(func(p smi.PowerLimits) *float64 { return p.Default }))),
	line(2, "Min Power Limit", limitOf(func(p smi.PowerLimits) *float64 { return p.Min })),
	line(2, "Max Power Limit", limitOf(func(p smi.PowerLimits) *float64 { return p.Max })),
	since(550, heading(1, "GPU Memory Power Readings ")), // the blank is nvidia-smi's
	since(550, before(570, unknown(2, "Power Draw"))),
	since(570, unknown(2, "Average Power Draw", "Instantaneous Power Draw")),
	since(535, heading(1, "Module Power Readings")),
	since(535, before(570, unknown(2, "Power Draw"))),
	since(570, unknown(2, "Average Power Draw", "Instantaneous Power Draw")),
	since(535, unknown(2, "Current Power Limit", "Requested Power Limit", "Default Power Limit", "Min Power Limit", "Max Power Limit")),
	since(570, unknown(1, "Power Smoothing"), heading(1, "Workload Power Profiles"), unknown(2, "Requested Profiles", "Enforced Profiles")),
	samples("Power"),
)

func clocksRows(of func(*smi.Details) smi.Clocks) []logRow {
	return slices.Concat(
		line(2, "Graphics", figure(" MHz", func(d *smi.Details) *int { return of(d).Graphics })),
		line(2, "SM", figure(" MHz", func(d *smi.Details) *int { return of(d).SM })),
		line(2, "Memory", figure(" MHz", func(d *smi.Details) *int { return of(d).Memory })),
		line(2, "Video", figure(" MHz", func(d *smi.Details) *int { return of(d).Video })),
	)
}

var logClocks = slices.Concat(
	heading(1, "Clocks"), clocksRows(func(d *smi.Details) smi.Clocks { return d.Clocks }),
	heading(1, "Applications Clocks"),
	line(2, "Graphics", figure(" MHz", func(d *smi.Details) *int { return d.Applications.Graphics })),
	line(2, "Memory", figure(" MHz", func(d *smi.Details) *int { return d.Applications.Memory })),
	heading(1, "Default Applications Clocks"), unknown(2, "Graphics", "Memory"),
	since(525, heading(1, "Deferred Clocks"), unknown(2, "Memory")),
	heading(1, "Max Clocks"), clocksRows(func(d *smi.Details) smi.Clocks { return d.MaxClocks }),
	heading(1, "Max Customer Boost Clocks"), unknown(2, "Graphics"),
	samples("SM Clock", "Memory Clock"),
	heading(1, "Clock Policy"), unknown(2, "Auto Boost", "Auto Boost Default"),
)

var logFabric = slices.Concat(
	since(525, heading(1, "Fabric"), unknown(2, "State", "Status")),
	since(550, unknown(2, "CliqueId", "ClusterUUID"), heading(2, "Health")),
	since(580, unknown(3, "Summary")),
	since(550, unknown(3, "Bandwidth")),
	since(570, unknown(3, "Route Recovery in progress", "Route Unhealthy", "Access Timeout Recovery")),
	since(580, unknown(3, "Incorrect Configuration", "Partition Assigned")),
)
