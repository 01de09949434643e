package hardware

// Lanes returns how many multiplications with addition of float32 a multiprocessor of a compute capability starts at each clock.
func Lanes(major, minor int) int {
	if major == 7 || minor == 0 && (major == 6 || major == 8) {
		return 64
	}
	return 128
}

// TensorLanes returns how many its tensor cores start at each clock, of operands of 2, 4 (tf32) or 8 bytes, by the data sheets. Float64
// takes ordinary units where there are none.
func TensorLanes(major, minor, bytes int) int {
	halves, doubles := 512, 2 // 7.0, 7.5, 8.6, 8.9, 12.0
	switch {
	case major == 8 && minor == 0:
		halves, doubles = 1024, 64
	case major == 9:
		halves, doubles = 2048, 128
	case major == 10 || major == 11:
		halves, doubles = 4096, 128
	}
	return map[int]int{2: halves, 4: halves / 2, 8: doubles}[bytes]
}
