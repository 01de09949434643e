package driver

import "fmt"

// Result is what a call of the driver returns, with the numbers of CUresult. Success is 0; Err makes an error of the others.
type Result int32

// Results that code asks for; others have their names in the table below alone.
const (
	Success                     Result = 0
	ErrInvalidValue             Result = 1
	ErrOutOfMemory              Result = 2
	ErrNotInitialized           Result = 3
	ErrDeviceUnavailable        Result = 46
	ErrNoDevice                 Result = 100
	ErrInvalidDevice            Result = 101
	ErrInvalidImage             Result = 200
	ErrInvalidContext           Result = 201
	ErrNoBinaryForGPU           Result = 209
	ErrECCUncorrectable         Result = 214
	ErrPeerAccessUnsupported    Result = 217
	ErrInvalidPTX               Result = 218
	ErrJITCompilerNotFound      Result = 221
	ErrUnsupportedPTXVersion    Result = 222
	ErrJITDisabled              Result = 223
	ErrContained                Result = 226
	ErrInvalidHandle            Result = 400
	ErrNotFound                 Result = 500
	ErrNotReady                 Result = 600
	ErrIllegalAddress           Result = 700
	ErrLaunchTimeout            Result = 702
	ErrPeerAccessAlreadyEnabled Result = 704
	ErrContextIsDestroyed       Result = 709
	ErrAssert                   Result = 710
	ErrTooManyPeers             Result = 711
	ErrHardwareStack            Result = 714
	ErrIllegalInstruction       Result = 715
	ErrMisalignedAddress        Result = 716
	ErrInvalidAddressSpace      Result = 717
	ErrInvalidPC                Result = 718
	ErrLaunchFailed             Result = 719
	ErrTensorMemoryLeak         Result = 721
	ErrNotSupported             Result = 801
	ErrMPSClientTerminated      Result = 810
	ErrExternalDevice           Result = 911
	ErrInvalidCluster           Result = 912
	ErrSystemDriverMismatch     Result = 803
	ErrUnknown                  Result = 999
)

// results has the names and texts of the driver itself (cuGetErrorName, cuGetErrorString).
var results = map[Result]struct{ name, text string }{
	Success:                     {"CUDA_SUCCESS", "no error"},
	ErrInvalidValue:             {"CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	ErrOutOfMemory:              {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	ErrNotInitialized:           {"CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
	4:                           {"CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
	34:                          {"CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
	ErrDeviceUnavailable:        {"CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
	ErrNoDevice:                 {"CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
	ErrInvalidDevice:            {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	ErrInvalidImage:             {"CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
	ErrInvalidContext:           {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	205:                         {"CUDA_ERROR_MAP_FAILED", "mapping of buffer object failed"},
	ErrNoBinaryForGPU:           {"CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
	ErrECCUncorrectable:         {"CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
	ErrPeerAccessUnsupported:    {"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices"},
	ErrInvalidPTX:               {"CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
	ErrJITCompilerNotFound:      {"CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found"},
	ErrUnsupportedPTXVersion:    {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
	ErrJITDisabled:              {"CUDA_ERROR_JIT_COMPILATION_DISABLED", "PTX JIT compilation was disabled"},
	ErrContained:                {"CUDA_ERROR_CONTAINED", "Invalid access of peer GPU memory over nvlink or a hardware error"},
	301:                         {"CUDA_ERROR_FILE_NOT_FOUND", "file not found"},
	304:                         {"CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS"},
	ErrInvalidHandle:            {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	401:                         {"CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
	ErrNotFound:                 {"CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	ErrNotReady:                 {"CUDA_ERROR_NOT_READY", "device not ready"},
	ErrIllegalAddress:           {"CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
	701:                         {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
	ErrLaunchTimeout:            {"CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
	ErrPeerAccessAlreadyEnabled: {"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
	705:                         {"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"},
	708:                         {"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "cannot set while device is active in this process"},
	ErrContextIsDestroyed:       {"CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
	ErrAssert:                   {"CUDA_ERROR_ASSERT", "device-side assert triggered"},
	ErrTooManyPeers:             {"CUDA_ERROR_TOO_MANY_PEERS", "peer mapping resources exhausted"},
	ErrHardwareStack:            {"CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
	ErrIllegalInstruction:       {"CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
	ErrMisalignedAddress:        {"CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
	ErrInvalidAddressSpace:      {"CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space"},
	ErrInvalidPC:                {"CUDA_ERROR_INVALID_PC", "invalid program counter"},
	ErrLaunchFailed:             {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
	ErrTensorMemoryLeak:         {"CUDA_ERROR_TENSOR_MEMORY_LEAK", "tensor memory not completely freed"},
	800:                         {"CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
	ErrNotSupported:             {"CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
	802:                         {"CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized"},
	ErrSystemDriverMismatch:     {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination"},
	804:                         {"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "forward compatibility was attempted on non supported HW"},
	ErrMPSClientTerminated:      {"CUDA_ERROR_MPS_CLIENT_TERMINATED", "the MPS client has been terminated by the server"},
	ErrExternalDevice:           {"CUDA_ERROR_EXTERNAL_DEVICE", "an async error has occured in external entity outside of CUDA"},
	ErrInvalidCluster:           {"CUDA_ERROR_INVALID_CLUSTER_SIZE", "a kernel launch error has occurred due to cluster misconfiguration"},
	ErrUnknown:                  {"CUDA_ERROR_UNKNOWN", "unknown error"},
}

// Name returns CUDA's name of r, such as CUDA_ERROR_OUT_OF_MEMORY.
func (r Result) Name() string {
	if known, ok := results[r]; ok {
		return known.name
	}
	return fmt.Sprintf("CUDA_ERROR_%d", int32(r))
}

// Text returns the driver's words for r, such as "out of memory".
func (r Result) Text() string {
	if known, ok := results[r]; ok {
		return known.text
	}
	return "unrecognized error code"
}

// Known reports whether Name and Text know r.
func (r Result) Known() bool {
	_, ok := results[r]
	return ok
}

// Explanation returns name and words for a result, also for one that only the driver knows.
func (a *API) Explanation(r Result) (name, text string) {
	name, text = r.Name(), r.Text()
	if r.Known() || a.GetErrorString == nil || a.GetErrorName == nil {
		return name, text
	}
	if own, ok := a.GetErrorName(r); ok == Success && own != "" {
		name = own
	}
	if own, ok := a.GetErrorString(r); ok == Success && own != "" {
		text = own
	}
	return name, text
}

// Error returns name and text.
func (r Result) Error() string { return r.Name() + ": " + r.Text() }

// Sticky reports whether r leaves its context unusable for the rest of the process.
func (r Result) Sticky() bool {
	switch r {
	case ErrECCUncorrectable, ErrIllegalAddress, ErrLaunchTimeout, ErrAssert, ErrHardwareStack,
		ErrIllegalInstruction, ErrMisalignedAddress, ErrInvalidAddressSpace, ErrInvalidPC, ErrLaunchFailed,
		ErrContained, ErrTensorMemoryLeak, ErrMPSClientTerminated, ErrExternalDevice:
		return true
	}
	return false
}

// Err returns nil for Success and else a *CallError that names the C symbol.
func (r Result) Err(symbol string) error {
	if r == Success {
		return nil
	}
	return &CallError{symbol, r}
}

// CallError is a call of the driver that failed; errors.Is finds its Result.
type CallError struct {
	Symbol string
	Result Result
}

// Error returns symbol, name and text.
func (e *CallError) Error() string { return e.Symbol + ": " + e.Result.Error() }

// Unwrap returns the Result.
func (e *CallError) Unwrap() error { return e.Result }
