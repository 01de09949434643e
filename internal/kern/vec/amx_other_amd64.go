//go:build !linux && !noasm

package vec

// permitAMX is false where the system is not known to save the tile registers of threads.
func permitAMX() bool { return false }
