package tensor

import (
	"math"
	"strconv"
	"strings"

	"cresset/dtype"
)

// cells returns the texts of x's elements, padded to one width, and that width.
func (o PrintOptions) cells(x *Tensor) (cells []string, width int) {
	if x.dtype.IsFloat() {
		cells, width = o.floatCells(hostSlice[float64](x))
	} else {
		cells = integerCells(x)
		for _, s := range cells {
			width = max(width, len(s))
		}
	}
	for i, s := range cells {
		if len(s) < width {
			cells[i] = strings.Repeat(" ", width-len(s)) + s
		}
	}
	return cells, width
}

// floatStyle is how the numbers of one tensor are written.
type floatStyle struct {
	integral bool // all are integers: no digits behind the point
	exponent bool
	digits   int
}

// floatCells returns the texts of floats and the width of the longest that is finite and not 0; others do not count.
func (o PrintOptions) floatCells(values []float64) (cells []string, width int) {
	style := floatStyle{integral: true, digits: o.Precision}
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if a := math.Abs(v); a > 0 && !math.IsInf(a, 1) {
			least, most = min(least, a), max(most, a)
			style.integral = style.integral && v == math.Trunc(v)
		}
	}
	style.exponent = most > 0 && o.exponents(style.integral, least, most)
	width = 1
	cells = make([]string, len(values))
	for i, v := range values {
		cells[i] = style.text(v)
		if v != 0 && !math.IsInf(v, 0) && v == v {
			width = max(width, len(cells[i]))
		}
	}
	return cells, width
}

// exponents reports whether numbers are written with an exponent whose magnitudes lie between least and most.
func (o PrintOptions) exponents(integral bool, least, most float64) bool {
	switch o.SciMode {
	case SciAlways:
		return true
	case SciNever:
		return false
	default:
		return most/least > 1000 || most > 1e8 || !integral && least < 1e-4
	}
}

// text returns v as Python writes it.
func (s floatStyle) text(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return cText(v)
	case s.exponent:
		return strconv.FormatFloat(v, 'e', s.digits, 64)
	case s.integral:
		return strconv.FormatFloat(v, 'f', 0, 64) + "."
	default:
		return strconv.FormatFloat(v, 'f', s.digits, 64)
	}
}

// integerCells returns the texts of integers, or of bools as Python writes them.
func integerCells(x *Tensor) []string {
	values := hostSlice[int64](x)
	cells := make([]string, len(values))
	for i, v := range values {
		if x.dtype == dtype.Bool {
			cells[i] = [...]string{"False", "True"}[v]
		} else {
			cells[i] = strconv.FormatInt(v, 10)
		}
	}
	return cells
}

// cText returns v as a C++ stream writes it, for error texts.
func cText(v float64) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
