package hardware

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// unit is a way to write quantities: a decimal number and one of the suffixes, each with its factor.
type unit struct {
	example  string
	suffixes map[string]float64
}

var (
	size = unit{`"1670MiB"`, map[string]float64{
		"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
	}}
	rate      = unit{`"112GB/s"`, map[string]float64{"B/s": 1, "KB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12}}
	work      = unit{`"931G/s"`, map[string]float64{"M/s": 1e6, "G/s": 1e9, "T/s": 1e12}}
	frequency = unit{`"1455MHz"`, map[string]float64{"Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}}
)

// largest keeps quantities exact in a float64 and positive in an int64.
const largest = 1 << 52

// parse reads a quantity, such as "1670MiB"; it must be a whole number of the base unit.
func (u unit) parse(text string) (uint64, bool) {
	digits := strings.TrimRight(text, "aAbBcCdDeEfFgGhHiIkKmMnNoOsStTzZ/")
	factor, known := u.suffixes[text[len(digits):]]
	if !known || digits == "" || strings.ContainsFunc(digits, notDecimal) {
		return 0, false
	}
	number, err := strconv.ParseFloat(digits, 64)
	value := number * factor
	if err != nil || value > largest || value != math.Trunc(value) {
		return 0, false
	}
	return uint64(value), true
}

func notDecimal(r rune) bool { return !slices.Contains([]rune("0123456789."), r) }
