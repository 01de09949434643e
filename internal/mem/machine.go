package mem

import "math/bits"

// assumedMemory is the machine's memory in bytes where it does not tell: 64 GiB, or 2 GiB with 32-bit addresses. The files
// of the operating systems have totalMemory and availableMemory.
const assumedMemory = 1 << (31 + 5*(bits.UintSize/64))

// Machine returns the most bytes that this process can hold, and how many more of them it can have now.
func Machine() (total, available int64) { return totalMemory(), availableMemory() }
