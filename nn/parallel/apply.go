package parallel

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"cresset/device"
	"cresset/tensor"
)

// ReplicaError says which replica failed, and where.
type ReplicaError struct {
	Replica int // its position
	Device  device.Device
	Err     error  // a *tensor.Error, or what the replica panicked with
	Stack   string // of a panic with anything but a *tensor.Error
}

// Error begins with PyTorch's line.
func (e *ReplicaError) Error() string {
	index, _ := e.Device.Index()
	text := fmt.Sprintf("Caught %s in replica %d on device %d.\nOriginal error: %v", e.class(), e.Replica, index, e.Err)
	if e.Stack != "" {
		text += "\n" + e.Stack
	}
	return text
}

// class is the name of the exception that PyTorch would have raised.
func (e *ReplicaError) class() string {
	var failed *tensor.Error
	switch {
	case !errors.As(e.Err, &failed):
		return "panic"
	case failed.Kind == tensor.ErrMemory:
		return "OutOfMemoryError"
	case failed.Kind == tensor.ErrIndex:
		return "IndexError"
	case failed.Kind == tensor.ErrValue:
		return "ValueError"
	default:
		return "RuntimeError"
	}
}

// Unwrap returns the replica's own error.
func (e *ReplicaError) Unwrap() error { return e.Err }

// apply computes all replicas at once and waits for all of them. It panics with the errors of those that failed, in the order
// of the replicas.
func apply[M, In, Out any](models []M, inputs []In, devices []device.Device, f func(M, In) Out) []Out {
	outputs, failed := make([]Out, len(inputs)), make([]error, len(inputs))
	run := func(i int) {
		failed[i] = &ReplicaError{Replica: i, Device: devices[i], Err: errExit}
		failed[i] = caught(i, devices[i], func() { outputs[i] = f(models[i], inputs[i]) })
	}
	var running sync.WaitGroup
	for i := range inputs[1:] {
		running.Go(func() { run(i + 1) })
	}
	defer running.Wait() // also where f ends this goroutine
	run(0)
	running.Wait()
	if err := errors.Join(failed...); err != nil {
		panic(&tensor.Error{Op: "data_parallel", Kind: kindOf(failed), Err: err})
	}
	return outputs
}

// kindOf returns the kind of the first error.
func kindOf(failed []error) error {
	for _, err := range failed {
		var e *tensor.Error
		if errors.As(err, &e) {
			return e.Kind
		}
	}
	return tensor.ErrValue
}

var errExit = errors.New("the goroutine was ended by runtime.Goexit")

// caught runs f and returns whatever it panicked with.
func caught(replica int, dev device.Device, f func()) (failed error) {
	defer func() {
		e := &ReplicaError{Replica: replica, Device: dev}
		switch r := recover().(type) {
		case nil:
			return
		case *tensor.Error:
			e.Err = r
		case error:
			e.Err, e.Stack = r, string(debug.Stack())
		default:
			e.Err, e.Stack = fmt.Errorf("%v", r), string(debug.Stack())
		}
		failed = e
	}()
	f()
	return nil
}

// mistake is wrong use of the package.
func mistake(text string) error {
	return &tensor.Error{Op: "data_parallel", Kind: tensor.ErrValue, Err: errors.New(text)}
}
