package tensor

import (
	"math"
	"sync/atomic"
)

// PrintOptions says how tensors print.
type PrintOptions struct {
	Precision int     // digits behind the point
	Threshold int     // tensors with more elements show only the edges of long axes
	EdgeItems int     // elements that such an edge shows
	LineWidth int     // bytes of a line, where it can be broken
	SciMode   SciMode // when numbers are written with an exponent
}

// SciMode says when floating-point numbers are written with an exponent.
type SciMode uint8

// The scientific modes.
const (
	SciAuto   SciMode = iota // where the numbers are very large, very small or very different
	SciAlways                // for every tensor with a finite number other than 0
	SciNever
)

// DefaultPrint returns PyTorch's default profile.
func DefaultPrint() PrintOptions {
	return PrintOptions{Precision: 4, Threshold: 1000, EdgeItems: 3, LineWidth: 80}
}

// ShortPrint returns PyTorch's profile "short": two digits, two edge items.
func ShortPrint() PrintOptions {
	return PrintOptions{Precision: 2, Threshold: 1000, EdgeItems: 2, LineWidth: 80}
}

// FullPrint returns PyTorch's profile "full": every element is shown.
func FullPrint() PrintOptions {
	return PrintOptions{Precision: 4, Threshold: math.MaxInt, EdgeItems: 3, LineWidth: 80}
}

var printOptions atomic.Pointer[PrintOptions] // nil: the default

// SetPrintOptions changes how all tensors print and returns what was in force. Numbers below 0 count as 0.
func SetPrintOptions(o PrintOptions) (old PrintOptions) {
	o.Precision, o.Threshold, o.EdgeItems = max(o.Precision, 0), max(o.Threshold, 0), max(o.EdgeItems, 0)
	if p := printOptions.Swap(&o); p != nil {
		return *p
	}
	return DefaultPrint()
}

func currentOptions() PrintOptions {
	if p := printOptions.Load(); p != nil {
		return *p
	}
	return DefaultPrint()
}
