package tensor

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"cresset/device"
	"cresset/internal/backend"
	"cresset/internal/mem"
)

// What went wrong, for errors.Is.
var (
	ErrShape    = errors.New("shapes do not fit")
	ErrDType    = errors.New("dtypes do not fit")
	ErrDevice   = errors.New("devices do not fit")
	ErrIndex    = errors.New("index out of range")
	ErrValue    = errors.New("value not allowed")
	ErrAutograd = errors.New("gradient cannot be computed")
	ErrMemory   = errors.New("out of memory")
	ErrReleased = errors.New("tensor was released")
	ErrKernel   = errors.New("no kernel")
	ErrMeta     = errors.New("tensors on meta have no elements")
	ErrCompile  = errors.New("not what a compiled function may do")
)

// Error is what operations panic with, whatever the cause. Its text is PyTorch's where PyTorch has one.
type Error struct {
	Op   string // the operation, "add"
	Kind error  // one of the Err values
	Err  error  // the cause; its text is the error's text
	hint string
}

// Error returns PyTorch's text. Where nobody recovers from the panic, what the program prints as it ends has the hint too.
func (e *Error) Error() string {
	text := e.Err.Error()
	if hint := e.Hint(); hint != "" && isPrintedByRuntime() {
		return text + "\n\t" + hint
	}
	return text
}

// isPrintedByRuntime reports whether the method that asks is called for the text of a panic that ends the program. Nothing else
// tells the two apart, and the value must stay an *Error for those who recover.
func isPrintedByRuntime() bool {
	var pc [1]uintptr
	runtime.Callers(3, pc[:])
	frame, _ := runtime.CallersFrames(pc[:]).Next()
	return frame.Function == "runtime.preprintpanics"
}

// Unwrap lets errors.Is and errors.As ask for the kind and the cause.
func (e *Error) Unwrap() []error { return []error{e.Kind, e.Err} }

// Hint says what helps: each operand's dtype, shape and device, and the call that would mend the mistake where one is
// known. It is the cause's own where the error has none, and empty where there is nothing to add.
func (e *Error) Hint() string {
	if e.hint == "" {
		return hintOf(e.Err)
	}
	return e.hint
}

// Try runs f and returns the *Error that it panicked with, if any. A *device.Error, of a device index that no device has,
// comes as an *Error too; every other panic passes.
func Try(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			err = r
		case *device.Error:
			err = &Error{Op: "device", Kind: ErrDevice, Err: r}
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// fail panics with an *Error about an operation and its operands.
func fail(op string, kind error, text string, operands ...*Tensor) {
	failHint(op, kind, text, describe(operands))
}

func failHint(op string, kind error, text, hint string) {
	panic(&Error{Op: op, Kind: kind, Err: errors.New(text), hint: hint})
}

// check panics with an *Error where err is not nil.
func check(op string, kind, err error, operands ...*Tensor) {
	if err != nil {
		panic(&Error{Op: op, Kind: kind, Err: err, hint: joined(describe(operands), hintOf(err))})
	}
}

// checkDone panics where a backend failed.
func checkDone(op string, err error, operands ...*Tensor) {
	if err != nil {
		check(op, kindOf(err), err, operands...)
	}
}

// hintOf returns what a cause itself says that helps, if anything.
func hintOf(err error) string {
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		return h.Hint()
	}
	return ""
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// kindOf returns what went wrong in a backend.
func kindOf(err error) error {
	if _, missing := errors.AsType[*backend.MissingKernelError](err); missing {
		return ErrKernel
	}
	if _, index := errors.AsType[*backend.IndexError](err); index {
		return ErrIndex
	}
	switch {
	case errors.Is(err, mem.ErrOutOfMemory):
		return ErrMemory
	case errors.Is(err, backend.ErrDevice):
		return ErrDevice
	case errors.Is(err, backend.ErrNoData):
		return ErrMeta
	}
	return ErrValue
}

// describe lists operands as "float32[2, 3] on cpu".
func describe(operands []*Tensor) string {
	var parts []string
	for _, t := range operands {
		if t != nil {
			parts = append(parts, fmt.Sprintf("%s%s on %s", t.dtype.Name(), t.layout.Shape().List(), t.storage.device))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "operands: " + strings.Join(parts, ", ")
}
