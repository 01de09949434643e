package tensor

import "slices"

// hostStep is what the host does in view of a run of a recording, and what takes that back where the run fails.
type hostStep struct{ do, undo func() }

// hostSteps are those of a recording, in the order in which it got there.
type hostSteps []hostStep

// before does the steps and has run follow. Where one of them panics, those that were done are taken back.
func (s hostSteps) before(run func()) {
	done, ended := 0, false
	defer func() {
		if !ended {
			s[:done].undo()
		}
	}()
	for _, h := range s {
		h.do()
		done++
	}
	run()
	ended = true
}

// undo takes the steps back, the last first. Who calls it panics already: that error goes on, not one of a device that is lost by then.
func (s hostSteps) undo() {
	for _, h := range slices.Backward(s) {
		_ = Try(h.undo)
	}
}
