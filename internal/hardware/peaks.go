package hardware

import "strings"

// Lanes returns how many multiplications with addition of float32 a multiprocessor of a compute capability starts at each clock.
func Lanes(major, minor int) int {
	if major == 7 || minor == 0 && (major == 6 || major == 8) {
		return 64
	}
	return 128
}

// TensorLanes returns how many its tensor cores start at each clock, of operands of 1, 2, 4 (tf32) or 8 bytes, by the data sheets. Float64
// takes ordinary units where there are none. The name is the driver's: GeForces add in float32 at half the rate of other cards of their capability.
func TensorLanes(name string, major, minor, bytes int) int {
	if bytes == 8 {
		return tensorDoubles(major, minor)
	}
	halves := 512 // 7.0, 7.5, 8.6, 8.9, 12.0
	switch {
	case major == 8 && minor == 0:
		halves = 1024
	case major == 9:
		halves = 2048
	case major == 10 || major == 11:
		halves = 4096
	case bytes > 1 && strings.Contains(name, "GeForce"):
		halves = 256
	}
	return halves * 2 / bytes
}

func tensorDoubles(major, minor int) int {
	lanes, _ := Doubles(major, minor)
	if minor == 0 && (major == 8 || major == 9) {
		return 2 * lanes
	}
	return lanes
}

// Doubles returns how many operations of float64 a multiprocessor of a compute capability starts at each clock, and how many conversions from and to it, by the
// table "Throughput of Native Arithmetic Instructions" and its notes: of NVIDIA's CUDA C++ Programming Guide up to release 12, of its Best Practices Guide since 13.
func Doubles(major, minor int) (operations, conversions int) {
	switch 10*major + minor {
	case 60, 70, 72, 80:
		return 32, 16
	case 90, 100:
		return 64, 16
	case 61, 62:
		return 4, 4
	}
	return 2, 2
}
