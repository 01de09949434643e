package par

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// canMigrate says that a thread can see whether another runs, and move it to another CPU.
const canMigrate = true

// threadID returns the calling thread's id.
func threadID() int32 { return int32(unix.Gettid()) }

// cpuTime returns the CPU time that a thread of this process has used, or a negative number where it has ended.
func cpuTime(thread int32) time.Duration {
	const perThread, sched = 4, 2 // of a clock's id in Linux: whose clock it is, and which
	var t unix.Timespec
	if unix.ClockGettime(^thread<<3|perThread|sched, &t) != nil {
		return -1
	}
	return time.Duration(t.Nano())
}

// migrateHere moves a thread to the CPU of the calling thread and leaves the set of CPUs that it may use as it was. A thread
// that starts another one between the two calls would hand on the smaller set; one that does not run starts none.
func migrateHere(thread int32) {
	var allowed, here unix.CPUSet
	if unix.SchedGetaffinity(int(thread), &allowed) != nil {
		return
	}
	here.Set(currentCPU())
	if unix.SchedSetaffinity(int(thread), &here) == nil {
		unix.SchedSetaffinity(int(thread), &allowed)
	}
}

// migrateAway moves the calling thread to another CPU of those that it may use, if there is one.
func migrateAway() {
	var allowed unix.CPUSet
	if unix.SchedGetaffinity(0, &allowed) != nil {
		return
	}
	others := allowed
	others.Clear(currentCPU())
	if unix.SchedSetaffinity(0, &others) == nil { // an empty set is an error
		unix.SchedSetaffinity(0, &allowed)
	}
}

func currentCPU() int {
	var n uint32
	// Sound: the call has returned before n can move.
	syscall.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&n)), 0, 0)
	return int(n)
}

// yieldCPU lets another thread that waits for the calling thread's CPU run first.
func yieldCPU() { syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
