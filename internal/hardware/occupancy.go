package hardware

// What a multiprocessor has, in the terms of NVIDIA's occupancy calculator (cuda_occupancy.h).
const (
	warp           = 32
	registersPerSM = 65536
	registerUnit   = 256     // in which a warp gets registers
	reservedShared = 1 << 10 // bytes of a block, for the system, from 8.0 on
)

// blocksPerSM returns how many blocks a multiprocessor of a compute capability has at most.
func blocksPerSM(major, minor int) int {
	switch {
	case major == 7 && minor == 5, major == 8 && (minor == 6 || minor == 7):
		return 16
	case major == 8 && minor == 9, major == 12:
		return 24
	}
	return 32
}

// Resident returns how many blocks a multiprocessor of the GPU runs at once, of so many threads, each with so many registers, and so many bytes of
// shared memory.
func (g *GPU) Resident(threads, registers int, shared uint64) int {
	warps := (threads + warp - 1) / warp
	partitions := 4
	if g.Major == 6 && g.Minor == 0 {
		partitions = 2
	}
	ofWarp := max(roundedUp(uint64(registers)*warp, registerUnit), registerUnit)
	blocks := min(blocksPerSM(g.Major, g.Minor), g.ThreadsPerSM/(warps*warp), registersPerSM/partitions/int(ofWarp)*partitions/warps)
	unit := uint64(256)
	if g.Major >= 8 {
		shared, unit = shared+reservedShared, 128
	}
	if shared = roundedUp(shared, unit); shared > 0 {
		blocks = min(blocks, int(g.SharedPerSM/shared))
	}
	return blocks
}

func roundedUp(n, unit uint64) uint64 { return (n + unit - 1) / unit * unit }
