package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// plot draws values as a line of braille dots, width characters wide and height lines high, with the highest and the
// lowest value at the side. Neighbours are averaged where there are more values than dots; what is not finite is left out.
func plot(values []float64, width, height int) string {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !finite(v) })
	if len(values) < 2 {
		return ""
	}
	dots := averages(values, min(2*width, len(values)))
	low, high := dots[0], dots[0]
	for _, v := range dots {
		low, high = math.Min(low, v), math.Max(high, v)
	}
	cells := make([][]rune, height)
	for i := range cells {
		cells[i] = []rune(strings.Repeat("\u2800", (len(dots)+1)/2))
	}
	last := 0
	for x, v := range dots {
		y := 0
		if high > low {
			y = int(math.Round((high - v) / (high - low) * float64(4*height-1)))
		}
		if x == 0 {
			last = y
		}
		from, to := between(last, y)
		for ; from <= to; from++ {
			cells[from/4][x/2] |= brailleDot[from%4][x%2]
		}
		last = y
	}
	var b strings.Builder
	for i, line := range cells {
		label := ""
		switch i {
		case 0:
			label = fmt.Sprintf("%.3f", high)
		case height - 1:
			label = fmt.Sprintf("%.3f", low)
		}
		fmt.Fprintf(&b, "  %8s ┤%s\n", label, string(line))
	}
	fmt.Fprintf(&b, "  %8s  loss over %s\n", "", count(len(values), "batch", "es"))
	return b.String()
}

// between returns the first and the last dot of the stroke that joins a value at y to its neighbour at last.
func between(last, y int) (from, to int) {
	switch {
	case y > last+1:
		return last + 1, y
	case y < last-1:
		return y, last - 1
	default:
		return y, y
	}
}

// brailleDot gives the bit of each of the 4x2 dots of a braille character.
var brailleDot = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// averages squeezes values into n means of neighbours.
func averages(values []float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		part := values[i*len(values)/n : (i+1)*len(values)/n]
		sum := 0.0
		for _, v := range part {
			sum += v
		}
		out[i] = sum / float64(len(part))
	}
	return out
}
