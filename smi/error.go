package smi

import (
	"errors"
	"slices"
)

// Reasons why there is no inventory, which errors.Is finds.
var (
	ErrNoLibrary = errors.New("found neither NVML nor a CUDA driver")
	ErrNoDriver  = errors.New("NVIDIA's driver is not loaded")
	ErrMismatch  = errors.New("NVIDIA's libraries and the loaded driver have different versions")
	ErrNoGPU     = errors.New("found no GPU")
	ErrLost      = errors.New("a GPU has fallen off the bus")
	ErrTooOld    = errors.New("NVML is too old")

	ErrNoPermission = errors.New("no permission to ask")
)

// Error says that the GPUs cannot be listed.
type Error struct {
	Reason error // one of the above, or nil where none fits
	Cause  error // what NVML or the driver said; nil where nothing went wrong
}

// Error returns the reason and the cause.
func (e *Error) Error() string {
	switch {
	case e.Reason == nil:
		return "list GPUs: " + e.Cause.Error()
	case e.Cause == nil:
		return e.Reason.Error()
	}
	return e.Reason.Error() + ": " + e.Cause.Error()
}

// Hint says what would help; "" where that is not known.
func (e *Error) Hint() string {
	switch e.Reason {
	case ErrNoLibrary:
		return "NVIDIA's driver brings both; CRESSET_SIM=2 simulates two GPUs"
	case ErrNoDriver:
		return "load the kernel's module, nvidia, or restart after the driver was installed"
	case ErrMismatch:
		return "restart the machine, or the container: the driver was updated while it ran"
	case ErrLost:
		return "restart the machine: until then the GPU does not come back"
	}
	return ""
}

// Unwrap returns reason and cause.
func (e *Error) Unwrap() []error {
	return slices.DeleteFunc([]error{e.Reason, e.Cause}, func(err error) bool { return err == nil })
}

// MismatchError is the cause of ErrMismatch where NVML tells its own version.
type MismatchError struct {
	Library string // version of NVML, such as 610.43
	err     error
}

// Error returns what NVML said, and its version.
func (e *MismatchError) Error() string { return e.err.Error() + "; NVML is of " + e.Library }

// Unwrap returns what NVML said.
func (e *MismatchError) Unwrap() error { return e.err }
