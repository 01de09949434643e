package mpi

import (
	"encoding/binary"
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
	actionBytes = 32 // of one: handler, flags, and what else there is
	flagsAt     = 8
	maskBytes   = 8 // of the kernel's set of signals
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
	onStack()
}

// onStack has the handlers of other signals run on the stack for signals, as Go's threads need it: MPICH's of SIGUSR1 does not by itself, by which its launcher may tell that a process has
// ended.
func onStack() {
	const (
		saOnStack  = 0x08000000 // SA_ONSTACK
		lastSignal = 64
	)
	action := dl.NewMemory(actionBytes)
	defer action.Free()
	for sig := uintptr(1); sig <= lastSignal; sig++ {
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, 0, action.Address(0), maskBytes, 0, 0); errno != 0 {
			continue
		}
		handler, flags := binary.NativeEndian.Uint64(action.Bytes), binary.NativeEndian.Uint64(action.Bytes[flagsAt:])
		if handler <= 1 || flags&saOnStack != 0 { // the default, or ignored
			continue
		}
		binary.NativeEndian.PutUint64(action.Bytes[flagsAt:], flags|saOnStack)
		syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, action.Address(0), 0, maskBytes, 0, 0)
	}
}
