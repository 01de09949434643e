//go:build !noasm

package vec

import "golang.org/x/sys/unix"

const (
	archReqXCompPerm = 0x1023 // ARCH_REQ_XCOMP_PERM, of asm/prctl.h
	tileData         = 18     // the registers' number among what a processor saves for a thread
)

// permitAMX asks Linux for the tile registers, which a process has to do once, since they make what a signal saves larger by 8 KiB: it reports whether
// all threads may use them. It is refused where the kernel is older than 5.16, where a virtual machine hides them, and where a thread's stack for signals is too small.
func permitAMX() bool {
	_, _, errno := unix.RawSyscall(unix.SYS_ARCH_PRCTL, archReqXCompPerm, tileData, 0)
	return errno == 0
}
