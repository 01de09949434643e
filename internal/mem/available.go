package mem

// Available returns how many bytes more this process can have now, as far as the system tells.
func Available() int64 { return availableMemory() }
