package nvml

import (
	"bytes"
	"encoding/binary"
	"strings"

	"cresset/internal/dl"
)

const (
	textBytes = 96   // NVML's largest buffer for names and versions
	pathBytes = 1024 // for a process' name, which is a path
)

// word is what goes between Go and C in one register.
type word interface {
	~int32 | ~uint32 | ~uint64 | ~uintptr
}

func call(fn uintptr, args ...uintptr) Return { return Return(dl.Call(fn, args...)) }

// into calls fn with n bytes for its results as the last argument.
func into(n int, fn uintptr, args ...uintptr) ([]byte, Return) {
	m := dl.NewMemory(n)
	defer m.Free()
	r := call(fn, append(args, m.Address(0))...)
	return m.Bytes, r
}

// out is into for one integer. What fails returns 0.
func out[T word](fn uintptr, args ...uintptr) (value T, r Return) {
	data, r := into(8, fn, args...)
	if r == Success {
		value = T(binary.LittleEndian.Uint64(data)) // all machines with this library are little-endian
	}
	return value, r
}

func out1[T word](fn uintptr) func(Device) (T, Return) {
	return func(dev Device) (T, Return) { return out[T](fn, uintptr(dev)) }
}

func out2[T, A word](fn uintptr) func(Device, A) (T, Return) {
	return func(dev Device, a A) (T, Return) { return out[T](fn, uintptr(dev), uintptr(a)) }
}

// pair calls functions with two integers as their last arguments.
func pair(fn uintptr, dev Device) (a, b uint32, r Return) {
	m := dl.NewMemory(16)
	defer m.Free()
	if r = call(fn, uintptr(dev), m.Address(0), m.Address(8)); r == Success {
		a, b = binary.LittleEndian.Uint32(m.Bytes), binary.LittleEndian.Uint32(m.Bytes[8:])
	}
	return a, b, r
}

func enabled(fn uintptr) func(Device) (bool, Return) {
	return func(dev Device) (bool, Return) {
		on, r := out[uint32](fn, uintptr(dev))
		return on == 1, r
	}
}

func enabledPair(fn uintptr) func(Device) (bool, bool, Return) {
	return func(dev Device) (bool, bool, Return) {
		current, pending, r := pair(fn, dev)
		return current == 1, pending == 1, r
	}
}

// text calls functions that write a string into a buffer of n bytes.
func text(fn uintptr, n int, args ...uintptr) (string, Return) {
	m := dl.NewMemory(n)
	defer m.Free()
	r := call(fn, append(args, m.Address(0), uintptr(n))...)
	if r != Success {
		return "", r
	}
	return goString(m.Bytes[:n]), r
}

// goString returns what stands before the first zero.
func goString(data []byte) string {
	data, _, _ = bytes.Cut(data, []byte{0})
	return string(data)
}

func byName(fn uintptr, name string) (Device, Return) {
	if strings.IndexByte(name, 0) >= 0 {
		return 0, ErrInvalidArgument // C would read only its start
	}
	m := dl.NewMemory(len(name) + 1)
	defer m.Free()
	copy(m.Bytes, name)
	return out[Device](fn, m.Address(0))
}

func errorString(fn uintptr) func(Return) string {
	return func(r Return) string { return dl.Text(dl.Call(fn, uintptr(r))) }
}

// newest tries the versions of a call from the newest on, because a library may export a function that it does not know for
// its driver or this GPU.
func newest[T any](found []symbol, ask func(symbol, Device) (T, Return)) func(Device) (T, Return) {
	return func(dev Device) (value T, r Return) {
		for _, s := range found {
			if value, r = ask(s, dev); !outdated(r) {
				break
			}
		}
		return value, r
	}
}

// outdated reports whether an older version of the call may know more.
func outdated(r Return) bool {
	return r == ErrFunctionNotFound || r == ErrArgumentVersionMismatch || r == ErrNotSupported || r == ErrDeprecated
}
