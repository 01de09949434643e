package optim

import (
	"math"
	"strconv"
	"strings"
)

// python writes a number as Python prints a float.
func python(v float64) string {
	size := math.Abs(v)
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")
	case size != 0 && (size < 1e-4 || size >= 1e16):
		return strconv.FormatFloat(v, 'e', -1, 64)
	case v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
