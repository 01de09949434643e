package nvml

import "fmt"

// Return is what a call of NVML returns, with the numbers of nvmlReturn_t. Success is 0; Err makes an error of the others.
type Return int32

// Returns that code asks for; others have their names in the table below alone.
const (
	Success                    Return = 0
	ErrUninitialized           Return = 1
	ErrInvalidArgument         Return = 2
	ErrNotSupported            Return = 3
	ErrNoPermission            Return = 4
	ErrNotFound                Return = 6
	ErrInsufficientSize        Return = 7
	ErrDriverNotLoaded         Return = 9
	ErrLibraryNotFound         Return = 12
	ErrFunctionNotFound        Return = 13
	ErrGPULost                 Return = 15
	ErrOperatingSystem         Return = 17
	ErrVersionMismatch         Return = 18 // the library's version is not the driver's
	ErrNoData                  Return = 21
	ErrArgumentVersionMismatch Return = 25 // a struct's version is newer than the library
	ErrDeprecated              Return = 26
	ErrNotReady                Return = 27
	ErrGPUNotFound             Return = 28
	ErrInvalidState            Return = 29
	ErrUnknown                 Return = 999
)

// returns has the names, and the texts that nvmlErrorString of driver 550 has; older ones know fewer.
var returns = map[Return]struct{ name, text string }{
	Success:                    {"NVML_SUCCESS", "Success"},
	ErrUninitialized:           {"NVML_ERROR_UNINITIALIZED", "Uninitialized"},
	ErrInvalidArgument:         {"NVML_ERROR_INVALID_ARGUMENT", "Invalid Argument"},
	ErrNotSupported:            {"NVML_ERROR_NOT_SUPPORTED", "Not Supported"},
	ErrNoPermission:            {"NVML_ERROR_NO_PERMISSION", "Insufficient Permissions"},
	5:                          {"NVML_ERROR_ALREADY_INITIALIZED", "Already Initialized"},
	ErrNotFound:                {"NVML_ERROR_NOT_FOUND", "Not Found"},
	ErrInsufficientSize:        {"NVML_ERROR_INSUFFICIENT_SIZE", "Insufficient Size"},
	8:                          {"NVML_ERROR_INSUFFICIENT_POWER", "Insufficient External Power"},
	ErrDriverNotLoaded:         {"NVML_ERROR_DRIVER_NOT_LOADED", "Driver Not Loaded"},
	10:                         {"NVML_ERROR_TIMEOUT", "Timeout"},
	11:                         {"NVML_ERROR_IRQ_ISSUE", "Interrupt Request Issue"},
	ErrLibraryNotFound:         {"NVML_ERROR_LIBRARY_NOT_FOUND", "NVML Shared Library Not Found"},
	ErrFunctionNotFound:        {"NVML_ERROR_FUNCTION_NOT_FOUND", "Function Not Found"},
	14:                         {"NVML_ERROR_CORRUPTED_INFOROM", "Corrupted infoROM"},
	ErrGPULost:                 {"NVML_ERROR_GPU_IS_LOST", "GPU is lost"},
	16:                         {"NVML_ERROR_RESET_REQUIRED", "GPU requires reset"},
	ErrOperatingSystem:         {"NVML_ERROR_OPERATING_SYSTEM", "GPU access blocked by the operating system"},
	ErrVersionMismatch:         {"NVML_ERROR_LIB_RM_VERSION_MISMATCH", "Driver/library version mismatch"},
	19:                         {"NVML_ERROR_IN_USE", "In use by another client"},
	20:                         {"NVML_ERROR_MEMORY", "Insufficient Memory"},
	ErrNoData:                  {"NVML_ERROR_NO_DATA", "No data"},
	23:                         {"NVML_ERROR_INSUFFICIENT_RESOURCES", "Insufficient Resources"},
	ErrArgumentVersionMismatch: {"NVML_ERROR_ARGUMENT_VERSION_MISMATCH", "Argument version mismatch"},
	ErrDeprecated:              {"NVML_ERROR_DEPRECATED", "Requested functionality has been deprecated"},
	ErrNotReady:                {"NVML_ERROR_NOT_READY", "System is not in ready state"},
	ErrGPUNotFound:             {"NVML_ERROR_GPU_NOT_FOUND", "No supported GPUs were found"},
	ErrInvalidState:            {"NVML_ERROR_INVALID_STATE", "Resource not in correct state to perform requested operation"},
	ErrUnknown:                 {"NVML_ERROR_UNKNOWN", "Unknown Error"},
}

// Name returns NVML's name of r, such as NVML_ERROR_GPU_IS_LOST.
func (r Return) Name() string {
	if known, ok := returns[r]; ok {
		return known.name
	}
	return fmt.Sprintf("NVML_ERROR_%d", int32(r))
}

// Text returns NVML's words for r, such as "GPU is lost".
func (r Return) Text() string {
	if known, ok := returns[r]; ok {
		return known.text
	}
	return returns[ErrUnknown].text
}

// Error returns name and text.
func (r Return) Error() string { return r.Name() + ": " + r.Text() }

// Absent reports whether r says that this GPU, driver or system does not tell the value, which is then shown as N/A. Every
// other failure is one.
func (r Return) Absent() bool {
	switch r {
	case ErrNotSupported, ErrFunctionNotFound, ErrNoData, ErrArgumentVersionMismatch, ErrDeprecated:
		return true
	}
	return false
}

// Text returns the library's own words for r, where it has any.
func (a *API) Text(r Return) string {
	if a.ErrorString != nil {
		if text := a.ErrorString(r); text != "" && text != ErrUnknown.Text() {
			return text
		}
	}
	return r.Text()
}

// Err returns nil for Success and else a *CallError that names the C symbol.
func (a *API) Err(symbol string, r Return) error {
	if r == Success {
		return nil
	}
	return &CallError{symbol, r, a.Text(r)}
}

// CallError is a call of NVML that failed; errors.Is finds its Return.
type CallError struct {
	Symbol string
	Return Return
	Text   string
}

// Error returns symbol, name and text.
func (e *CallError) Error() string { return e.Symbol + ": " + e.Return.Name() + ": " + e.Text }

// Unwrap returns the Return.
func (e *CallError) Unwrap() error { return e.Return }
