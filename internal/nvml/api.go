package nvml

// API is the library. Each field is tagged with the C symbols behind it, the newest first: a call takes the first that the
// library has and that knows the GPU. Where it has none, an "optional" field is nil; see Ask.
type API struct {
	Library   string // where the functions come from: a path, or the simulated machine
	Simulated bool

	Init        func() Return       `nvml:"nvmlInit_v2|nvmlInit"`
	Shutdown    func() Return       `nvml:"nvmlShutdown"`
	ErrorString func(Return) string `nvml:"nvmlErrorString,optional"`

	DriverVersion     func() (string, Return)                    `nvml:"nvmlSystemGetDriverVersion"`
	NVMLVersion       func() (string, Return)                    `nvml:"nvmlSystemGetNVMLVersion,optional"`
	CUDADriverVersion func() (version int32, r Return)           `nvml:"nvmlSystemGetCudaDriverVersion_v2|nvmlSystemGetCudaDriverVersion,optional"`
	ProcessName       func(pid uint32) (name string, ret Return) `nvml:"nvmlSystemGetProcessName,optional"`

	Count            func() (n uint32, r Return)         `nvml:"nvmlDeviceGetCount_v2|nvmlDeviceGetCount"`
	DeviceByIndex    func(index uint32) (Device, Return) `nvml:"nvmlDeviceGetHandleByIndex_v2|nvmlDeviceGetHandleByIndex"`
	DeviceByPCIBusID func(busID string) (Device, Return) `nvml:"nvmlDeviceGetHandleByPciBusId_v2|nvmlDeviceGetHandleByPciBusId,optional"`

	Name              func(Device) (string, Return)               `nvml:"nvmlDeviceGetName"`
	UUID              func(Device) (string, Return)               `nvml:"nvmlDeviceGetUUID"`
	Serial            func(Device) (string, Return)               `nvml:"nvmlDeviceGetSerial,optional"`
	Index             func(Device) (uint32, Return)               `nvml:"nvmlDeviceGetIndex,optional"`
	MinorNumber       func(Device) (uint32, Return)               `nvml:"nvmlDeviceGetMinorNumber,optional"` // of /dev/nvidia0
	Brand             func(Device) (uint32, Return)               `nvml:"nvmlDeviceGetBrand,optional"`
	Architecture      func(Device) (uint32, Return)               `nvml:"nvmlDeviceGetArchitecture,optional"`
	ComputeCapability func(Device) (major, minor int32, r Return) `nvml:"nvmlDeviceGetCudaComputeCapability,optional"`
	PCI               func(Device) (PCI, Return)                  `nvml:"nvmlDeviceGetPciInfo_v3|nvmlDeviceGetPciInfo_v2|nvmlDeviceGetPciInfo"`
	VBIOS             func(Device) (string, Return)               `nvml:"nvmlDeviceGetVbiosVersion,optional"`

	Memory      func(Device) (Memory, Return)      `nvml:"nvmlDeviceGetMemoryInfo_v2|nvmlDeviceGetMemoryInfo"`
	BAR1        func(Device) (BAR1, Return)        `nvml:"nvmlDeviceGetBAR1MemoryInfo,optional"`
	Utilization func(Device) (Utilization, Return) `nvml:"nvmlDeviceGetUtilizationRates,optional"`

	Encoder func(Device) (percent, microseconds uint32, r Return) `nvml:"nvmlDeviceGetEncoderUtilization,optional"` // over so long a time
	Decoder func(Device) (percent, microseconds uint32, r Return) `nvml:"nvmlDeviceGetDecoderUtilization,optional"`

	Temperature          func(Device) (celsius int32, r Return)                  `nvml:"nvmlDeviceGetTemperatureV|nvmlDeviceGetTemperature,optional"`
	TemperatureThreshold func(Device, Threshold) (celsius uint32, r Return)      `nvml:"nvmlDeviceGetTemperatureThreshold,optional"`
	Power                func(Device) (milliwatts uint32, r Return)              `nvml:"nvmlDeviceGetPowerUsage,optional"`
	PowerLimit           func(Device) (milliwatts uint32, r Return)              `nvml:"nvmlDeviceGetEnforcedPowerLimit,optional"`
	PowerRequested       func(Device) (milliwatts uint32, r Return)              `nvml:"nvmlDeviceGetPowerManagementLimit,optional"`
	PowerDefault         func(Device) (milliwatts uint32, r Return)              `nvml:"nvmlDeviceGetPowerManagementDefaultLimit,optional"`
	PowerRange           func(Device) (least, most uint32, r Return)             `nvml:"nvmlDeviceGetPowerManagementLimitConstraints,optional"`
	Fans                 func(Device) (n uint32, r Return)                       `nvml:"nvmlDeviceGetNumFans,optional"`
	FanSpeed             func(dev Device, fan uint32) (percent uint32, r Return) `nvml:"nvmlDeviceGetFanSpeed_v2|nvmlDeviceGetFanSpeed,optional"`
	PerformanceState     func(Device) (PState, Return)                           `nvml:"nvmlDeviceGetPerformanceState,optional"`
	Clock                func(Device, Clock) (megahertz uint32, r Return)        `nvml:"nvmlDeviceGetClockInfo,optional"`
	MaxClock             func(Device, Clock) (megahertz uint32, r Return)        `nvml:"nvmlDeviceGetMaxClockInfo,optional"`
	ApplicationsClock    func(Device, Clock) (megahertz uint32, r Return)        `nvml:"nvmlDeviceGetApplicationsClock,optional"`
	ClockReasons         func(Device) (bits uint64, r Return)                    `nvml:"nvmlDeviceGetCurrentClocksEventReasons|nvmlDeviceGetCurrentClocksThrottleReasons,optional"`

	PersistenceMode func(Device) (on bool, r Return)                        `nvml:"nvmlDeviceGetPersistenceMode,optional"`
	ComputeMode     func(Device) (ComputeMode, Return)                      `nvml:"nvmlDeviceGetComputeMode,optional"`
	DisplayActive   func(Device) (on bool, r Return)                        `nvml:"nvmlDeviceGetDisplayActive,optional"`
	ECCMode         func(Device) (current, pending bool, r Return)          `nvml:"nvmlDeviceGetEccMode,optional"`
	ECCErrors       func(Device, ECCError, ECCCounter) (n uint64, r Return) `nvml:"nvmlDeviceGetTotalEccErrors,optional"`

	ECCErrorsAt     func(Device, ECCError, ECCCounter, ECCPlace) (n uint64, r Return) `nvml:"nvmlDeviceGetMemoryErrorCounter,optional"`
	RetiredPages    func(Device, Retirement) (pages int, r Return)                    `nvml:"nvmlDeviceGetRetiredPages,optional"`
	RetirementsWait func(Device) (pending bool, r Return)                             `nvml:"nvmlDeviceGetRetiredPagesPendingStatus,optional"` // for a restart
	RemappedRows    func(Device) (RemappedRows, Return)                               `nvml:"nvmlDeviceGetRemappedRows,optional"`

	ComputeProcesses  func(Device) ([]Process, Return) `nvml:"nvmlDeviceGetComputeRunningProcesses_v3|nvmlDeviceGetComputeRunningProcesses_v2|nvmlDeviceGetComputeRunningProcesses,optional"`
	GraphicsProcesses func(Device) ([]Process, Return) `nvml:"nvmlDeviceGetGraphicsRunningProcesses_v3|nvmlDeviceGetGraphicsRunningProcesses_v2|nvmlDeviceGetGraphicsRunningProcesses,optional"`

	LinkGeneration func(Device) (uint32, Return)                         `nvml:"nvmlDeviceGetCurrPcieLinkGeneration,optional"`
	LinkWidth      func(Device) (lanes uint32, r Return)                 `nvml:"nvmlDeviceGetCurrPcieLinkWidth,optional"`
	MaxGeneration  func(Device) (uint32, Return)                         `nvml:"nvmlDeviceGetMaxPcieLinkGeneration,optional"`
	MaxWidth       func(Device) (lanes uint32, r Return)                 `nvml:"nvmlDeviceGetMaxPcieLinkWidth,optional"`
	LinkThroughput func(Device, Throughput) (kilobytes uint32, r Return) `nvml:"nvmlDeviceGetPcieThroughput,optional"` // per second

	MIGMode         func(Device) (current, pending bool, r Return)  `nvml:"nvmlDeviceGetMigMode,optional"`
	MaxMIGDevices   func(Device) (n uint32, r Return)               `nvml:"nvmlDeviceGetMaxMigDeviceCount,optional"`
	MIGDevice       func(dev Device, index uint32) (Device, Return) `nvml:"nvmlDeviceGetMigDeviceHandleByIndex,optional"`
	GPUInstance     func(Device) (uint32, Return)                   `nvml:"nvmlDeviceGetGpuInstanceId,optional"`
	ComputeInstance func(Device) (uint32, Return)                   `nvml:"nvmlDeviceGetComputeInstanceId,optional"`
	Attributes      func(Device) (Attributes, Return)               `nvml:"nvmlDeviceGetAttributes_v2|nvmlDeviceGetAttributes,optional"`
}

// Ask calls a field of the table for a device; one that is nil is answered with ErrFunctionNotFound.
func Ask[T any](field func(Device) (T, Return), dev Device) (T, Return) {
	if field == nil {
		var zero T
		return zero, ErrFunctionNotFound
	}
	return field(dev)
}

// AskFor is Ask for fields that take one more argument.
func AskFor[A, T any](field func(Device, A) (T, Return), dev Device, a A) (T, Return) {
	if field == nil {
		var zero T
		return zero, ErrFunctionNotFound
	}
	return field(dev, a)
}
