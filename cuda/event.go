package cuda

import "cresset/internal/backend/cuda"

// Event marks a place in what a GPU computes, as torch.cuda.Event(enable_timing=True) does. Its zero value is ready for use:
//
//	var start, end cuda.Event
//	start.Record()
//	y := x.MM(x)
//	end.Record()
//	end.Synchronize()
//	milliseconds, err := start.ElapsedTime(&end)
//
// It may be used from many goroutines.
type Event struct{ event cuda.Event }

// Record marks what was issued to a GPU so far: ops, and copies in either direction. Another Record marks another place; it must be on the
// same GPU.
func (e *Event) Record(index ...int) error {
	d, err := at(index)
	if err != nil {
		return err
	}
	return e.event.Record(d)
}

// Query reports whether the GPU has reached the place. It is true of an event that was not recorded.
func (e *Event) Query() (bool, error) { return e.event.Query() }

// Synchronize waits until the GPU has reached the place, and returns what failed there. It does nothing for an event that was not recorded.
func (e *Event) Synchronize() error { return e.event.Synchronize() }

// Wait makes all that is issued to a GPU from now on, which may be another one, wait until the place has been reached. The program goes on.
func (e *Event) Wait(index ...int) error {
	d, err := at(index)
	if err != nil {
		return err
	}
	return e.event.Wait(d)
}

// ElapsedTime returns the milliseconds that the GPU took from e to end, to about half a microsecond, or those of the modelled clock where it is
// simulated. Where one of them was not recorded, or not reached, it returns PyTorch's error.
func (e *Event) ElapsedTime(end *Event) (milliseconds float64, err error) {
	return e.event.Until(&end.event)
}
