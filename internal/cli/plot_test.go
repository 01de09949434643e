package cli

import (
	"math"
	"testing"
)

func TestPlot(t *testing.T) {
	for _, c := range []struct {
		name          string
		values        []float64
		width, height int
		want          string
	}{
		{"too few", []float64{1}, 4, 2, ""},
		{"falls", []float64{7, 6, 5, 4, 3, 2, 1, 0}, 4, 2, "     7.000 ┤⠑⢄⠀⠀\n     0.000 ┤⠀⠀⠑⢄\n            loss over 8 batches\n"},
		{"flat", []float64{2, 2, 2, 2}, 2, 2, "     2.000 ┤⠉⠉\n     2.000 ┤⠀⠀\n            loss over 4 batches\n"},
		{"jumps", []float64{0, 3, 0}, 2, 1, "     3.000 ┤⡸⡆\n            loss over 3 batches\n"},
		{"not finite", []float64{math.NaN(), 0, 3, math.Inf(1), 0}, 2, 1, "     3.000 ┤⡸⡆\n            loss over 3 batches\n"},
		{"averages", []float64{3, 3, 3, 3, 0, 0, 0, 0}, 1, 1, "     3.000 ┤⢱\n            loss over 8 batches\n"},
	} {
		if got := plot(c.values, c.width, c.height); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, c.want)
		}
	}
}
