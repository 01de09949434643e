package cuda

import (
	"fmt"
	"os"
	"sync"

	"cresset/internal/backend"
	"cresset/internal/driver"
)

// Error is what a GPU refused or failed at, in PyTorch's words. After one that is sticky the device computes nothing more:
// every call returns the first such error.
type Error struct {
	Device int
	Result driver.Result
	Detail string // what is known of the cause: the op, the index
}

// Error returns PyTorch's text, which ends with a newline.
func (e *Error) Error() string {
	text := "CUDA error: " + e.Result.Text() + "\n"
	if !launchBlocking() {
		text += "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\n" +
			"For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
	}
	return text + "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
}

// Hint says what is known of the cause and what helps here.
func (e *Error) Hint() string {
	hint := fmt.Sprintf("%s on cuda:%d", e.Result.Name(), e.Device)
	if e.Detail != "" {
		hint += ": " + e.Detail
	}
	switch {
	case e.Result == driver.ErrInvalidDevice:
		return hint + "; this process sees " + gpusText(Count())
	case ends(e.Result):
		return hint + "; the device is lost to this process. Device-side assertions are always on here, and CUDA_LAUNCH_BLOCKING=1 stops at the op that fails"
	}
	return hint
}

func gpusText(gpus int) string {
	if gpus == 1 {
		return "1 GPU"
	}
	return fmt.Sprintf("%d GPUs", gpus)
}

// Unwrap returns the driver's result, and ErrDevice for callers that do not import the driver.
func (e *Error) Unwrap() []error { return []error{backend.ErrDevice, e.Result} }

// launchBlocking reports whether CUDA_LAUNCH_BLOCKING asks for every launch to be waited for.
var launchBlocking = sync.OnceValue(func() bool { return os.Getenv("CUDA_LAUNCH_BLOCKING") == "1" })

// minMajor is the compute capability that the kernels are compiled for: sm_60.
const minMajor = 6

// CapabilityError is a GPU that is too old for the kernels.
type CapabilityError struct {
	Device       int
	Name         string
	Major, Minor int
}

func (e *CapabilityError) Error() string {
	return fmt.Sprintf("cuda:%d (%s) needs compute capability %d.0, has %d.%d", e.Device, e.Name, minMajor, e.Major, e.Minor)
}

// Unwrap returns ErrDevice.
func (e *CapabilityError) Unwrap() error { return backend.ErrDevice }

// Hint says which GPUs compute.
func (e *CapabilityError) Hint() string {
	return "GPUs since Pascal (2016) compute; CUDA_VISIBLE_DEVICES hides older ones"
}

// StartError says why no GPU can be used; its text is PyTorch's.
type StartError struct {
	Cause error
	text  string
	hint  string
}

func (e *StartError) Error() string { return e.text }

// Hint says what was tried and what helps.
func (e *StartError) Hint() string { return e.hint }

// Unwrap returns the driver's own error.
func (e *StartError) Unwrap() error { return e.Cause }
