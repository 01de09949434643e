package nn

import (
	"fmt"
	"strconv"
	"strings"
)

// windowOptions are what convolutions and pools slide by; a zero stands for the layer's default.
type windowOptions struct {
	width                     int
	stride, padding, dilation [2]int
	groups                    int
	excludePadding            bool
}

// KernelWidth makes the window of a two-dimensional layer w wide; its height stays.
func KernelWidth(w int) Option {
	return Option{"KernelWidth", func(o *options) {
		atLeast("kernel_size", 1, "kernel size should be greater than zero", w)
		o.window.width = w
	}}
}

// Stride is how far a convolution or pool moves at a time: one number for all axes, or height and width. A pool moves by
// its kernel unless told otherwise.
func Stride(n ...int) Option {
	return Option{"Stride", func(o *options) {
		atLeast("stride", 1, "non-positive stride is not supported", n...)
		o.window.stride = pair("stride", n)
	}}
}

// Padding is how many elements a convolution or pool adds on each side: one number for all axes, or height and width.
func Padding(n ...int) Option {
	return Option{"Padding", func(o *options) {
		atLeast("padding", 0, "negative padding is not supported", n...)
		o.window.padding = pair("padding", n)
	}}
}

// Dilation is how far apart the elements under a window lie: one number for all axes, or height and width.
func Dilation(n ...int) Option {
	return Option{"Dilation", func(o *options) {
		atLeast("dilation", 1, "dilation should be greater than zero", n...)
		o.window.dilation = pair("dilation", n)
	}}
}

// Groups divides the channels of a convolution into n groups that do not meet.
func Groups(n int) Option {
	return Option{"Groups", func(o *options) {
		atLeast("groups", 1, "groups must be a positive integer", n)
		o.window.groups = n
	}}
}

// ExcludePadding keeps the zeros of the padding out of the means of NewAvgPool2D.
var ExcludePadding = Option{"ExcludePadding", func(o *options) { o.window.excludePadding = true }}

// kernel returns the window of a two-dimensional layer.
func (w windowOptions) kernel(height int) [2]int {
	if w.width == 0 {
		return [2]int{height, height}
	}
	return [2]int{height, w.width}
}

// atLeast refuses numbers below low: a zero would else pass for an option that was not given.
func atLeast(name string, low int, text string, numbers ...int) {
	for _, n := range numbers {
		if n < low {
			panic(fault(name, text))
		}
	}
}

func pair(name string, n []int) [2]int {
	switch len(n) {
	case 1:
		return [2]int{n[0], n[0]}
	case 2:
		return [2]int{n[0], n[1]}
	default:
		panic(fault(name, fmt.Sprintf("%s takes one number, or height and width, but got %d", name, len(n))))
	}
}

// single returns the option of a one-dimensional layer.
func single(name string, n [2]int) int {
	if n[0] != n[1] {
		panic(fault(name, fmt.Sprintf("%s of a one-dimensional layer is one number, but got %d and %d", name, n[0], n[1])))
	}
	return n[0]
}

func orOne(n int) int {
	if n == 0 {
		return 1
	}
	return n
}

func orOnes(n [2]int) [2]int { return [2]int{orOne(n[0]), orOne(n[1])} }

// tuple prints numbers as Python prints a tuple: (3, 3), (3,).
func tuple(n ...int) string {
	if len(n) == 1 {
		return fmt.Sprintf("(%d,)", n[0])
	}
	parts := make([]string, len(n))
	for i, v := range n {
		parts[i] = strconv.Itoa(v)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// square prints a pair as it was most likely given: one number where both are equal.
func square(n [2]int) string {
	if n[0] == n[1] {
		return strconv.Itoa(n[0])
	}
	return tuple(n[:]...)
}
