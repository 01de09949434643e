package mem

import "golang.org/x/sys/unix"

// totalMemory returns the machine's memory in bytes.
func totalMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return assumedMemory
	}
	return int64(n)
}

// availableMemory is the machine's memory too: macOS compresses and swaps, and has no count of what it could still give.
func availableMemory() int64 { return totalMemory() }
