package vec

import "unsafe"

// peakSums returns the number of vectors that a step of Peak adds to, as internal/kgen/tile wrote it.
func peakSums() int {
	if current == NEON {
		return 24
	}
	return 12
}

// Peak multiplies and adds in registers, in a loop of so many steps, and returns how many operations that were: as many
// as the processor can do in this time. It returns 0 where there is no assembly.
func Peak(steps int) (flops int) {
	lanes := Lanes[float32]()
	if lanes == 0 || steps < 1 {
		return 0
	}
	runPeak(unsafe.Pointer(&call{k: steps}))
	return 2 * lanes * peakSums() * steps
}
