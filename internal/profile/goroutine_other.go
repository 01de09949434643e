//go:build !amd64 && !arm64

package profile

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutine returns the number that the runtime prints in a trace: "goroutine 7 [running]".
func goroutine() uintptr {
	var room [64]byte
	fields := bytes.Fields(room[:runtime.Stack(room[:], false)])
	n, _ := strconv.Atoi(string(fields[1]))
	return uintptr(n)
}
