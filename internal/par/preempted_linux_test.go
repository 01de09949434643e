package par

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// onThread runs f with the id of a thread that is blocked in the system until f returns: as one that was preempted, it has
// no CPU.
func onThread(t *testing.T, f func(thread int32)) {
	t.Helper()
	var pipe [2]int
	if err := unix.Pipe(pipe[:]); err != nil {
		t.Fatal(err)
	}
	thread, left := make(chan int32), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		thread <- threadID()
		unix.Read(pipe[0], make([]byte, 1))
		close(left)
	}()
	f(<-thread)
	unix.Write(pipe[1], []byte{0})
	<-left
	unix.Close(pipe[0])
	unix.Close(pipe[1])
}

// waitPreempted returns once the thread has no CPU: it may still be on its way to where it is blocked.
func waitPreempted(thread int32) {
	for !preempted(thread) {
		runtime.Gosched()
	}
}

func TestCPUTimeGrowsWhereAThreadRuns(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if preempted(threadID()) {
		t.Error("the thread that asks is preempted")
	}
	if got := cpuTime(1<<22 + 1); got >= 0 { // above the greatest id that Linux gives
		t.Errorf("a thread that does not exist has used %v", got)
	}
	onThread(t, waitPreempted)
}

func TestMigrationKeepsTheAllowedCPUs(t *testing.T) {
	allowed := func(thread int32) (set unix.CPUSet) {
		if err := unix.SchedGetaffinity(int(thread), &set); err != nil {
			t.Fatal(err)
		}
		return set
	}
	onThread(t, func(thread int32) {
		before := allowed(thread)
		migrateHere(thread)
		if after := allowed(thread); after != before {
			t.Errorf("%d CPUs are allowed after migrateHere, %d before", after.Count(), before.Count())
		}
	})
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := allowed(0)
	migrateAway()
	if after := allowed(0); after != before {
		t.Errorf("%d CPUs are allowed after migrateAway, %d before", after.Count(), before.Count())
	}
}

func TestPreemptedWorkersAreFound(t *testing.T) {
	onThread(t, func(thread int32) {
		outside, idle, holds := &member{}, &member{thread: thread}, &member{thread: thread}
		holds.inside.Store(thread)
		p := &pool{members: []*member{outside, idle, holds}}
		for !p.migratePreempted() { // until the thread has come to where it is blocked
			runtime.Gosched()
		}
		if outside.migrated.Load() || idle.migrated.Load() || !holds.migrated.Load() {
			t.Error("others were moved than the worker that holds a chunk")
		}
		holds.inside.Store(0)
		if p.migratePreempted() {
			t.Error("a worker was found that is in no loop")
		}
	})
}

// TestPlacesChange holds that a worker that finds the caller asleep stays where it is and lets the next one look.
func TestPlacesChange(t *testing.T) {
	onThread(t, func(thread int32) {
		waitPreempted(thread)
		p := newPool()
		p.changePlaces() // no caller yet
		p.caller.Store(thread)
		p.changePlaces()
		if p.changing.Load() {
			t.Error("the worker is still changing places")
		}
	})
}

// TestLoopsWhereAllThreadsAreMoved moves the workers and the caller about between and within loops, as where other programs
// take their CPUs; the loops compute as ever.
func TestLoopsWhereAllThreadsAreMoved(t *testing.T) {
	withProcs(t, 4)
	data := make([]int, 4096)
	for round := range 200 {
		For(len(data), 64, func(lo, hi int) {
			if lo%256 == 0 {
				migrateAway()
			}
			for i := lo; i < hi; i++ {
				data[i]++
			}
		})
		if round%10 == 0 {
			for _, m := range workers.members {
				m.migrated.Store(true)
			}
		}
	}
	for i, got := range data {
		if got != 200 {
			t.Fatalf("element %d was visited %d times", i, got)
		}
	}
}
