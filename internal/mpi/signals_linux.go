package mpi

import (
	"os"
	"syscall"

	"cresset/internal/dl"
)

// UCX, which carries messages for Open MPI and MPICH, takes signals for itself as it is loaded or started. Then a nil pointer would end the process, which
// Go turns into a panic. Its settings forbid that, and what a version does all the same is undone.

// keepFromSignals tells UCX to leave signals alone, unless the environment says otherwise.
func keepFromSignals() {
	for name, value := range map[string]string{"UCX_ERROR_SIGNALS": "", "UCX_DEBUG_SIGNO": "0"} {
		if _, set := os.LookupEnv(name); !set {
			os.Setenv(name, value)
		}
	}
}

// faults are the signals that Go turns into panics.
var faults = [...]syscall.Signal{syscall.SIGILL, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV}

// actions are what the kernel keeps of a handler of each of them.
type actions struct{ *dl.Memory }

const (
	actionBytes = 32 // of one, of which nobody needs to know more
	maskBytes   = 8  // of the kernel's set of signals
)

func signalActions() actions {
	a := actions{dl.NewMemory(len(faults) * actionBytes)}
	for i, sig := range faults {
		syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), 0, a.Address(i*actionBytes), maskBytes, 0, 0)
	}
	return a
}

func (a actions) restore() {
	defer a.Free()
	for i, sig := range faults {
		syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), a.Address(i*actionBytes), 0, maskBytes, 0, 0)
	}
}
