package cuda

import (
	"fmt"

	"cresset/internal/backend"
)

// CaptureError is something that a graph cannot have, or a graph that cannot be had.
type CaptureError struct {
	What   string // happened
	Remedy string
	Err    error // the cause, if there is another
}

// Error returns PyTorch's words, what was refused and what to do.
func (e *CaptureError) Error() string {
	return "CUDA error: operation not permitted when stream is capturing: " + e.What + "; " + e.Remedy
}

// Unwrap returns ErrDevice and the cause.
func (e *CaptureError) Unwrap() []error {
	if e.Err == nil {
		return []error{backend.ErrDevice}
	}
	return []error{backend.ErrDevice, e.Err}
}

func refuseCapture(what, remedy string) error { return &CaptureError{What: what, Remedy: remedy} }

// ReplayError is a graph that cannot be replayed.
type ReplayError struct{ text string }

func (e *ReplayError) Error() string { return "cuda: a graph cannot be replayed: " + e.text }

// Unwrap returns ErrDevice.
func (e *ReplayError) Unwrap() error { return backend.ErrDevice }

func (d *Device) name() string { return fmt.Sprintf("cuda:%d", d.index) }
