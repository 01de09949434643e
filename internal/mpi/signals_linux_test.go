package mpi

import (
	"encoding/binary"
	"fmt"
	"syscall"

	"cresset/internal/dl"
)

// handlersOnStack wants each handler that there is since the library has started to run on the stack for signals: another ends the program at its first signal.
func handlersOnStack(*World) error {
	action := dl.NewMemory(actionBytes)
	defer action.Free()
	for sig := uintptr(1); sig <= 64; sig++ {
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, 0, action.Address(0), maskBytes, 0, 0); errno != 0 {
			continue
		}
		handler, flags := binary.NativeEndian.Uint64(action.Bytes), binary.NativeEndian.Uint64(action.Bytes[flagsAt:])
		if handler > 1 && flags&0x08000000 == 0 {
			return fmt.Errorf("the handler of signal %d runs on the stack of the thread", sig)
		}
	}
	return nil
}
