package kern

import "cresset/dtype"

// Comparisons with NaN are false, but for Ne.

// Eq is dst[i] = a[i] == b[i].
func Eq[T dtype.Number](dst []bool, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] == b[i]
	}
}

// Ne is dst[i] = a[i] != b[i].
func Ne[T dtype.Number](dst []bool, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] != b[i]
	}
}

// Lt is dst[i] = a[i] < b[i].
func Lt[T dtype.Number](dst []bool, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] < b[i]
	}
}

// Le is dst[i] = a[i] ≤ b[i].
func Le[T dtype.Number](dst []bool, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] <= b[i]
	}
}

// Gt is dst[i] = a[i] > b[i].
func Gt[T dtype.Number](dst []bool, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] > b[i]
	}
}

// Ge is dst[i] = a[i] ≥ b[i].
func Ge[T dtype.Number](dst []bool, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] >= b[i]
	}
}

// IsNaN is dst[i] = whether a[i] is not a number.
func IsNaN[T dtype.Float](dst []bool, a []T) {
	a = a[:len(dst)]
	for i, v := range a {
		dst[i] = v != v
	}
}
