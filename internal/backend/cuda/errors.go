package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync"

	"cresset/internal/backend"
	"cresset/internal/driver"
	"cresset/internal/mem"
	"cresset/internal/nvml"
	"cresset/internal/nvml/open"
)

// Error is what a GPU refused or failed at, in PyTorch's words. After one that is sticky the device computes nothing more:
// every call returns the first such error.
type Error struct {
	Device int
	Result driver.Result
	Detail string // what is known of the cause: the op, the index

	name, text string // of the result, where only the driver knows it
	starting   bool   // the device was being opened
}

// Error returns PyTorch's text, which ends with a newline.
func (e *Error) Error() string {
	text := "CUDA error: " + cmp.Or(e.text, e.Result.Text()) + "\n"
	if !launchBlocking() {
		text += "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\n" +
			"For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
	}
	return text + "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
}

// Hint says what is known of the cause and what helps here.
func (e *Error) Hint() string {
	hint := fmt.Sprintf("%s on cuda:%d", cmp.Or(e.name, e.Result.Name()), e.Device)
	if e.Detail != "" {
		hint += ": " + e.Detail
	}
	switch {
	case e.Result == driver.ErrInvalidDevice:
		return hint + "; this process sees " + gpusText(Count())
	case e.Result == driver.ErrDeviceUnavailable && e.starting:
		return hint + "; another program has it for itself (nvidia-smi -q tells the compute mode and the processes); the next use tries again"
	case e.Result == driver.ErrOutOfMemory:
		return hint + "; the driver found no memory for code, events or pinned memory, also after cached segments were given back"
	case e.Result == driver.ErrJITCompilerNotFound:
		return hint + "; install " + driver.JITLibrary() + " of the same version as the driver, or mount it into the container"
	case e.Result == driver.ErrJITDisabled:
		return hint + "; unset CUDA_DISABLE_PTX_JIT and CUDA_DISABLE_JIT: the kernels are PTX, which the driver compiles"
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

// Is reports whether target is mem.ErrOutOfMemory and the driver found no memory.
func (e *Error) Is(target error) bool {
	return target == mem.ErrOutOfMemory && e.Result == driver.ErrOutOfMemory
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

// SilentError is a GPU of which the driver tells nothing, while it does of others.
type SilentError struct {
	Device int
	Err    error
}

func (e *SilentError) Error() string {
	return fmt.Sprintf("cuda:%d tells nothing of itself: %v", e.Device, e.Err)
}

// Unwrap returns ErrDevice and the driver's error.
func (e *SilentError) Unwrap() []error { return []error{backend.ErrDevice, e.Err} }

// Hint says what helps.
func (e *SilentError) Hint() string {
	return "nvidia-smi -q tells its state; CUDA_VISIBLE_DEVICES hides it from programs"
}

// StartError says why no GPU can be used; its text is PyTorch's.
type StartError struct {
	Cause error
	text  string
	hint  string
	asks  bool // the driver did not say why: NVML may
}

func (e *StartError) Error() string { return e.text }

// Hint says what was tried and what helps.
func (e *StartError) Hint() string {
	if !e.asks {
		return e.hint
	}
	return e.hint + whatNVMLSays()
}

// whatNVMLSays returns why NVML does not start either: the driver's own answer does not tell a missing GPU from a module that is
// not loaded. It is empty where NVML starts or is not there.
func whatNVMLSays() string {
	api, err := open.Library()
	if err == nil {
		if err = api.Start(); err == nil {
			api.Shutdown()
		}
	}
	failed, ok := errors.AsType[*nvml.InitError](err)
	if !ok {
		return ""
	}
	says := "; NVML says: " + failed.Text
	switch failed.Return {
	case nvml.ErrDriverNotLoaded:
		says += ": load the kernel's module, nvidia, or restart after the driver was installed"
	case nvml.ErrVersionMismatch:
		says += ": restart the machine, or the container: the driver was updated while it ran"
	}
	return says
}

// Unwrap returns the driver's own error.
func (e *StartError) Unwrap() error { return e.Cause }
