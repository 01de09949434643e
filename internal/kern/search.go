package kern

import "cresset/dtype"

// SearchLeft writes for each value how many elements of a sorted line are less. NaN counts as the largest number.
func SearchLeft[T dtype.Number](dst []int64, line, values []T) {
	dst = dst[:len(values)]
	for i, v := range values {
		low, high := 0, len(line)
		for low < high {
			if middle := int(uint(low+high) / 2); line[middle] >= v { // never true of NaN
				high = middle
			} else {
				low = middle + 1
			}
		}
		dst[i] = int64(low)
	}
}

// SearchRight writes for each value how many elements of a sorted line are not larger. NaN counts as the largest number.
func SearchRight[T dtype.Number](dst []int64, line, values []T) {
	dst = dst[:len(values)]
	for i, v := range values {
		low, high := 0, len(line)
		for low < high {
			if middle := int(uint(low+high) / 2); line[middle] > v { // never true of NaN
				high = middle
			} else {
				low = middle + 1
			}
		}
		dst[i] = int64(low)
	}
}
