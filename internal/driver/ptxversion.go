package driver

// NewestPTX returns the newest version of PTX, as 10·major + minor, that a driver for the given version of CUDA reads: they rise
// together, but not evenly (PTX ISA, release notes).
func NewestPTX(cuda int32) int {
	major, minor := int(cuda/1000), int(cuda%1000/10)
	switch {
	case major <= 10:
		return 63 + minor
	case major == 11:
		return 70 + minor
	case major == 12 && minor <= 5:
		return 80 + minor
	case major == 12:
		return 79 + minor
	}
	return 90 + 10*(major-13) + minor
}
